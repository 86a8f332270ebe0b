import CommandTestSupport

@testable import AuthBackends

@Suite struct AllauthSignUpTests {
    static let body = #"{"username":"ada","email":"ada@example.org","password":"secret"}"#
    static let account = NewAccount(username: "ada", email: "ada@example.org", password: Secret("secret"))
    static let known = User(username: "ada", email: "ada@example.org")

    private func signUp(_ status: Int, _ answer: String) throws -> Reply<SignUpOutcome> {
        let exchange = Exchange.allauth("POST auth/signup", sending: Self.body, status, answer)
        return try AllauthBackend.replaying(exchange).signUp(Self.account)
    }

    @Test func `an allauth signup sends the e-mail, password and fields unchanged`() throws {
        let body = #"{"age":3,"email":" A@b.c ","password":"  sécret\n"}"#
        let backend = AllauthBackend.replaying(
            .allauth("POST auth/signup", sending: body, 200, AllauthSample.done(token: "s1")))
        let account = NewAccount(username: nil, email: " A@b.c ", password: Secret("  sécret\n"), fields: ["age": 3])
        #expect(throws: Never.self) { try backend.signUp(account) }
    }

    @Test(arguments: [("login_by_code", Pending.Step.logInCode), ("verify_phone", .phoneVerification)])
    func `an allauth signup that waits for a code has created the account`(flow: String, step: Pending.Step) throws {
        let pending = Pending(step, token: Secret("p1"))
        try expect(signUp(401, AllauthSample.pending(flow)), Reply(.waits(pending, Self.known)))
    }

    @Test func `an allauth signup sends a phone number, and the e-mail twice if the site requires that`() throws {
        let first = #"{"email":"a@b.example","phone":"+3161","password":"secret"}"#
        let second = #"{"email2":"a@b.example","email":"a@b.example","phone":"+3161","password":"secret"}"#
        let backend = AllauthBackend.replaying(
            .allauth("POST auth/signup", sending: first, 400, AllauthSample.fault("required", "email2")),
            .allauth("POST auth/signup", sending: second, 200, AllauthSample.done(token: "s1")))
        let account = NewAccount(username: nil, email: "a@b.example", phone: "+3161", password: Secret("secret"))
        #expect(throws: Never.self) { try backend.signUp(account) }
    }

    @Test(arguments: [(true, false), (false, true)])
    func `an allauth signup tells whether the site has set the password`(isUsable: Bool, lacks: Bool) throws {
        let answer = AllauthSample.done(token: "s1").replacing("word\":true", with: "word\":\(isUsable)")
        let outcome = try signUp(200, answer).value
        guard case .session(let new) = outcome else {
            Issue.record("no session")
            return
        }
        expect(new.lacksPassword, lacks)
    }

    @Test func `an allauth session is reauthenticated with the password`() throws {
        let body = #"{"password":"secret"}"#
        let backend = AllauthBackend.replaying(
            .allauth("POST auth/reauthenticate", sending: body, as: .token("s1"), 200, AllauthSample.done(token: nil)),
            .allauth(
                "POST auth/reauthenticate", sending: body, as: .token("s1"), 400,
                AllauthSample.fault("incorrect_password", "password")))
        #expect(throws: Never.self) { try backend.prove(Secret("secret"), of: User(), .allauth) }
        try expect(
            failure { try backend.prove(Secret("secret"), of: User(), .allauth) }.reason, .wrongPassword)
    }

    /// Source: django-allauth 65.21.1 with `JWTTokenStrategy`, and with subclasses of `SessionTokenStrategy` that create
    /// simplejwt's tokens.
    @Test(
        arguments: [
            (AllauthSample.access, AllauthSample.refresh), (RestAuthSample.access, RestAuthSample.refresh),
            (RestAuthSample.access, nil),
        ] as [(String, String?)])
    func `an allauth session has the session token, and for the rest of the site the access token`(
        access: String, refresh: String?
    ) throws {
        var session = Session.allauth
        session.accessToken = Secret(access)
        (session.refreshToken, session.expiresAt) = (refresh.map { Secret($0) }, .sampleNow.adding(.seconds(300)))
        let logIn = NewSession(user: .allauthSeven, session: session, createdAccount: true)
        let meta = #","session_token":"s1","access_token":"\#(access)""#
        let answer = AllauthSample.done(meta: meta + (refresh.map { #","refresh_token":"\#($0)""# } ?? ""))
        try expect(signUp(200, answer), Reply(.session(logIn)))
        let backend = AllauthBackend.replaying(
            .allauthUser(as: .token("s1"), 200, AllauthSample.done(token: nil)),
            .allauth("DELETE auth/session", as: .token("s1"), 401, AllauthSample.notLoggedIn))
        expect(backend.headers(of: session).session.value, "Bearer \(access)")
        #expect(throws: Never.self) { try backend.currentUser(session) }
        try expect(backend.logOut(session).value, .yes)
    }

    @Test func `a 401 response outside of allauth suggests the setting tokenScheme unless the profile has it`() throws {
        var session = Session.allauth
        session.accessToken = Secret(AllauthSample.access)
        for scheme in [nil, "JWT"] {
            let transport = ReplayingTransport()
            transport.expect(
                Exchange(
                    """
                    GET https://a.example/api/items/
                    Accept: */*
                    Authorization: \(scheme ?? "Bearer") \(AllauthSample.access)
                    """, 401, #"{"detail":"No."}"#))
            let backend = AllauthBackend(
                endpoints: AllauthEndpoints(base: AllauthSample.base, tokenScheme: scheme),
                server: .replaying(transport, base: AllauthSample.base))
            let request = HTTPRequest(.get, "https://a.example/api/items/")
            let steps = try #require(backend.send(request, below: nil, with: session).value.error).nextSteps
            expect((steps.first == .setScheme), (scheme == nil))
        }
    }

    @Test
    func `a key of Django REST framework as allauth's access token has the word Token, or the word in the profile`() {
        var session = Session.allauth
        session.accessToken = Secret("0a1b")
        var endpoints = AllauthEndpoints(base: AllauthSample.base)
        expect(endpoints.headersOutside(of: session).session.value, "Token 0a1b")
        endpoints.tokenScheme = "Key"
        expect(endpoints.headersOutside(of: session).session.value, "Key 0a1b")
        #expect(endpoints.headers(of: .allauthJWT).session.value.hasPrefix("Key "))
    }

    @Test(arguments: [Secret("p1"), nil])
    func `pending e-mail verification does not prove that an allauth signup created an account`(token: Secret?) throws {
        let answer = AllauthSample.pending("verify_email", token: token?.reveal())
        let pending = Pending(.emailVerification, token: token, isCertain: false)
        try expect(signUp(401, answer), Reply(.waits(pending, Self.known)))
    }

    @Test(arguments: [
        (401, AllauthSample.notLoggedIn), (401, AllauthSample.pending("approval")),
        (200, AllauthSample.done(token: nil)),
        (200, #"{"status":200}"#), (200, AllauthSample.done(token: "no token")),
    ])
    func `if an allauth signup returns no session and no pending verification, the account was created`(
        status: Int, answer: String
    ) throws {
        try expect(signUp(status, answer), Reply(.created(Self.known)))
    }

    @Test func `all invalid fields of an allauth signup are reported with their errors`() throws {
        let answer =
            #"{"status":400,"errors":[{"message":"A.","code":"invalid","param":"username"},"#
            + #"{"message":"B.","code":"email_taken","param":"email"},{"message":"C.","code":"x"}]}"#
        let error = try failure { _ = try signUp(400, answer) }
        error.expectMessage(in: "backends/allauth")
        #expect(
            error.fields == [
                FieldFault("username", "A.", isServerText: true), FieldFault("email", "B.", isServerText: true),
            ])
        expect(error.server, ServerDetail(status: 400, code: "invalid", message: "A."))
    }
}
