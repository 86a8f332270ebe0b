import AuthClient
import AuthModel
import CommandTestSupport
import Testing

/// A sign-up whose answer brings no session that can be used.
@Suite struct SignUpWithoutSessionTests {
    static let created = FakeBackend.Step.signUp(.success(.created(.ada)))

    static func signUp(
        _ fixture: ClientFixture, _ account: NewAccount = .ada, keepingSession: Bool = true
    ) throws(AuthError) -> LogInResult {
        try SignUp(fixture.client).run(account, keepingSession: keepingSession, checking: true)
    }

    @Test func `logs in with the same credentials, and keeps that session`() throws {
        let fixture = ClientFixture.atSite(
            Self.created, .logIn(.success(.session(NewSession(user: .ada, session: .new)))))
        let result = try Self.signUp(fixture)
        #expect(result.createdAccount == true)
        #expect(result.session == .new)
        #expect(fixture.steps == ["store: prepare", "backend: signUp ada", "backend: logIn ada", "store: save new"])
    }

    @Test func `logs in by the e-mail of an account without a name`() throws {
        let fixture = ClientFixture.atSite(
            Self.created, .logIn(.success(.session(NewSession(user: .ada, session: .new)))))
        _ = try Self.signUp(fixture, .byEmail)
        #expect(fixture.steps.contains("backend: logIn ada@example.org"))
    }

    @Test func `does not log in where that is not wanted`() throws {
        let fixture = ClientFixture.atSite(Self.created)
        let result = try Self.signUp(fixture, keepingSession: false)
        #expect(result.session == nil)
        #expect(result.createdAccount == true)
        #expect(fixture.steps == ["backend: signUp ada"])
    }

    @Test(arguments: [
        Result<LogInOutcome, AuthError>.success(.pending(.emailVerification, .ada)),
        .failure(AuthError(.emailUnverified, "the e-mail is not confirmed")),
    ])
    func `waits for the address to be confirmed if the log-in says so`(
        outcome: Result<LogInOutcome, AuthError>
    ) throws {
        let fixture = ClientFixture.atSite(Self.created, .logIn(outcome))
        let result = try Self.signUp(fixture)
        #expect(result.pending == .emailVerification)
        #expect(result.createdAccount == true)
        #expect(result.session == nil)
        #expect(result.user == .ada)
        #expect(fixture.store.current == nil)
    }

    @Test func `warns of a log-in that failed, and has made the account all the same`() throws {
        let fixture = ClientFixture.atSite(
            Self.created, .logIn(.failure(.fault)), stored: .sample(profile: "ci"),
            profile: Setting("ci", from: .option("--profile")))
        let result = try Self.signUp(fixture)
        #expect(result.createdAccount == true)
        #expect(result.pending == nil)
        #expect(result.session == nil)
        #expect(
            fixture.steps.last == "warning: the account was created, but logging in failed: the server failed; "
                + "log in: authctl login ada")
        #expect(fixture.store["ci"] == .sample(profile: "ci"))
    }

    @Test func `says that the account exists when its session could not be kept`() throws {
        let fixture = ClientFixture.atSite(
            Self.created, .logIn(.success(.session(NewSession(user: .ada, session: .new)))), .logOut(.success(.yes)))
        fixture.store.fail(.save, with: .noSpace)
        let error = try failure { _ = try Self.signUp(fixture) }
        #expect(error.outcome == .storage)
        #expect(error.message.hasPrefix("account 'ada' was created, but its session could not be kept"))
    }
}

extension NewAccount {
    static let byEmail = NewAccount(username: nil, email: "ada@example.org", password: Secret("correct horse"))
}
