import CommandTestSupport

@testable import AuthBackends

@Suite struct AllauthIdentityTests {
    static let identity = IdentityCredential(.facebook, .accessToken(Secret("fb-token")))
    static let done = AllauthSample.done(token: nil)
    static let noFacebook = Exchange.allauth("GET config", 200, AllauthSample.site(methods: "", facebook: nil))

    // MARK: - Login

    private static func logIn(_ status: Int, _ answer: String) -> Exchange { .allauthFacebook("login", status, answer) }

    @Test func `an allauth Facebook login sends the client id of the site's Facebook app`() throws {
        let backend = AllauthBackend.replaying(.allauthSite, Self.logIn(200, AllauthSample.done(token: "s1")))
        // The site does not report whether it created the account.
        let logIn = NewSession(user: .allauthSeven, session: .allauth, createdAccount: nil)
        try expect(backend.logIn(Self.identity), Reply(.session(logIn)))
    }

    @Test func `no Facebook token is sent to an allauth site without a Facebook provider`() throws {
        let error = try failure { _ = try AllauthBackend.replaying(Self.noFacebook).logIn(Self.identity) }
        error.expectMessage(in: "backends/allauth")
    }

    /// Begins a login that the site interrupts, and sends what is pending.
    private func signUp(_ emails: String, _ answers: (Int, String)...) throws -> NewSession {
        let user = #"{"display":"user","username":"ada"}"#
        let answer = #"{"status":200,"data":{"user":\#(user),"email":\#(emails)}}"#
        let posts = answers.map {
            Exchange.allauth(
                "POST auth/provider/signup", sending: #"{"email":"a@b.c","username":"ada"}"#, as: .token("p1"), $0, $1)
        }
        let exchanges: [Exchange] = [
            .allauthSite, Self.logIn(401, AllauthSample.pending("provider_signup")),
            .allauth("GET auth/provider/signup", as: .token("p1"), 200, answer),
        ]
        return try AllauthBackend.replaying(exchanges + posts).logIn(Self.identity).value.session()
    }

    private static let emails = #"[{"email":"a@b.c","verified":false,"primary":true}]"#

    /// Source: django-allauth 65.21.1 with `SOCIALACCOUNT_AUTO_SIGNUP` off.
    @Test func `an interrupted Facebook signup is finished with the provider's e-mail and username`() throws {
        let new = try signUp(Self.emails, (200, AllauthSample.done(token: "s1")))
        #expect(new.session == .allauth && new.createdAccount == true)
    }

    @Test func `the error about an interrupted Facebook signup reports a missing or taken e-mail address`() throws {
        let missing = try failure { _ = try signUp("[]") }
        expect(missing.reason, .invalidFields)
        missing.expectMessage(in: "backends/allauth", "no address")
        let taken = try failure { _ = try signUp(Self.emails, (400, AllauthSample.fault("email_taken", "email"))) }
        expect(taken.reason, .emailTaken)
        taken.expectMessage(in: "backends/allauth", "a taken address")
    }

    private static func factor(_ status: Int, _ answer: String) -> Exchange {
        .allauth("POST auth/2fa/authenticate", sending: #"{"code":"123456"}"#, as: .token("p1"), status, answer)
    }

    @Test func `a one-time code completes an allauth Facebook login; the Facebook token is not sent again`() throws {
        let backend = AllauthBackend.replaying(
            .allauthSite, Self.logIn(401, AllauthSample.pending("mfa_authenticate")),
            .allauthUser(as: .token("p1"), 401, AllauthSample.pending("mfa_authenticate")),
            Self.factor(200, AllauthSample.done(token: "s1")))
        let pending = try #require(try backend.logIn(Self.identity).value.pending)
        expect(pending.step, .secondFactor)
        let reply = try backend.resume(try #require(pending.token), code: Secret("123456"))
        expect(reply, Reply(.session(NewSession(user: .allauthSeven, session: .allauth))))
    }

    // MARK: - Link

    @Test func `Facebook login and linking are unsupported on an allauth site without social accounts`() throws {
        let backend = AllauthBackend.replaying(
            .allauthSite, Self.logIn(404, "<html>"),
            .allauth("GET account/providers", as: .token("s1"), 404, "<html>"))
        try expect(failure { _ = try backend.logIn(Self.identity) }.reason, .unsupported)
        try expect(failure { _ = try backend.link(Self.identity, to: .allauthOld) }.reason, .unsupported)
    }

    // MARK: - Unlink

    private static let user = Exchange.allauthUser(as: .token("s1"), 200, done)

    private static func disconnect(_ id: String, _ status: Int, _ answer: String) -> Exchange {
        .allauth(
            "DELETE account/providers", sending: #"{"provider":"facebook","account":"\#(id)"}"#, as: .token("s1"),
            status,
            answer)
    }

    @Test func `an allauth unlink disconnects every Facebook identity and tolerates an identity already unlinked`()
        throws
    {
        let backend = AllauthBackend.replaying(
            Self.user, .allauthProviders("1001", "1005"),
            Self.disconnect("1001", 400, AllauthSample.fault("account_not_found")),
            Self.disconnect("1005", 200, #"{"status":200,"data":[]}"#))
        let change = try backend.unlink(.facebook, from: .allauthOld).value
        expect(change.before, .linked(ids: ["1001", "1005"]))
        expect(change.after, .none)
        expect(change.user.providers, ["google"])
    }

    @Test func `the last login method of an allauth account cannot be unlinked`() throws {
        let backend = AllauthBackend.replaying(
            Self.user, .allauthProviders("1001"), Self.disconnect("1001", 400, AllauthSample.fault("no_password")))
        try failure { try backend.unlink(.facebook, from: .allauthOld) }.expectMessage(in: "backends/allauth")
    }

    @Test func `a Facebook ID token is sent to allauth in the id_token member`() throws {
        let identity = IdentityCredential(.facebook, id: "1003", .idToken(Secret("a.b.c")))
        for process in ["login", "connect"] {
            let body =
                #"{"provider":"facebook","process":"\#(process)","#
                + #""token":{"client_id":"fbapp","id_token":"a.b.c"}}"#
            let isLogIn = process == "login"
            let request = Exchange.allauth(
                "POST auth/provider/token", sending: body, as: isLogIn ? .anonymous : .token("s1"), 200,
                AllauthSample.done(token: isLogIn ? "s1" : nil))
            if isLogIn {
                let backend = AllauthBackend.replaying(.allauthSite, request)
                try expect(backend.logIn(identity).value.session().session, .allauth)
            } else {
                let backend = AllauthBackend.replaying(
                    .allauthProviders(), .allauthSite, request, .allauthProviders("1003"))
                try expect(backend.link(identity, to: .allauthOld).value.hasChanged, true)
            }
        }
    }

    @Test(
        arguments: [
            (#","has_usable_password":true"#, "", true), (#","has_usable_password":false"#, "", false),
            ("", "", nil),
            (
                #","has_usable_password":false"#, #",{"uid":"7","provider":{"id":"google"},"display":"x"}"#, true
            ),
        ] as [(String, String, Bool?)])
    func `allauth reports other linked identities and whether the account has a password`(
        password: String, others: String, isKnown: Bool?
    ) throws {
        let user = #"{"id":7,"display":"ada"\#(password)}"#
        let session = #"{"status":200,"data":{"user":\#(user)},"meta":{"is_authenticated":true}}"#
        let rows = #"{"uid":"1003","provider":{"id":"facebook"},"display":"x"}\#(others)"#
        let backend = AllauthBackend.replaying(
            .allauthUser(as: .token("s1"), 200, session),
            .allauth("GET account/providers", as: .token("s1"), 200, #"{"status":200,"data":[\#(rows)]}"#))
        try expect(backend.identities(of: .allauthOld).value.hasLoginMethod(besides: .facebook), isKnown)
    }
}

extension Exchange {
    static func allauthFacebook(
        _ process: String, as sender: AllauthSender = .anonymous, _ status: Int, _ answer: String
    ) -> Exchange {
        let body =
            #"{"provider":"facebook","process":"\#(process)","#
            + #""token":{"client_id":"fbapp","access_token":"fb-token"}}"#
        return allauth("POST auth/provider/token", sending: body, as: sender, status, answer)
    }

    static func allauthConnect(_ status: Int, _ answer: String) -> Exchange {
        allauthFacebook("connect", as: .token("s1"), status, answer)
    }
}
