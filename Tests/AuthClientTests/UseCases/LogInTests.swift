import AuthClient
import CommandTestSupport

@Suite struct LogInTests {
    static let success = Step.logIn(.success(.session(NewSession(user: .ada, session: .new))))
    static let old = StoredSession.sample(session: .sample("old"))
    static let ofBob = StoredSession.sample(session: .sample("old"), user: User(id: "b0b", username: "bob"))

    @Test func `a login first checks the session store, then sends the request, then saves the session`() throws {
        let fixture = ClientFixture(Self.success)
        let result = try LogIn(fixture.client).withPassword(.ada)
        expect(result.session, .new)
        expect(result.user, .ada)
        expect(fixture.store.current, .sample(session: .new, method: .password))
        expect(fixture.requests, ["logIn ada"])
    }

    @Test func `a login sends no request if the session cannot be saved`() throws {
        let fixture = ClientFixture()
        fixture.store.fail(.prepare, with: .noSpace)
        try expect(failure { _ = try LogIn(fixture.client).withPassword(.ada) }, .noSpace)
        expect(fixture.requests, [])
    }

    @Test func `a login sends no request if the saved session cannot be read`() throws {
        let fixture = ClientFixture()
        let corrupt = AuthError(.corrupt, "damaged")
        fixture.store.fail(.load, with: corrupt)
        try expect(failure { _ = try LogIn(fixture.client).withPassword(.ada) }, corrupt)
        expect(fixture.requests, [])
    }

    @Test func `a login with a token does not revoke the given token if the session cannot be saved`() throws {
        let fixture = ClientFixture(.logInToken(.success(NewSession(user: .ada, session: .new))))
        fixture.store.fail(.save, with: .noSpace)
        try failure { try LogIn(fixture.client).withToken(Secret("new")) }.expectMessage(in: "use-cases/login")
        expect(fixture.requests, ["logIn with new"])
    }

    @Test func `a login notes that it replaced the saved session, and does not revoke the replaced session`() throws {
        let fixture = ClientFixture(Self.success, stored: Self.ofBob)
        _ = try LogIn(fixture.client).withPassword(.ada)
        expect(fixture.requests, ["logIn ada"])
        fixture.expectNotices(in: "use-cases/login")
    }

    @Test func `a login of the same user prints no note about the replaced session`() throws {
        let fixture = ClientFixture(Self.success, stored: Self.old)
        _ = try LogIn(fixture.client).withPassword(.ada)
        expect(fixture.notices, "")
    }

    @Test func `a login whose response has the saved token prints no note about a replaced session`() throws {
        let fixture = ClientFixture(Self.success, stored: .sample(session: .new))
        _ = try LogIn(fixture.client).withPassword(.ada)
        expect(fixture.notices, "")
    }

    @Test func `a login warns if the server was not seen to accept the session, which is saved`() throws {
        var new = NewSession(user: .ada, session: .new)
        new.doubt = BackendError(
            .forbidden, "the request was rejected", next: NextStep("set it", run: ["profile", "set", NextStep.profile]))
        let fixture = ClientFixture(.logIn(.success(.session(new))))
        _ = try LogIn(fixture.client).withPassword(.ada)
        expect(fixture.store.current?.session, .new)
        fixture.expectNotices(in: "use-cases/login")
    }

    @Test func `a login with fields is unsupported, and sends nothing, if the server takes none`() throws {
        let fixture = ClientFixture()
        let credentials = Credentials(login: "ada", password: Secret("secret"), fields: ["device_id": "d1"])
        try expect(failure { _ = try LogIn(fixture.client).withPassword(credentials) }.reason, .unsupported)
        expect(fixture.requests, [])
    }

    @Test func `after a rejected login in words that may mean an unverified e-mail, the second hint verifies it`()
        throws
    {
        let error = AuthError(.wrongPassword, "wrong username or password: \"x\"", fact: .emailMayBeUnverified)
        let fixture = ClientFixture(.logIn(.failure(error)))
        let steps = try failure { _ = try LogIn(fixture.client).withPassword(.ada) }.nextSteps
        expect(steps.map { $0.command.first }, ["signup", "verify-email", "password"])
    }

    @Test func `a login notes the expiry of a session that cannot be refreshed`() throws {
        let short = Session.sample("new", expiresAt: .sampleNow.adding(.seconds(300)))
        let fixture = ClientFixture(.logIn(.success(.session(NewSession(user: .ada, session: short)))))
        _ = try LogIn(fixture.client).withPassword(.ada)
        fixture.expectNotices(in: "use-cases/login")
    }

    private static let wrongPassword = AuthError(.wrongPassword, "wrong username or password")

    @Test(arguments: [
        ("ada", wrongPassword, false, "a username"), ("-a b'c", wrongPassword, false, "a leading dash"),
        ("ada@example.org", wrongPassword, false, "an e-mail address"),
        ("ada", .fault, false, "another reason"),
        ("ada", AuthError(.wrongPassword, "wrong", fact: .accountExists(named: nil)), false, "an account that exists"),
    ])
    func `a failed login keeps the saved session, and suggests a signup only for a wrong username or password`(
        login: String, rejection: AuthError, isPlain: Bool, situation: String
    ) throws {
        let fixture = ClientFixture(.logIn(.failure(rejection)), stored: Self.old, isPlain: isPlain)
        try failure {
            try LogIn(fixture.client).withPassword(Credentials(login: login, password: Secret("x")))
        }.expectMessage(in: "use-cases/login", situation)
        expect(fixture.store.current, Self.old)
    }

    @Test(arguments: [
        (Result<Revocation, AuthError>.success(.yes), "revoked"),
        (.success(.already), "revoked"),
        (.success(.unsupported), "not revoked"),
        (.success(.unknown), "not revoked"),
        (.failure(.fault), "not revoked"),
    ])
    func `a login revokes a session that it cannot save, and the error reports the result of the revocation`(
        revocation: Result<Revocation, AuthError>, situation: String
    ) throws {
        let fixture = ClientFixture(Self.success, .logOut(revocation))
        fixture.store.fail(.save, with: .noSpace)
        try failure { try LogIn(fixture.client).withPassword(.ada) }.expectMessage(in: "use-cases/login", situation)
        expect(fixture.requests.last, "logOut new")
    }

    @Test func `a login revokes its new session if the profile was removed during the login`() throws {
        let fixture = ClientFixture(
            Self.success, .logOut(.success(.yes)), profile: Setting("ci", from: .option("--profile")))
        fixture.configuration.put(profiles: "default")
        try failure { try LogIn(fixture.client).withPassword(.ada) }.expectMessage(in: "use-cases/login")
        expect(fixture.requests.last, "logOut new")
        expect(fixture.store["ci"], nil)
    }

    @Test func `a login with --as ada revokes its new session if a session named 'Ada' was saved meanwhile`() throws {
        let fixture = ClientFixture(script: [Self.success, .logOut(.success(.yes))], name: "ada")
        fixture.store.put(.sample(as: "Ada"))
        try expect(failure { _ = try LogIn(fixture.client).withPassword(.ada) }.reason, .usage)
        expect(fixture.requests.last, "logOut new")
    }

    @Test(arguments: [true, false])
    func `a login that cannot save a session shared by all devices revokes it only if the account is new`(
        isNew: Bool
    ) throws {
        let logIn = Step.logIn(
            .success(.session(NewSession(user: .ada, session: .new, createdAccount: isNew))))
        let fixture = ClientFixture(
            script: isNew ? [logIn, .logOut(.success(.yes))] : [logIn], isShared: true)
        fixture.store.fail(.save, with: .noSpace)
        try expect(failure { _ = try LogIn(fixture.client).withPassword(.ada) }.reason, .noSpace)
        expect(fixture.requests.contains("logOut new"), isNew)
    }

    @Test func `a login saves the new session and warns that other commands use AUTHCTL_TOKEN`() throws {
        let fixture = ClientFixture(Self.success, environmentToken: "env")
        _ = try LogIn(fixture.client).withPassword(.ada)
        fixture.expectNotices(in: "use-cases/login")
        expect(fixture.store.current?.session, .new)
    }

    @Test func `a login that waits for the verification of the e-mail fails, and keeps the saved session`() throws {
        let fixture = ClientFixture(.logIn(.success(.waits(.emailVerification, .ada))), stored: Self.old)
        try expect(failure { try LogIn(fixture.client).withPassword(.ada) }.reason, .emailUnverified)
        expect(fixture.store.current, Self.old)
    }
}
