import AuthClient
import CommandTestSupport

/// A signup whose response has no usable session.
@Suite struct SignUpWithoutSessionTests {
    static let created = Step.signUp(.success(.created(.ada)))

    static func signUp(
        _ fixture: ClientFixture, _ account: NewAccount = .ada, keepingSession: Bool = true
    ) throws(AuthError) -> LogInResult {
        try SignUp(fixture.client).run(account, keepingSession: keepingSession, checking: true)
    }

    @Test func `a signup without a session in the response logs in with the same credentials`() throws {
        let fixture = ClientFixture.atSite(
            Self.created, .logIn(.success(.session(NewSession(user: .ada, session: .new)))))
        let result = try Self.signUp(fixture)
        expect(result.createdAccount, true)
        expect(result.session, .new)
        expect(fixture.requests, ["signUp ada", "logIn ada"])
        expect(fixture.store.current?.session.token, Secret("new"))
    }

    @Test func `a signup without a username logs in with the e-mail address`() throws {
        let fixture = ClientFixture.atSite(
            Self.created, .logIn(.success(.session(NewSession(user: .ada, session: .new)))))
        _ = try Self.signUp(fixture, .byEmail)
        #expect(fixture.requests.contains("logIn ada@example.org"))
    }

    @Test func `a signup with --no-login sends no login request`() throws {
        let fixture = ClientFixture.atSite(Self.created)
        let result = try Self.signUp(fixture, keepingSession: false)
        expect(result.session, nil)
        expect(result.createdAccount, true)
        expect(fixture.requests, ["signUp ada"])
    }

    @Test(arguments: [
        Result<LogInOutcome, AuthError>.success(.waits(.emailVerification, .ada)),
        .success(.waiting(AuthError(.emailUnverified, "the e-mail address is not verified"))),
    ])
    func `a signup is pending if its login requires a verified e-mail address`(
        outcome: Result<LogInOutcome, AuthError>
    ) throws {
        let fixture = ClientFixture.atSite(Self.created, .logIn(outcome))
        let result = try Self.signUp(fixture)
        expect(result.pending, .emailVerification)
        expect(result.createdAccount, true)
        expect(result.session, nil)
        expect(result.user, .ada)
        expect(fixture.store.current, nil)
    }

    @Test func `a signup warns if its subsequent login fails`() throws {
        let fixture = ClientFixture.atSite(
            Self.created, .logIn(.failure(.fault)), stored: .sample(profile: "ci"),
            profile: Setting("ci", from: .option("--profile")))
        let result = try Self.signUp(fixture)
        expect(result.createdAccount, true)
        expect(result.pending, nil)
        expect(result.session, nil)
        fixture.expectNotices(in: "use-cases/signup")
        expect(fixture.store["ci"], .sample(profile: "ci"))
    }
}

extension NewAccount {
    static let byEmail = NewAccount(username: nil, email: "ada@example.org", password: Secret("correct horse"))
}
