import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

@Suite struct RestAuthLogInTests {
    static let byName = #"{"username":"ada","password":"secret"}"#
    static let byEither = #"{"username":"ada@home","email":"ada@home","password":"secret"}"#
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
        #expect(try backend.currentUser(.key) == Reply(user))
    }

    @Test func `a rest-auth login that returns a key requests the current user`() throws {
        let backend = RestAuthBackend.replaying(.post("login/", Self.byName, 200, RestAuthSample.key), .keyUser)
        #expect(try backend.logIn(.typed("ada")) == Reply(.session(NewSession(user: .seven, session: .key))))
    }

    @Test func `a rest-auth login accepts a response with JWTs and the user`() throws {
        let backend = RestAuthBackend.replaying(.post("login/", Self.byName, 200, RestAuthSample.pair))
        #expect(try backend.logIn(.typed("ada")) == Reply(.session(NewSession(user: .seven, session: .restAuthJWT))))
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
            .post("login/", Self.byName, 200, answer), .post("registration/", RestAuthSignUpTests.body, 201, answer))
        let session = Session.restAuthJWT
        #expect(try backend.logIn(.typed("ada")) == Reply(.session(NewSession(user: .seven, session: session))))
        let new = NewSession(user: .seven, session: session, createdAccount: true)
        #expect(try backend.signUp(RestAuthSignUpTests.account) == Reply(.session(new)))
    }

    /// Sources: dj-rest-auth 7.2.0 with a `TOKEN_SERIALIZER` and with a wrapping view; django-rest-knox; djoser.
    @Test(arguments: [
        #"{"token":"0a1b"}"#, #"{"auth_token":"0a1b"}"#, #"{"authToken":"0a1b"}"#, #"{"token":null,"key":"0a1b"}"#,
        #"{"status":"success","data":{"key":"0a1b"}}"#, #"{"expiry":"2026-11-27T05:00:00Z","token":"0a1b"}"#,
        #"{"token":"0a1b","user":{"groups":[]}}"#, #"{"key":"0a1b","mfa_required":false}"#,
    ])
    func `a rest-auth login finds a key under other names and in wrapped responses`(answer: String) throws {
        let backend = RestAuthBackend.replaying(.post("login/", Self.byName, 200, answer), .keyUser)
        #expect(try backend.logIn(.typed("ada")) == Reply(.session(NewSession(user: .seven, session: .key))))
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
        #expect(logIn.user == .seven)
        #expect(logIn.session.refreshToken == nil)
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
                headers: HTTPHeaders(cookies.map { .init(name: "Set-Cookie", value: $0) })))
        #expect(try backend.logIn(.typed("ada")) == Reply(.session(NewSession(user: .seven, session: .restAuthJWT))))
    }

    @Test func `a rest-auth login sends a name with an @ as username and as e-mail`() throws {
        let backend = RestAuthBackend.replaying(.post("login/", Self.byEither, 200, RestAuthSample.pair))
        #expect(throws: Never.self) { try backend.logIn(.typed("ada@home")) }
    }

    @Test func `if a site rejects a name with an @ as e-mail, a rest-auth login resends it as username only`() throws {
        let backend = RestAuthBackend.replaying(
            .post("login/", Self.byEither, 400, Self.emailFault),
            .post("login/", #"{"username":"ada@home","password":"secret"}"#, 200, RestAuthSample.pair))
        #expect(throws: Never.self) { try backend.logIn(.typed("ada@home")) }
    }

    @Test func `a rest-auth login is repeated neither after a wrong password nor for a name without an @`() throws {
        let wrong = #"{"non_field_errors":["Unable to log in with provided credentials."]}"#
        let backend = RestAuthBackend.replaying(
            .post("login/", Self.byEither, 400, wrong), .post("login/", Self.byName, 400, Self.emailFault))
        #expect(try failure { _ = try backend.logIn(.typed("ada@home")) }.reason == .wrongPassword)
        #expect(try failure { _ = try backend.logIn(.typed("ada")) }.reason == .invalidFields)
    }

    @Test(arguments: [500])
    func `a rest-auth login keeps the typed name if the request for the user fails`(status: Int) throws {
        let backend = RestAuthBackend.replaying(
            .post("login/", Self.byName, 200, RestAuthSample.key),
            .get("user/", as: "Token 0a1b", status, "<html>"))
        let logIn = NewSession(user: User(username: "ada"), session: .key)
        #expect(try backend.logIn(.typed("ada")) == Reply(.session(logIn)))
    }

    @Test(arguments: [
        (401, #"{"detail":"Invalid token."}"#),
        (403, #"{"detail":"Authentication credentials were not provided."}"#),
    ])
    func `a rest-auth login is unsupported if the site rejects the key that it issued`(
        status: Int, answer: String
    ) throws {
        let backend = RestAuthBackend.replaying(
            .post("login/", Self.byName, 200, RestAuthSample.key),
            .get("user/", as: "Token 0a1b", status, answer))
        try failure { try backend.logIn(.typed("ada")) }.expectMessage(in: "backends/rest-auth")
    }

    @Test(arguments: [(204, ""), (200, #"{"detail":"Logged in."}"#), (200, "{}"), (200, RestAuthSample.user)])
    func `a rest-auth login is unsupported if the site uses cookie sessions`(status: Int, answer: String) throws {
        let backend = RestAuthBackend.replaying(.post("login/", Self.byName, status, answer))
        try failure { try backend.logIn(.typed("ada")) }.expectMessage(in: "backends/rest-auth")
    }

    @Test(arguments: [
        #"{"key":""}"#, #"{"key":"a b"}"#, #"{"key":"a\r\nX: y"}"#, #"{"key":7}"#, #"{"access":null}"#,
        #"{"mfa_required":true}"#, #"{"token":{}}"#, #"["0a1b"]"#, "<html>", "{",
    ])
    func `a malformed rest-auth login response is reported as invalid`(answer: String) throws {
        let backend = RestAuthBackend.replaying(.post("login/", Self.byName, 200, answer))
        #expect(try failure { _ = try backend.logIn(.typed("ada")) }.reason == .invalidResponse)
    }

    @Test func `a 401 response of a login view that requires authentication does not mean a wrong password`() throws {
        let backend = RestAuthBackend.replaying(
            .post("login/", Self.byName, 401, #"{"detail":"Authentication credentials were not provided."}"#),
            .post("login/", Self.byName, 401, #"{"detail":"No active account found with the given credentials"}"#))
        #expect(try failure { _ = try backend.logIn(.typed("ada")) }.reason == .forbidden)
        #expect(try failure { _ = try backend.logIn(.typed("ada")) }.reason == .wrongPassword)
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
        #expect(try backend.logIn(.typed("ada"), code: Secret("74a4-3c2e")) == Reply(.session(logIn)))
    }

    @Test func `a rest-auth login with a one-time code uses the second-factor path set in the profile`() throws {
        let backend = RestAuthBackend.replaying(
            paths: ["secondFactorPath": "2fa/"], Self.pending,
            .post("2fa/", Self.body, 200, RestAuthSample.pair))
        let logIn = NewSession(user: .seven, session: .restAuthJWT)
        #expect(try backend.logIn(.typed("ada"), code: Secret("74a4-3c2e")) == Reply(.session(logIn)))
    }
}
