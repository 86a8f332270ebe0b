import AuthClient
import AuthModel
import CommandTestSupport
import Testing

/// Who somebody is at Facebook, found out before the server is asked.
@Suite struct FacebookIdentificationTests {
    static let token = FacebookIdentity.Proof.accessToken(Secret("EAAB"))
    static let idToken = FacebookIdentity.Proof.idToken(Secret("a.b.c"))
    static let app = ["facebookAppId": "1000"]
    static let appAndToken = ["facebookAppId": "1000", "facebookClientToken": "abc"]
    static let ada = FacebookProfile(id: "1003", name: "Ada L")
    static let noRoute = AuthError(.connect, "no route")
    static let needsID = FacebookTraits(needsID: true, takesIDTokens: true)
    static let loggedIn = FakeBackend.Step.logInFacebook(
        .success(NewSession(user: LinkFacebookTests.linkedUser, session: .new)))
    static let linked = FakeBackend.Step.linkFacebook(
        .success(LinkFacebookTests.change(from: .none, to: .linked(id: "1003"))))

    private static func given(_ proof: FacebookIdentity.Proof, id: String? = nil) -> FacebookCredential {
        FacebookCredential(.given(proof), id: id)
    }

    /// The steps after a log-in made sure of its place, before the session is kept.
    private static func asked(_ fixture: ClientFixture) -> [String] {
        fixture.steps.filter { !$0.hasPrefix("store: ") }
    }

    // MARK: - Which app

    @Test func `a token of another app is refused before the server is asked`() throws {
        for isLogIn in [true, false] {
            let fixture = ClientFixture.withFacebook(
                facebook: [.appID(.success("2000"))], known: Self.app, stored: .ada)
            let credential = Self.given(Self.token, id: "1003")
            let error = try failure {
                if isLogIn {
                    _ = try LogInWithFacebook(fixture.client).run(credential, fills: false)
                } else {
                    _ = try LinkFacebook(fixture.client).run(credential, fills: false)
                }
            }
            let failed = isLogIn ? "cannot log in with Facebook" : "cannot link the Facebook identity"
            #expect(error.reason == .tokenRefused)
            #expect(
                error.message
                    == "\(failed): the token is of Facebook app '2000', and the server takes those of '1000'")
            #expect(error.hints == ["get one from app '1000'"])
            #expect(Self.asked(fixture) == ["facebook: app of EAAB"])
        }
    }

    @Test func `a token that Facebook refuses is not sent to the server`() throws {
        let refusal = AuthError(.tokenRefused, "Facebook refuses the token")
        let fixture = ClientFixture.withFacebook(facebook: [.appID(.failure(refusal))], known: Self.app)
        let error = try failure {
            _ = try LogInWithFacebook(fixture.client).run(Self.given(Self.token, id: "1003"), fills: false)
        }
        #expect(error == refusal.explaining("cannot log in with Facebook"))
        #expect(Self.asked(fixture) == ["facebook: app of EAAB"])
    }

    @Test func `where Facebook cannot be asked the server finds out, and somebody is warned`() throws {
        let fixture = ClientFixture.withFacebook(
            Self.loggedIn, facebook: [.appID(.failure(Self.noRoute))], known: Self.app)
        _ = try LogInWithFacebook(fixture.client).run(Self.given(Self.token, id: "1003"), fills: false)
        #expect(
            Self.asked(fixture) == [
                "facebook: app of EAAB",
                "warning: whether the token is of Facebook app '1000' could not be found out: no route",
                "backend: logIn by Facebook 1003 EAAB",
            ])
    }

    @Test func `where no app is known Facebook is not asked for it`() throws {
        let fixture = ClientFixture.withFacebook(Self.loggedIn)
        _ = try LogInWithFacebook(fixture.client).run(Self.given(Self.token), fills: false)
        #expect(Self.asked(fixture) == ["backend: logIn by Facebook somebody EAAB"])
    }

    @Test func `the accounts on this machine want to be told the app`() throws {
        let fixture = ClientFixture.withFacebook(takesServer: false)
        let error = try failure { _ = try LogInWithFacebook(fixture.client).run(Self.given(Self.token), fills: false) }
        #expect(error.outcome.exitCode == 10)
        #expect(error.hints == ["name it: authctl profile set default facebookAppId ID"])
        #expect(Self.asked(fixture) == [])
    }

    // MARK: - Whose token

    @Test func `the id is asked for where the server wants it`() throws {
        let fixture = ClientFixture.withFacebook(
            Self.loggedIn, facebook: [.profile(.success(Self.ada)), .appID(.success("1000"))], known: Self.app,
            traits: Self.needsID)
        _ = try LogInWithFacebook(fixture.client).run(Self.given(Self.token), fills: false)
        #expect(
            Self.asked(fixture) == [
                "facebook: profile of EAAB", "facebook: app of EAAB", "backend: logIn by Facebook 1003 EAAB",
            ])
    }

    @Test func `the id can be given where Facebook does not tell it`() throws {
        let fixture = ClientFixture.withFacebook(
            facebook: [.profile(.failure(Self.noRoute))], known: Self.app, traits: Self.needsID)
        let error = try failure { _ = try LogInWithFacebook(fixture.client).run(Self.given(Self.token), fills: false) }
        #expect(error.reason == .connect)
        #expect(error.message == "cannot log in with Facebook: Facebook did not tell whose token it is: no route")
        #expect(error.hints == ["give the id of its user with --facebook-id ID"])
        #expect(Self.asked(fixture) == ["facebook: profile of EAAB"])
    }

    @Test func `where Facebook cannot be asked its own advice is kept`() throws {
        let busy = AuthError(.serverFault, "Facebook failed", next: "try again in some minutes")
        let fixture = ClientFixture.withFacebook(
            facebook: [.profile(.failure(busy))], known: Self.app, traits: Self.needsID)
        let error = try failure { _ = try LogInWithFacebook(fixture.client).run(Self.given(Self.token), fills: false) }
        #expect(error.hints == ["try again in some minutes", "give the id of its user with --facebook-id ID"])
    }

    @Test func `a refused token needs no id`() throws {
        let refusal = AuthError(.tokenRefused, "Facebook refuses the token", next: "get a new one")
        let fixture = ClientFixture.withFacebook(facebook: [.profile(.failure(refusal))], traits: Self.needsID)
        let error = try failure { _ = try LogInWithFacebook(fixture.client).run(Self.given(Self.token), fills: false) }
        #expect(error == refusal.explaining("cannot log in with Facebook"))
    }

    @Test func `a token of somebody else than was said is refused`() throws {
        for (proof, step) in [
            (Self.token, FakeFacebook.Step.profile(.success(Self.ada))),
            (Self.idToken, .claims(.success(FacebookClaims(appIDs: [], profile: Self.ada)))),
        ] {
            let fixture = ClientFixture.withFacebook(facebook: [step])
            let error = try failure {
                _ = try LogInWithFacebook(fixture.client).run(Self.given(proof, id: "7"), fills: true)
            }
            #expect(error.reason == .tokenRefused)
            #expect(
                error.message
                    == "cannot log in with Facebook: the token is of Facebook user '1003', not of '7'")
            #expect(error.hints == ["leave --facebook-id out"])
        }
    }

    // MARK: - Tokens of Limited Login

    @Test func `an ID token is refused where the server takes none, before anything is asked`() throws {
        let traits = FacebookTraits(needsID: true, takesIDTokens: false)
        let fixture = ClientFixture.withFacebook(known: Self.app, traits: traits, stored: .ada)
        for error in [
            try failure { _ = try LogInWithFacebook(fixture.client).run(Self.given(Self.idToken), fills: true) },
            try failure { _ = try LinkFacebook(fixture.client).run(Self.given(Self.idToken), fills: true) },
        ] {
            #expect(error.outcome.exitCode == 10)
            #expect(error.message.hasSuffix(": backend 'local' takes no tokens of Facebook's Limited Login"))
            #expect(error.hints == ["give an access token instead"])
        }
        #expect(Self.asked(fixture) == [])
    }

    @Test func `an ID token says itself whose it is and for which app`() throws {
        let claims = FacebookClaims(appIDs: ["5", "1000"], profile: Self.ada)
        let fixture = ClientFixture.withFacebook(
            Self.linked, facebook: [.claims(.success(claims))], known: Self.app, traits: Self.needsID, stored: .ada)
        _ = try LinkFacebook(fixture.client).run(Self.given(Self.idToken), fills: false)
        #expect(
            Self.asked(fixture) == [
                "facebook: claims of a.b.c", "backend: linkFacebook 1003 ID token a.b.c \(Exchange.adaToken)",
            ])
    }

    @Test func `an ID token for other apps is refused`() throws {
        let claims = FacebookClaims(appIDs: ["5", "6"], profile: Self.ada)
        let fixture = ClientFixture.withFacebook(facebook: [.claims(.success(claims))], known: Self.app)
        let error = try failure {
            _ = try LogInWithFacebook(fixture.client).run(Self.given(Self.idToken), fills: false)
        }
        #expect(
            error.message == "cannot log in with Facebook: the token is of Facebook app '5', '6', and the server takes "
                + "those of '1000'")
    }

    @Test func `what is no ID token is a mistake of whoever gave it`() throws {
        let usage = AuthError(.usage, "what is given is no ID token of Facebook's")
        let fixture = ClientFixture.withFacebook(facebook: [.claims(.failure(usage))])
        #expect(
            try failure { _ = try LogInWithFacebook(fixture.client).run(Self.given(Self.idToken), fills: false) }
                == usage)
    }
}

/// Logging in, and linking, in a browser.
@Suite struct FacebookDeviceTests {
    static let device = FacebookCredential(.device(permissions: []))
    static let code = DeviceCode(
        secret: Secret("long-code"), userCode: "AB12-CD34", verificationURL: "https://www.facebook.com/device",
        completeURL: "https://www.facebook.com/device?user_code=AB12-CD34", lifetime: .seconds(420),
        interval: .seconds(5))
    static let done = [
        FakeFacebook.Step.begin(.success(code)), .progress(.success(.done(token: Secret("EAAB")))),
    ]
    static let shown = "code: AB12-CD34 at https://www.facebook.com/device until 2026-06-01T00:07:00Z"

    @Test func `shows the code, and logs in whoever entered it`() throws {
        let time = VirtualTime()
        let fixture = ClientFixture.withFacebook(
            FacebookIdentificationTests.loggedIn, facebook: Self.done, known: FacebookIdentificationTests.appAndToken,
            time: time)
        _ = try LogInWithFacebook(fixture.client).run(Self.device, fills: false)
        #expect(
            fixture.steps == [
                "store: prepare", "facebook: begin 1000 abc public_profile,email", Self.shown,
                "facebook: progress of long-code 1000", "store: prepare", "backend: logIn by Facebook somebody EAAB",
                "store: save new",
            ])
        #expect(time.waits == [.seconds(5)])
    }

    @Test func `asks for further permissions, each once`() throws {
        let fixture = ClientFixture.withFacebook(
            facebook: [.begin(.failure(.fault))], known: FacebookIdentificationTests.appAndToken)
        let credential = FacebookCredential(.device(permissions: ["user_birthday", "email"]))
        let error = try failure { _ = try LogInWithFacebook(fixture.client).run(credential, fills: false) }
        #expect(error == AuthError.fault.explaining("cannot log in with Facebook"))
        #expect(fixture.steps.last == "facebook: begin 1000 abc public_profile,email,user_birthday")
    }

    @Test func `finds the session alive before it sends anybody to a browser`() throws {
        let token = Exchange.adaToken
        let fixture = ClientFixture.withFacebook(
            .currentUser(.success(.ada)), FacebookIdentificationTests.linked, facebook: Self.done,
            known: FacebookIdentificationTests.appAndToken, stored: .ada)
        _ = try LinkFacebook(fixture.client).run(Self.device, fills: false)
        #expect(
            fixture.steps == [
                "store: prepare", "backend: currentUser \(token)", "facebook: begin 1000 abc public_profile,email",
                Self.shown, "facebook: progress of long-code 1000",
                "backend: linkFacebook somebody EAAB \(token)", "store: update \(token)",
            ])
    }

    @Test func `asks nothing of Facebook with a session that is dead`() throws {
        let fixture = ClientFixture.withFacebook(
            .currentUser(.failure(.dead)), known: FacebookIdentificationTests.appAndToken, stored: .ada)
        let error = try failure { _ = try LinkFacebook(fixture.client).run(Self.device, fills: false) }
        #expect(error.reason == .sessionRevoked)
        #expect(error.hints == ["log in again: authctl login"])
        #expect(fixture.steps == ["store: prepare", "backend: currentUser \(Exchange.adaToken)"])
    }

    static let saveID = "save it in the profile: authctl profile set default facebookAppId ID"
    static let saveToken = "save it in the profile: authctl profile set default facebookClientTokenFile FILE"

    @Test(arguments: [
        (
            [:] as [String: String], "the id and the client token",
            [
                "set them with AUTHCTL_FACEBOOK_APP_ID and AUTHCTL_FACEBOOK_CLIENT_TOKEN", saveID, saveToken,
            ]
        ),
        (
            ["facebookAppId": "1000"], "the client token", ["set it with AUTHCTL_FACEBOOK_CLIENT_TOKEN", saveToken]
        ),
        (["facebookClientToken": "abc"], "the id", ["set it with AUTHCTL_FACEBOOK_APP_ID", saveID]),
    ])
    func `a device login without app id or client token names both ways to set them`(
        known: [String: String], missing: String, steps: [String]
    ) throws {
        let fixture = ClientFixture.withFacebook(known: known)
        let error = try failure { _ = try LogInWithFacebook(fixture.client).run(Self.device, fills: false) }
        #expect(error.outcome.exitCode == 2)
        #expect(error.message == "to log in with Facebook here, \(missing) of the Facebook app must be known")
        #expect(error.hints == steps + ["give a token with --token-stdin or --token-file"])
        #expect(fixture.steps == ["store: prepare"])
    }

    // MARK: - Sites that name their app

    private static func site(_ appID: String?) -> FakeBackend.Step {
        .site(
            .success(
                SiteTraits(takesUsername: true, takesEmail: true, isOpenForSignUp: true, facebookAppID: appID)))
    }

    @Test(arguments: [["facebookClientToken": "abc"], ["facebookClientToken": "abc", "facebookAppId": "1000"]])
    func `uses the app of the site`(known: [String: String]) throws {
        let fixture = ClientFixture.withFacebook(
            Self.site("1000"), FacebookIdentificationTests.loggedIn, facebook: Self.done, known: known,
            making: WaitingBackend.init)
        _ = try LogInWithFacebook(fixture.client).run(Self.device, fills: false)
        #expect(fixture.steps.contains("facebook: begin 1000 abc public_profile,email"))
    }

    @Test func `refuses an app that is not the site's`() throws {
        let fixture = ClientFixture.withFacebook(
            Self.site("2000"), known: FacebookIdentificationTests.appAndToken, making: WaitingBackend.init)
        let error = try failure { _ = try LogInWithFacebook(fixture.client).run(Self.device, fills: false) }
        #expect(error.outcome.exitCode == 2)
        #expect(error.message == "the site takes tokens of Facebook app '2000', and '1000' is named here")
    }

    @Test func `says that a site takes no Facebook identities`() throws {
        let fixture = ClientFixture.withFacebook(
            Self.site(nil), known: FacebookIdentificationTests.appAndToken, making: WaitingBackend.init)
        let error = try failure { _ = try LogInWithFacebook(fixture.client).run(Self.device, fills: false) }
        #expect(error.outcome.exitCode == 10)
        #expect(error.message == "cannot log in with Facebook: the site does not take Facebook identities")
    }
}
