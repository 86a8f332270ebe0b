import AuthClient
import CommandTestSupport

@Suite struct SignUpUnlessExistsTests {
    static let taken = Step.signUp(.failure(AuthError(.usernameTaken, "the username is already taken")))
    static let emailTaken = Step.signUp(.failure(AuthError(.emailTaken, "the e-mail is already taken")))
    static let known = Step.logIn(.success(.session(NewSession(user: .ada, session: .new))))

    private func run(_ fixture: ClientFixture, _ account: NewAccount = .ada) throws -> LogInResult {
        try SignUp(fixture.client).unlessExists(account, checking: true) { () throws(AuthError) in nil }
    }

    @Test func `a signup of a new account with --if-not-exists sends no login request`() throws {
        let fixture = ClientFixture(SignUpTests.success)
        try expect(run(fixture).createdAccount, true)
        expect(fixture.requests, ["signUp ada"])
        expect(fixture.store.current?.session.token, Secret("new"))
    }

    @Test func `a signup of an existing account with --if-not-exists logs in with the given password`() throws {
        let fixture = ClientFixture(Self.taken, Self.known)
        let result = try run(fixture)
        expect(result.createdAccount, false)
        expect(result.session, .new)
        expect(fixture.store.current?.session, .new)
    }

    @Test func `a signup with --if-not-exists and a wrong password fails after one login request`() throws {
        let wrong = Step.logIn(.failure(AuthError(.wrongPassword, "wrong username or password")))
        let fixture = ClientFixture(Self.taken, wrong, stored: .ada)
        try failure { try run(fixture) }.expectMessage(in: "use-cases/signup")
        expect(fixture.store.current, .ada)
        expect(fixture.requests, ["signUp ada", "logIn ada"])
    }

    static let unclear = AuthError(
        .invalidFields, "the username was rejected", fact: .nameMayBeTaken,
        fields: [FieldFault("username", "vergeben", isServerText: true)])

    @Test func `a signup that may have failed because of a taken name logs in once, and else fails as before`() throws {
        let fixture = ClientFixture(.signUp(.failure(Self.unclear)), Self.known)
        try expect(run(fixture).createdAccount, false)
        let wrong = Step.logIn(.failure(AuthError(.wrongPassword, "wrong username or password")))
        let other = ClientFixture(.signUp(.failure(Self.unclear)), wrong)
        let error = try failure { _ = try run(other) }
        #expect(error.reason == .invalidFields && error.message == "cannot sign up 'ada': the username was rejected")
        expect(other.requests, ["signUp ada", "logIn ada"])
    }

    @Test func `signup --if-not-exists suggests the stored spelling of a username that differs only in case`() throws {
        let wrong = AuthError(
            .wrongPassword, "wrong username or password", fact: .accountExists(named: "Ada"),
            next: NextStep("log in as 'Ada'", run: ["login", "Ada"]))
        let error = try failure { _ = try run(ClientFixture(Self.taken, .logIn(.failure(wrong)))) }
        error.expectMessage(in: "use-cases/signup")
    }

    @Test func `a signup with --if-not-exists sends no login request if another account has the e-mail`() throws {
        let fixture = ClientFixture(Self.emailTaken)
        let account = NewAccount(username: "eve", email: "ada@example.org", password: Secret("correct horse"))
        try expect(failure { _ = try run(fixture, account) }.reason, .emailTaken)
        expect(fixture.requests, ["signUp eve"])
    }

    @Test func `a signup with --if-not-exists and no username logs in by e-mail if the address is taken`() throws {
        let fixture = ClientFixture.atSite(Self.emailTaken, Self.known)
        let account = NewAccount(username: nil, email: "ada@example.org", password: Secret("correct horse"))
        try expect(run(fixture, account).createdAccount, false)
        #expect(fixture.requests.contains("logIn ada@example.org"))
    }

    @Test func `a signup does not report whether the account is new if the site hides taken addresses`() throws {
        let uncertain = Pending(.emailVerification, token: Secret("p1"), isCertain: false)
        let fixture = ClientFixture.waiting(.signUp(.success(.waits(uncertain, .ada))))
        let result = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true)
        expect(result.createdAccount, nil)
        expect(result.pending, uncertain)
    }

    @Test func `a signup with --if-not-exists reports login errors unchanged, except for a wrong password`() throws {
        let locked = Step.logIn(.failure(AuthError(.accountLocked, "the account is locked")))
        try expect(failure { _ = try run(ClientFixture(Self.taken, locked)) }.reason, .accountLocked)
    }
}
