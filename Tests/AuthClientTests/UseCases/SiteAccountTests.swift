import AuthClient
import CommandTestSupport

/// Accounts of a site that accepts an e-mail address instead of a username and strips white space around passwords.
@Suite struct SiteAccountTests {
    static let logIn = Step.logIn(.success(.session(NewSession(user: .ada, session: .new))))
    static let signUp = Step.signUp(
        .success(.session(NewSession(user: .ada, session: .new, createdAccount: true))))

    // MARK: - Accounts without a username

    @Test(arguments: [
        (AuthError.Reason.emailTaken, "taken e-mail address"), (.outcomeUnknown, "unknown outcome"),
    ])
    func `if a signup by e-mail fails, the error contains the address`(reason: AuthError.Reason, situation: String)
        throws
    {
        let fixture = ClientFixture.atSite(.signUp(.failure(AuthError(reason, "the cause"))))
        let error = try failure { _ = try SignUp(fixture.client).run(.byEmail, keepingSession: true, checking: true) }
        error.expectMessage(in: "use-cases/site-accounts", situation)
    }

    @Test func `if a signup with only a username fails with email-taken, the error suggests a login with the username`()
        throws
    {
        let fixture = ClientFixture.atSite(.signUp(.failure(AuthError(.emailTaken, "the e-mail address is taken"))))
        let error = try failure { _ = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true) }
        error.expectMessage(in: "use-cases/site-accounts")
    }

    @Test(arguments: [
        ("ada@example.org", "e-mail address"), ("-a@example.org", "e-mail address that begins with a dash"),
        ("ada", "username"),
    ])
    func `a rejected login at a site suggests a signup with the given username or e-mail`(
        login: String, situation: String
    ) throws {
        let fixture = ClientFixture.atSite(.logIn(.failure(AuthError(.wrongPassword, "wrong username or password"))))
        try failure {
            try LogIn(fixture.client).withPassword(Credentials(login: login, password: Secret("x")))
        }.expectMessage(in: "use-cases/site-accounts", situation)
    }

    // MARK: - White space around passwords

    @Test(arguments: [" x", "x ", "\tx", "x\n", "\u{A0}x", "x\u{3000}", " "])
    func `login and signup warn about white space around a password`(password: String) throws {
        let logIn = ClientFixture.atSite(Self.logIn)
        _ = try LogIn(logIn.client).withPassword(Credentials(login: "ada", password: Secret(password)))
        let signUp = ClientFixture.atSite(Self.signUp)
        _ = try SignUp(signUp.client).run(
            NewAccount(username: "ada", password: Secret(password)), keepingSession: true, checking: true)
        expect(signUp.notices, logIn.notices)
        signUp.expectNotices(in: "use-cases/site-accounts")
    }

    @Test(arguments: [(" old", "new"), ("old", "new "), (" old", " new")])
    func `a password change warns once of white space and sends both passwords unchanged`(
        current: String, new: String
    ) throws {
        let fixture = ClientFixture.atSite(.changePassword(.success(nil)), stored: .sample(connection: .site))
        _ = try ChangePassword(fixture.client).run(from: Secret(current), to: Secret(new))
        expect(fixture.notices.split(separator: "\n").count, 1)
        expect(fixture.requests.first?.hasPrefix("changePassword '\(current)' '\(new)' "), true)
    }

    @Test func `white space within a password, or white space that the server keeps, causes no warning`() throws {
        let inside = ClientFixture.atSite(Self.logIn)
        _ = try LogIn(inside.client).withPassword(.ada)
        let counting = ClientFixture(Self.logIn)
        _ = try LogIn(counting.client).withPassword(Credentials(login: "ada", password: Secret(" x ")))
        expect(inside.notices + counting.notices, "")
    }

    // MARK: - Hints

    @Test func `the error about a wrong endpoint suggests the usual mount path`() throws {
        let fixture = ClientFixture.atSite(.logIn(.failure(AuthError(.wrongEndpoint, "not a site"))))
        try failure { try LogIn(fixture.client).withPassword(.ada) }.expectMessage(in: "use-cases/site-accounts")
    }

    @Test func `if a Facebook login fails with email-taken, the error suggests a login and a Facebook link`() throws {
        let taken = AuthError(.emailTaken, "an account has that e-mail address", next: "the backend's hint")
        let fixture = ClientFixture.atSite(
            .logInIdentity(.failure(taken)), profile: Setting("ci", from: .option("--profile")))
        try failure {
            try LogInWithIdentity(fixture.client).run(
                FacebookSource(.given(.accessToken(Secret("EAAB"))), id: "1003"))
        }.expectMessage(in: "use-cases/site-accounts")
    }
}
