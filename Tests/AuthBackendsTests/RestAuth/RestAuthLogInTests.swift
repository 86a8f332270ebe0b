import CommandTestSupport

@testable import AuthBackends

@Suite struct RestAuthLogInTests {
    static let byName = #"{"username":"ada","password":"secret"}"#
    static let byAddress = #"{"username":"ada@home","password":"secret"}"#
    static let byEmail = #"{"email":"ada@home","password":"secret"}"#
    static let emailFault = #"{"email":["Enter a valid email address."]}"#

    /// Sites may have custom exception handlers that send errors in Kii's or Parse's format.
    @Test(arguments: [
        (401, #"{"errorCode":"INVALID_CREDENTIALS","message":"no"}"#),
        (400, #"{"code":400,"error":"Unable to log in with provided credentials."}"#),
    ])
    func `a rest-auth login error in Kii's or Parse's format is not a wrong endpoint`(status: Int, body: String)
        throws
    {
        let backend = RestAuthBackend.replaying(.post("login/", Self.byName, status, body))
        let error = try failure { _ = try backend.logIn(.typed("ada")) }
        #expect(error.reason != .wrongEndpoint)
    }

    @Test func `a rest-auth user has the extra members of the response, except secrets`() throws {
        let backend = RestAuthBackend.replaying(
            .get(
                "user/", as: "Token 0a1b", 200,
                #"{"id":"6f1c","username":"","email":"a@b.example","key":"k","password":"p","_x":1,"age":3}"#))
        let user = User(id: "6f1c", email: "a@b.example", fields: ["_x": 1, "age": 3])
        try expect(backend.currentUser(.key), Reply(user))
    }

    @Test func `a rest-auth login that returns a key requests the current user`() throws {
        let backend = RestAuthBackend.replaying(.post("login/", Self.byName, 200, RestAuthSample.key), .keyUser)
        try expect(backend.logIn(.typed("ada")), Reply(.session(NewSession(user: .seven, session: .key))))
    }

    @Test func `a rest-auth login accepts a response with JWTs and the user`() throws {
        let backend = RestAuthBackend.replaying(
            .post("login/", Self.byName, 200, RestAuthSample.pair), .restAuthJWTUser)
        try expect(backend.logIn(.typed("ada")), Reply(.session(NewSession(user: .seven, session: .restAuthJWT))))
    }

    /// Sources: dj-rest-auth 2.2.8 with `REST_USE_JWT`; dj-rest-auth 7.2.0 with a wrapping view; other JWT packages.
    @Test(arguments: [
        #"{"access_token":"\#(RestAuthSample.access)","refresh_token":"\#(RestAuthSample.refresh)",$}"#,
        #"{"status":"success","data":{"access":"\#(RestAuthSample.access)","refresh":"\#(RestAuthSample.refresh)",$}}"#,
        #"{"tokens":{"access":"\#(RestAuthSample.access)","refresh":"\#(RestAuthSample.refresh)"},$}"#,
        #"{"token":{"access":"\#(RestAuthSample.access)","refresh":"\#(RestAuthSample.refresh)"},$}"#,
        #"{"accessToken":"\#(RestAuthSample.access)","refreshToken":"\#(RestAuthSample.refresh)",$}"#,
        #"{"renewal":"\#(RestAuthSample.refresh)","ticket":"\#(RestAuthSample.access)",$}"#,
    ])
    func `a rest-auth login and signup find JWTs under other names and in wrapped responses`(answer: String) throws {
        let answer = answer.replacing("$", with: #""user":\#(RestAuthSample.user)"#)
        let backend = RestAuthBackend.replaying(
            .post("login/", Self.byName, 200, answer), .restAuthJWTUser,
            .post("registration/", RestAuthSignUpTests.body, 201, answer), .restAuthJWTUser)
        let session = Session.restAuthJWT
        try expect(backend.logIn(.typed("ada")), Reply(.session(NewSession(user: .seven, session: session))))
        let new = NewSession(user: .seven, session: session, createdAccount: true)
        try expect(backend.signUp(RestAuthSignUpTests.account), Reply(.session(new)))
    }

    /// Sources: dj-rest-auth 7.2.0 with a `TOKEN_SERIALIZER` and with a wrapping view; django-rest-knox; djoser.
    @Test(arguments: [
        #"{"token":"0a1b"}"#, #"{"auth_token":"0a1b"}"#, #"{"authToken":"0a1b"}"#, #"{"token":null,"key":"0a1b"}"#,
        #"{"status":"success","data":{"key":"0a1b"}}"#,
        #"{"token":"0a1b","user":{"groups":[]}}"#, #"{"key":"0a1b","mfa_required":false}"#,
    ])
    func `a rest-auth login finds a key under other names and in wrapped responses`(answer: String) throws {
        let backend = RestAuthBackend.replaying(.post("login/", Self.byName, 200, answer), .keyUser)
        try expect(backend.logIn(.typed("ada")), Reply(.session(NewSession(user: .seven, session: .key))))
    }

    @Test func `the error for a rest-auth login response without a known token names its members`() throws {
        let backend = RestAuthBackend.replaying(
            .post("login/", Self.byName, 200, #"{"ticket":"d42c16dc","plan":"free"}"#))
        try failure { try backend.logIn(.typed("ada")) }.expectMessage(in: "backends/rest-auth")
    }

    @Test func `a rest-auth login with JWTs but no user in the response requests the user`() throws {
        let answer = #"{"access":"\#(RestAuthSample.otherAccess)","refresh":""}"#
        let backend = RestAuthBackend.replaying(
            .post("login/", Self.byName, 200, answer),
            .get("user/", as: "Bearer \(RestAuthSample.otherAccess)", 200, RestAuthSample.user))
        let logIn = try #require(try backend.logIn(.typed("ada")).value.session)
        expect(logIn.user, .seven)
        expect(logIn.session.refreshToken, nil)
    }

    /// Source of the cookie names except `jwt`: the exchange `jwt-cookie/login-ok` in `Tests/Exchanges`.
    @Test(arguments: [
        ("access", "refresh=\(RestAuthSample.refresh); HttpOnly; Path=/"),
        ("access", "jwt=\"\(RestAuthSample.refresh)\""),
        ("access_token", "my-refresh-token=\(RestAuthSample.refresh); HttpOnly"),
    ])
    func `a rest-auth login takes the refresh token from a cookie if the body has none`(
        name: String, cookie: String
    ) throws {
        let cookies = ["auth=\(RestAuthSample.access); HttpOnly", cookie, "csrftoken=a.b.c; Path=/", "sessionid"]
        let backend = RestAuthBackend.replaying(
            .post(
                "login/", Self.byName, 200,
                #"{"\#(name)":"\#(RestAuthSample.access)","refresh_token":"","user":\#(RestAuthSample.user)}"#,
                headers: HTTPHeaders(cookies.map { .init(name: "Set-Cookie", value: $0) })), .restAuthJWTUser)
        var session = Session.restAuthJWT
        let name = try #require(cookie.split(separator: "=").first)
        var expected = Cookie(String(name), Secret(""), domain: "a.example")
        (expected.path, expected.isHTTPOnly) = cookie.contains("Path") ? ("/", true) : ("/auth/login", name != "jwt")
        session.refreshCookie = expected
        session.accessCookie = Cookie("auth", Secret(""), domain: "a.example")
        session.accessCookie?.path = "/auth/login"
        try expect(backend.logIn(.typed("ada")), Reply(.session(NewSession(user: .seven, session: session))))
    }

    /// Source of the first text: dj-rest-auth 7.2 with `ACCOUNT_LOGIN_METHODS = {"email"}`; of the others: the same site in
    /// German and French, and a serializer without a username.
    @Test(arguments: [
        #"{"non_field_errors":["Must include \"email\" and \"password\"."]}"#,
        #"{"non_field_errors":["Die angegebenen Zugangsdaten stimmen nicht."]}"#,
        #"{"non_field_errors":["Doit inclure \"email\" et \"mot de passe\"."]}"#,
        #"{"email":["This field is required."]}"#, #"{"username":["Enter a valid name."]}"#,
    ])
    func `a rest-auth login sends a name with an @ as username, and as e-mail if the site may take only that`(
        refusal: String
    ) throws {
        let backend = RestAuthBackend.replaying(
            .post("login/", Self.byAddress, 400, refusal), .post("login/", Self.byEmail, 200, RestAuthSample.pair),
            .restAuthJWTUser, .post("login/", Self.byEmail, 200, RestAuthSample.pair), .restAuthJWTUser)
        for _ in 1...2 {
            let logIn = try #require(try backend.logIn(.typed("ada@home")).value.session)
            expect(logIn.session.loginName, .email("ada@home"))
        }
    }

    @Test func `a rest-auth login sends a name as e-mail first if the last login with it did`() throws {
        let credentials = Credentials(login: "ada@home", password: Secret("secret"), known: .email("ada@home"))
        let backend = RestAuthBackend.replaying(
            .post("login/", Self.byEmail, 400, Self.wrong), .post("login/", Self.byAddress, 200, RestAuthSample.pair),
            .restAuthJWTUser)
        try expect(backend.logIn(credentials).value.session?.session.loginName, .username("ada@home"))
    }

    static let wrong = #"{"non_field_errors":["Unable to log in with provided credentials."]}"#

    @Test func `a rest-auth login is repeated neither after a wrong password nor for a name without an @`() throws {
        let backend = RestAuthBackend.replaying(
            .post("login/", Self.byAddress, 400, Self.wrong), .get("registration/", 405, Self.notAllowed),
            .post("login/", Self.byName, 400, Self.emailFault),
            .post("login/", Self.byAddress, 400, #"{"non_field_errors":["E-mail is not verified."]}"#),
            .post("login/", Self.byAddress, 500, "<html>"))
        try expect(failure { _ = try backend.logIn(.typed("ada@home")) }.reason, .wrongPassword)
        try expect(failure { _ = try backend.logIn(.typed("ada")) }.reason, .invalidFields)
        try expect(backend.logIn(.typed("ada@home")).value.pending?.step, .emailVerification)
        try expect(failure { _ = try backend.logIn(.typed("ada@home")) }.reason, .serverFault)
    }

    private static let notAllowed = #"{"detail":"Method \"GET\" not allowed."}"#

    /// Source: dj-rest-auth 7.2, `LoginSerializer.get_auth_user_using_orm`.
    @Test func `a rest-auth site without allauth, which looks up addresses only as e-mail, gets the name as e-mail`()
        throws
    {
        let backend = RestAuthBackend.replaying(
            .post("login/", Self.byAddress, 400, Self.wrong), .get("registration/", 404, "<html>"),
            .post("login/", Self.byEmail, 200, RestAuthSample.pair), .restAuthJWTUser)
        #expect(throws: Never.self) { try backend.logIn(.typed("ada@home")) }
    }

    @Test func `a rest-auth login by an alias returns the user whom the site names, and keeps the alias`() throws {
        let backend = RestAuthBackend.replaying(
            .post("login/", #"{"username":"e1042","password":"secret"}"#, 200, RestAuthSample.key), .keyUser)
        var session = Session.key
        session.loginName = .username("e1042")
        try expect(backend.logIn(.typed("e1042")), Reply(.session(NewSession(user: .seven, session: session))))
    }

    @Test(arguments: [
        (#"{"first_name":"","last_name":""}"#, nil), (#"{"user":{"pk":7,"username":"ada"},"roles":["editor"]}"#, "ada"),
        (#"{"name":"","url":"/api/users/ada/"}"#, nil),
    ])
    func `a user view without the usual members shows that the rest-auth session is valid`(
        answer: String, username: String?
    ) throws {
        let view = Exchange.get("user/", as: "Token 0a1b", 200, answer)
        let backend = RestAuthBackend.replaying(
            view, .post("login/", Self.byName, 200, RestAuthSample.key), view,
            .get("user/", as: "Token 0a1b", 200, "{}"))
        try expect(backend.currentUser(.key).value.username, username)
        let logIn = try #require(try backend.logIn(.typed("ada")).value.session)
        expect(logIn.user.username, "ada")
        expect(logIn.session.loginName, (username == nil ? .username("ada") : nil))
        try expect(failure { try backend.currentUser(.key) }.reason, .invalidResponse)
    }

    /// Source: django-rest-knox 5.1, `LoginView`.
    @Test func `a rest-auth login reads the expiry of a key`() throws {
        let backend = RestAuthBackend.replaying(
            .post("login/", Self.byName, 200, #"{"expiry":"2026-11-27T05:00:00.5Z","token":"0a1b"}"#), .keyUser)
        let session = try #require(try backend.logIn(.typed("ada")).value.session).session
        expect(session.expiresAt?.text, "2026-11-27T05:00:00Z")
    }

    @Test(arguments: [
        (500, "<html>"), (404, "<html>"), (403, #"{"detail":"Authentication credentials were not provided."}"#),
        (403, #"{"detail":"You do not have permission to perform this action."}"#),
    ])
    func `a rest-auth login keeps the typed name and a doubt if the request for the user fails`(
        status: Int, answer: String
    ) throws {
        let backend = RestAuthBackend.replaying(
            .post("login/", Self.byName, 200, RestAuthSample.key), .get("user/", as: "Token 0a1b", status, answer))
        let logIn = try #require(try backend.logIn(.typed("ada")).value.session)
        expect(logIn.user, User(username: "ada"))
        expect(logIn.session, .key)
        expect(logIn.doubt?.server?.status, status)
        expect((logIn.doubt?.nextSteps == [.setScheme]), (status == 403))
    }

    /// The machines of a site may have different clocks. Source of the response: simplejwt 5.5.1.
    @Test(arguments: [(18, true), (15, true), (14, false), (20, nil)] as [(Int, Bool?)])
    func `a token that is not valid yet by the site's clock is sent again after the difference`(
        second: Int, isAwaited: Bool?
    ) throws {
        func get(_ status: Int, _ answer: String, at second: Int) -> Exchange {
            .get(
                "user/", as: "Bearer \(RestAuthSample.access)", status, answer,
                headers: ["Date": "Tue, 14 Nov 2023 22:13:\(second) GMT", "WWW-Authenticate": "Bearer"])
        }
        let pair = #"{"access":"\#(RestAuthSample.access)"}"#
        let early = #"{"detail":"Given token not valid for any token type","code":"token_not_valid"}"#
        let again = isAwaited == true ? [get(200, RestAuthSample.user, at: 20)] : []
        let backend = RestAuthBackend.replaying(
            atSite: true, [.post("login/", Self.byName, 200, pair), get(401, early, at: second)] + again)
        guard let isAwaited else {
            return try expect(failure { try backend.logIn(.typed("ada")) }.reason, .unsupported)
        }
        let new = try #require(try backend.logIn(.typed("ada")).value.session)
        expect((new.doubt == nil), isAwaited)
        new.doubt?.shown.expectMessage(in: "backends/rest-auth")
        expect(new.doubt?.retryAfter, (isAwaited ? nil : 6))
    }

    /// Source: Django REST framework, `TokenAuthentication.keyword`; simplejwt, `AUTH_HEADER_TYPES`. A site with several
    /// classes names only the word of the first.
    @Test(
        arguments: [
            ("Bearer", "Bearer", 200), (#"JWT realm="api""#, "JWT", 200), (#"Basic realm="x, y", Key"#, "Key", 200),
            ("Bearer, Key", "Key", 200), ("Bearer", "Bearer", 500), ("token", nil, 0), (#"Basic realm="x""#, nil, 0),
            ("Bearer", nil, 0),
        ] as [(String, String?, Int)])
    func `a rest-auth login tries the words that the site names before a token, and keeps the one that works`(
        challenge: String, scheme: String?, status: Int
    ) throws {
        let refused = #"{"detail":"Authentication credentials were not provided."}"#
        func get(_ word: String, _ status: Int) -> Exchange {
            .get(
                "user/", as: "\(word) 0a1b", status, status == 401 ? refused : RestAuthSample.user,
                headers: ["WWW-Authenticate": challenge])
        }
        var exchanges: [Exchange] = [.post("login/", Self.byName, 200, RestAuthSample.key), get("Token", 401)]
        if challenge == "Bearer, Key" || challenge == "Bearer" && scheme == nil { exchanges.append(get("Bearer", 401)) }
        if let scheme { exchanges.append(get(scheme, status)) }
        let backend = RestAuthBackend.replaying(atSite: true, exchanges)
        guard let scheme else {
            try failure { try backend.logIn(.typed("ada")) }.expectMessage(in: "backends/rest-auth")
            return
        }
        let new = try #require(try backend.logIn(.typed("ada")).value.session)
        expect(backend.headers(of: new.session).session.value, "\(scheme) 0a1b")
        expect((new.doubt == nil), (status == 200))
    }

    @Test func `the setting for the word before the token is used in every request of a rest-auth session`() throws {
        let backend = RestAuthBackend.replaying(
            paths: ["tokenScheme": "JWT"], .post("login/", Self.byName, 200, RestAuthSample.key),
            .get("user/", as: "JWT 0a1b", 200, RestAuthSample.user),
            .get("user/", as: "JWT 0a1b", 200, RestAuthSample.user))
        let new = try #require(try backend.logIn(.typed("ada")).value.session)
        try expect(backend.logIn(token: Secret("0a1b")).value.user, .seven)
        expect(backend.headers(of: new.session).scheme, "JWT")
    }

    @Test func `a rest-auth login sends additional fields`() throws {
        let backend = RestAuthBackend.replaying(
            .post("login/", #"{"username":"ada","device_id":"d1","password":"secret"}"#, 200, RestAuthSample.key),
            .keyUser)
        let credentials = Credentials(login: "ada", password: Secret("secret"), fields: ["device_id": "d1"])
        #expect(throws: Never.self) { try backend.logIn(credentials) }
    }

    @Test(arguments: [(204, ""), (200, #"{"detail":"Logged in."}"#), (200, "{}"), (200, RestAuthSample.user)])
    func `a rest-auth login is unsupported if the site uses cookie sessions`(status: Int, answer: String)
        throws
    {
        let backend = RestAuthBackend.replaying(.post("login/", Self.byName, status, answer))
        try failure { try backend.logIn(.typed("ada")) }.expectMessage(in: "backends/rest-auth")
    }

    @Test(arguments: [
        #"{"key":""}"#, #"{"key":"a b"}"#, #"{"key":"a\r\nX: y"}"#, #"{"key":7}"#, #"{"access":null}"#,
        #"{"mfa_required":true}"#, #"{"token":{}}"#, #"["0a1b"]"#, "<html>", "{",
    ])
    func `a malformed rest-auth login response is reported as invalid`(answer: String) throws {
        let backend = RestAuthBackend.replaying(.post("login/", Self.byName, 200, answer))
        try expect(failure { _ = try backend.logIn(.typed("ada")) }.reason, .invalidResponse)
    }

    @Test func `a 401 response of a login view that requires authentication does not mean a wrong password`() throws {
        let backend = RestAuthBackend.replaying(
            .post("login/", Self.byName, 401, #"{"detail":"Authentication credentials were not provided."}"#),
            .post("login/", Self.byName, 401, #"{"detail":"No active account found with the given credentials"}"#))
        try expect(failure { _ = try backend.logIn(.typed("ada")) }.reason, .forbidden)
        try expect(failure { _ = try backend.logIn(.typed("ada")) }.reason, .wrongPassword)
    }
}

@Suite struct RestAuthSecondFactorTests {
    static let pending = Exchange.post(
        "login/", RestAuthLogInTests.byName, 200, #"{"ephemeral_token":"1:x:y","mfa_required":true}"#)
    static let body = #"{"ephemeral_token":"1:x:y","code":"74a4-3c2e"}"#

    @Test func `a rest-auth login with a one-time code returns a session with the issued key`() throws {
        let backend = RestAuthBackend.replaying(
            Self.pending, .post("mfa/verify/", Self.body, 200, RestAuthSample.key), .keyUser)
        let logIn = NewSession(user: .seven, session: .key)
        try expect(backend.logIn(.typed("ada"), code: Secret("74a4-3c2e")), Reply(.session(logIn)))
    }

    @Test func `a rest-auth login with a one-time code uses the second-factor path set in the profile`() throws {
        let backend = RestAuthBackend.replaying(
            paths: ["secondFactorPath": "2fa/"], Self.pending,
            .post("2fa/", Self.body, 200, RestAuthSample.pair), .restAuthJWTUser)
        let logIn = NewSession(user: .seven, session: .restAuthJWT)
        try expect(backend.logIn(.typed("ada"), code: Secret("74a4-3c2e")), Reply(.session(logIn)))
    }
}
