import AuthClient
import AuthModel
import CommandTestSupport
import Testing

/// Accounts of a site where the e-mail may take the place of the user name, and passwords are stripped.
@Suite struct SiteAccountTests {
    static let logIn = FakeBackend.Step.logIn(.success(.session(NewSession(user: .ada, session: .new))))
    static let signUp = FakeBackend.Step.signUp(.success(.session(NewSession(user: .ada, session: .new))))
    static let warning = "warning: the server strips the white space around this password: it is the same without"

    // MARK: - Known by their e-mail

    @Test(arguments: [
        (AuthError.Reason.emailTaken, "is it yours? log in: "),
        (.usernameTaken, "is it yours? log in: "),
        (.outcomeUnknown, "the account may exist: find out by logging in with the same password: "),
    ])
    func `a refusal speaks of the e-mail where there is no name`(reason: AuthError.Reason, hint: String) throws {
        let fixture = ClientFixture.atSite(.signUp(.failure(AuthError(reason, "no"))))
        let error = try failure { _ = try SignUp(fixture.client).run(.byEmail, keepingSession: true, checking: true) }
        #expect(error.message == "cannot create account 'ada@example.org': no")
        #expect(error.hints == ["\(hint)authctl login ada@example.org"])
    }

    @Test func `a taken e-mail that was not given is one's own name's affair`() throws {
        let fixture = ClientFixture.atSite(.signUp(.failure(AuthError(.emailTaken, "no"))))
        let error = try failure { _ = try SignUp(fixture.client).run(.ada, keepingSession: true, checking: true) }
        #expect(error.hints == ["is it yours? log in: authctl login ada"])
    }

    @Test(arguments: [
        ("ada@example.org", "authctl signup --email ada@example.org", "ada@example.org"),
        ("-a@example.org", "authctl signup --email=-a@example.org", "-- -a@example.org"),
        ("ada", "authctl signup ada --email ADDRESS", "ADDRESS"),
    ])
    func `wrong credentials hint at an account with what was given alone`(
        login: String, signup: String, address: String
    ) throws {
        let fixture = ClientFixture.atSite(.logIn(.failure(AuthError(.wrongPassword, "wrong"))))
        let error = try failure {
            _ = try LogIn(fixture.client).withPassword(Credentials(login: login, password: Secret("x")))
        }
        #expect(
            error.hints == [
                "create an account: \(signup)", "reset the password: authctl password reset \(address)",
            ])
    }

    // MARK: - White space around passwords

    @Test(arguments: [" x", "x ", "\tx", "x\n", "\u{A0}x", "x\u{3000}", " "])
    func `white space around a password is warned of, and sent`(password: String) throws {
        let logIn = ClientFixture.atSite(Self.logIn)
        _ = try LogIn(logIn.client).withPassword(Credentials(login: "ada", password: Secret(password)))
        #expect(logIn.steps.filter { $0.hasPrefix("warning") } == [Self.warning])
        let signUp = ClientFixture.atSite(Self.signUp)
        _ = try SignUp(signUp.client).run(
            NewAccount(username: "ada", password: Secret(password)), keepingSession: true, checking: true)
        #expect(signUp.steps.filter { $0.hasPrefix("warning") } == [Self.warning])
    }

    @Test(arguments: [(" old", "new"), ("old", "new "), (" old", " new")])
    func `it is warned of once at a change, and nothing is changed in what is sent`(
        current: String, new: String
    ) throws {
        let fixture = ClientFixture.atSite(.changePassword(.success(())), stored: .sample(connection: .site))
        _ = try ChangePassword(fixture.client).run(from: Secret(current), to: Secret(new))
        #expect(fixture.steps.filter { $0.hasPrefix("warning") } == [Self.warning])
        #expect(fixture.steps.contains { $0.hasPrefix("backend: changePassword '\(current)' '\(new)' ") })
    }

    @Test func `it is warned of once when a sign-up logs in by itself`() throws {
        let fixture = ClientFixture.atSite(.signUp(.success(.created(.ada))), Self.logIn)
        let account = NewAccount(username: "ada", password: Secret(" x"))
        _ = try SignUp(fixture.client).run(account, keepingSession: true, checking: true)
        #expect(fixture.steps.filter { $0.hasPrefix("warning") } == [Self.warning])
    }

    @Test func `nothing is said of white space inside, or where it counts`() throws {
        let inside = ClientFixture.atSite(Self.logIn)
        _ = try LogIn(inside.client).withPassword(.ada)
        let counting = ClientFixture(Self.logIn)
        _ = try LogIn(counting.client).withPassword(Credentials(login: "ada", password: Secret(" x ")))
        #expect(!(inside.steps + counting.steps).contains { $0.hasPrefix("warning") })
    }

    // MARK: - What to look at

    @Test func `a server that is none is asked for where its kind is usually mounted`() throws {
        let fixture = ClientFixture.atSite(.logIn(.failure(AuthError(.wrongEndpoint, "no"))))
        let error = try failure { _ = try LogIn(fixture.client).withPassword(.ada) }
        #expect(
            error.hints
                == ["is its URL right, with the path of the API, such as /accounts/api? it comes from --server"])
    }

    @Test func `a Facebook identity whose address has an account is linked by its owner`() throws {
        let taken = AuthError(.emailTaken, "an account has that e-mail", next: "the backend's words")
        let fixture = ClientFixture.atSite(
            .logInFacebook(.failure(taken)), profile: Setting("ci", from: .option("--profile")))
        let error = try failure {
            _ = try LogInWithFacebook(fixture.client).run(
                FacebookCredential(.given(.accessToken(Secret("EAAB"))), id: "1003"), fills: false)
        }
        #expect(error.outcome.exitCode == 6)
        #expect(error.message == "cannot log in with Facebook: an account has that e-mail")
        #expect(
            error.hints == [
                "is that account yours? log in to it: authctl login USERNAME",
                "then link it: authctl link-facebook --token-file FILE --facebook-id 1003",
            ])
    }
}
