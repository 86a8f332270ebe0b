import CommandTestSupport
import Platform

@testable import AuthBackends

@Suite struct RestAuthErrorsTests {
    private func error(
        _ status: Int, _ body: String, _ operation: Operation, headers: HTTPHeaders = [:]
    ) throws -> AuthError {
        let response = HTTPResponse(status: status, headers: headers, body: Array(body.utf8))
        let request = HTTPRequest(.post, "https://a.example/")
        return try failure {
            _ = try RestAuthErrors.check(ServerResponse(response, to: request, operation, at: .sampleNow, Masker()))
        }
    }

    @Test(arguments: [
        Operation.signUp, .logIn, .secondFactor, .logOut, .changePassword, .requestPasswordReset, .sendVerification,
        .verifyEmail, .logInWithIdentity, .linkIdentity, .unlinkIdentity,
    ])
    func `an empty rest-auth response is accepted for an operation that needs no content`(operation: Operation) throws {
        let request = HTTPRequest(.post, "https://a.example/")
        let empty = HTTPResponse(status: 204)
        try expect(RestAuthErrors.check(ServerResponse(empty, to: request, operation, at: .sampleNow, Masker())), [:])
    }

    @Test(arguments: [Operation.currentUser, .logInWithToken, .refresh, .listIdentities])
    func `an empty rest-auth response is invalid for an operation that needs content`(operation: Operation) throws {
        try expect(error(204, "", operation).reason, .invalidResponse)
    }

    @Test func `JSON with the content type text/html is an invalid rest-auth response`() throws {
        let request = HTTPRequest(.post, "https://a.example/")
        let response = HTTPResponse(status: 200, headers: ["Content-Type": "text/html"], body: Array("{}".utf8))
        try failure {
            try RestAuthErrors.check(ServerResponse(response, to: request, .logIn, at: .sampleNow, Masker()))
        }.expectMessage(in: "backends/rest-auth")
    }

    @Test(arguments: [
        ("E-mail is not verified.", AuthError.Reason.emailUnverified),
        ("Email is not verified.", .emailUnverified), ("User account is disabled.", .accountDisabled),
        ("Too many failed login attempts. Try again later.", .rateLimited),
        ("Unable to log in with provided credentials.", .wrongPassword),
        ("Die angegebenen Zugangsdaten stimmen nicht.", .wrongPassword), ("Two tries left.", .wrongPassword),
        (#"Must include \"email\" and \"password\"."#, .invalidFields),
        (#"Must include \"username\" and \"password\"."#, .invalidFields),
    ])
    func `the site's error message for a rejected rest-auth login determines the error reason`(
        text: String, reason: AuthError.Reason
    ) throws {
        try expect(error(400, #"{"non_field_errors":["\#(text)"]}"#, .logIn).reason, reason)
    }

    /// The body of an error with this text, as sites with documented settings send it. Sources: dj-rest-auth 7.2.0 with
    /// `NON_FIELD_ERRORS_KEY`, djangorestframework-camel-case, drf-standardized-errors 0.16, and exception handlers.
    private static func bodies(_ text: String, whole: String = "non_field_errors") -> [String] {
        [
            #"{"errors":["\#(text)"]}"#, #"{"problems":["\#(text)"]}"#, #"{"nonFieldErrors":["\#(text)"]}"#,
            #"{"type":"e","errors":[{"code":"invalid","detail":"\#(text)","attr":"\#(whole)"}]}"#,
            #"{"success":false,"status_code":400,"message":"The request failed","errors":{"\#(whole)":["\#(text)"]}}"#,
            #"{"error":"\#(text)"}"#,
        ]
    }

    @Test(arguments: bodies("Unable to log in with provided credentials."))
    func `a wrong password is recognized in the error formats of rest-auth sites`(body: String) throws {
        let error = try error(400, body, .logIn)
        expect(error.reason, .wrongPassword)
        expect(error.message, "wrong username or password")
    }

    @Test(arguments: bodies("E-mail is not verified."))
    func `an unverified e-mail is recognized in the error formats of rest-auth sites`(body: String) throws {
        try expect(error(400, body, .logIn).reason, .emailUnverified)
    }

    @Test(arguments: bodies("Invalid token.", whole: "detail").filter { !$0.holds("problems") })
    func `a deleted key is recognized in the error formats of rest-auth sites`(body: String) throws {
        let headers: HTTPHeaders = ["WWW-Authenticate": "Token"]
        try expect(error(401, body, .currentUser, headers: headers).reason, .sessionRevoked)
        try expect(error(401, body, .logOut, headers: headers).reason, .sessionRevoked)
    }

    @Test(arguments: [
        ("Token", "{}", AuthError.Reason.sessionRevoked), (#"Bearer realm="api""#, #"{"fault":1}"#, .sessionRevoked),
        (#"Basic realm="x""#, #"{"message":"Invalid token."}"#, .forbidden), ("Bearer", "<html>", .forbidden),
    ])
    func `a 401 response in JSON that asks for a token comes from the site, and never from a gateway`(
        challenge: String, body: String, reason: AuthError.Reason
    ) throws {
        try expect(error(401, body, .currentUser, headers: ["WWW-Authenticate": challenge]).reason, reason)
        try expect(error(401, body, .logIn, headers: ["WWW-Authenticate": challenge]).reason, .forbidden)
    }

    /// Sources: dj-rest-auth 7.2.0 with keys that expire, simplejwt 5.5 and 5.2, djangorestframework-jwt.
    @Test(arguments: [
        (401, #"{"detail":"Token has expired"}"#, AuthError.Reason.sessionExpired),
        (401, #"{"detail":"The Token is expired"}"#, .sessionExpired),
        (403, #"{"detail":"Token has expired"}"#, .sessionExpired),
        (401, #"{"detail":"Signature has expired."}"#, .sessionExpired),
        (
            401,
            #"{"detail":"Given token not valid","code":"token_not_valid","messages":[{"message":"Token is expired"}]}"#,
            .sessionExpired
        ),
        (401, #"{"detail":"Not valid","messages":[{"message":"Token is invalid or expired"}]}"#, .sessionRevoked),
        (401, #"{"detail":"Invalid token."}"#, .sessionRevoked),
        (403, #"{"detail":"Your subscription has expired."}"#, .forbidden),
    ])
    func `a rest-auth error for an expired token is told from one for a deleted token`(
        status: Int, body: String, reason: AuthError.Reason
    ) throws {
        try expect(error(status, body, .currentUser).reason, reason)
    }

    /// Sources: exchanges `D18a`, `D18c` and `D18d` of dj-rest-auth 7.2.0 and django-axes 8.3.1; `D18b`.
    @Test(arguments: [
        (400, "<html><title>Bad Request (400)</title><h1>Bad Request (400)</h1>", AuthError.Reason.invalidResponse),
        (403, #"{"detail":"Too many failed login attempts"}"#, .accountLocked),
        (429, "Account locked: too many login attempts. Please try again later.", .accountLocked),
        (403, #"{"failure_limit":3,"username":"ada"}"#, .accountLocked),
        (429, #"{"detail":"Request was throttled. Expected available in 9 seconds."}"#, .rateLimited),
        (429, "<h1>locked</h1>", .rateLimited), (403, #"{"detail":"CSRF"}"#, .forbidden),
        (503, #"{"detail":"Maintenance until 18:00"}"#, .serverFault),
        (500, #"{"detail":"The directory server does not answer."}"#, .serverFault),
    ])
    func `a rest-auth login tells a refused host, a locked account and maintenance from other errors`(
        status: Int, body: String, reason: AuthError.Reason
    ) throws {
        let error = try error(status, body, .logIn)
        expect(error.reason, reason)
        error.expectMessage(in: "backends/rest-auth", "\(status) \(body.count)")
    }

    @Test(arguments: [
        (#"{"username":["Dieser Benutzername ist bereits vergeben."]}"#, AuthError.Fact?.some(.nameMayBeTaken)),
        (#"{"username":["x"],"email":["y"]}"#, .nameMayBeTaken), (#"{"username":["x"],"password1":["y"]}"#, nil),
        (#"{"username":["This field is required."]}"#, nil), (#"{"detail":"x"}"#, nil),
        (#"{"username":[{"message":"Vergeben","code":"unique"}]}"#, nil),
    ])
    func `a signup error on names in another language may mean a taken name, unless a code tells`(
        body: String, fact: AuthError.Fact?
    ) throws {
        let error = try error(400, body, .signUp)
        expect(error.fact, fact)
        expect((error.reason == .usernameTaken), body.holds("unique"))
    }

    // MARK: - Messages

    @Test(arguments: [
        Operation.signUp, .secondFactor, .refresh, .logInWithIdentity, .linkIdentity, .listIdentities,
        .sendVerification, .verifyEmail, .currentUser, .logOut, .changePassword, .requestPasswordReset,
        .finishPasswordReset,
    ])
    func `a missing rest-auth view is unsupported, but a missing refresh view means an expired session`(
        operation: Operation
    ) throws {
        try error(404, "<html>", operation).expectMessage(in: "backends/rest-auth", "\(operation)")
    }

    @Test func `a long error message from a rest-auth site is cut to 300 characters`() throws {
        let text = String(repeating: "x", count: 5000)
        let message = try error(400, #"{"detail":"\#(text)"}"#, .signUp).message
        expect(message.filter { $0 == "x" }.count, 300)
    }
}
