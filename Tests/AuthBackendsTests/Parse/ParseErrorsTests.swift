import CommandTestSupport
import Platform

@testable import AuthBackends

@Suite struct ParseErrorsTests {
    @Test(arguments: [
        (1, AuthError.Reason.serverFault),
        (100, .rateLimited),
        (101, .notFound),
        (105, .invalidFields),
        (111, .invalidFields),
        (119, .forbidden),
        (125, .invalidFields),
        (137, .invalidFields),
        (142, .invalidFields),
        (200, .invalidFields),
        (201, .invalidFields),
        (202, .usernameTaken),
        (203, .emailTaken),
        (204, .invalidFields),
        (205, .emailUnverified),
        (206, .forbidden),
        (208, .identityTaken),
        (209, .sessionRevoked),
        (252, .unsupported),
    ])
    func `a known Parse error code overrides any HTTP status except 429`(code: Int, reason: AuthError.Reason) throws {
        for status in [400, 404, 500] {
            let error = try error(status, #"{"code":\#(code),"error":"words"}"#, .currentUser)
            expect(error.reason, reason)
            expect(error.server, ServerDetail(status: status, code: .integer(Int64(code)), message: "words"))
        }
    }

    static let codes: [(code: Int, operation: Operation, reason: AuthError.Reason)] = [
        (-1, .logIn, .invalidFields), (-1, .signUp, .invalidFields), (0, .signUp, .invalidFields),
        (-1, .requestPasswordReset, .invalidFields),
        (101, .logIn, .wrongPassword), (101, .secondFactor, .wrongPassword), (101, .logInWithIdentity, .tokenRefused),
        (101, .requestPasswordReset, .notFound), (101, .updateUser, .invalidFields), (101, .currentUser, .notFound),
        (101, .signUp, .invalidFields), (101, .unlinkIdentity, .invalidFields), (101, .revokeSession, .notFound),
        (101, .verifyPassword, .wrongPassword), (-1, .verifyPassword, .invalidFields),
        (141, .secondFactor, .wrongCode), (141, .logInWithIdentity, .serverFault), (141, .signUp, .invalidFields),
        (142, .linkIdentity, .tokenRefused), (142, .unlinkIdentity, .invalidFields), (142, .signUp, .invalidFields),
        (142, .logIn, .invalidFields), (142, .updateUser, .invalidFields), (142, .changePassword, .weakPassword),
        (141, .logIn, .invalidFields), (141, .updateUser, .invalidFields),
        (205, .requestPasswordReset, .notFound), (205, .logIn, .emailUnverified), (205, .signUp, .invalidFields),
        (206, .linkIdentity, .forbidden), (206, .updateUser, .forbidden), (208, .logInWithIdentity, .identityTaken),
        (209, .logInWithToken, .tokenRefused), (209, .logInWithIdentity, .sessionRevoked),
        (209, .updateUser, .sessionRevoked),
        (252, .logInWithIdentity, .unsupported), (252, .signUp, .invalidFields), (155, .currentUser, .rateLimited),
    ]

    @Test(arguments: codes)
    func `the meaning of a Parse error code depends on the operation`(
        code: Int, operation: Operation, reason: AuthError.Reason
    ) throws {
        let error = try error(400, #"{"code":\#(code),"error":"x"}"#, operation)
        expect(error.reason, reason)
    }

    @Test(arguments: [
        (-1, "Missing additional authData mfa", Operation.logIn, AuthError.Reason.secondFactorRequired),
        (-1, "Missing additional authData mfa", .logInWithIdentity, .secondFactorRequired),
        (141, "Please enter the token", .secondFactor, .secondFactorRequired),
        (142, "Password cannot contain your username.", .signUp, .weakPassword),
        (142, "New password should not be the same as last 3 passwords.", .signUp, .weakPassword),
    ])
    func `the text of a Parse error decides where code and operation do not`(
        code: Int, text: String, operation: Operation, reason: AuthError.Reason
    ) throws {
        try expect(error(400, #"{"code":\#(code),"error":"\#(text)"}"#, operation).reason, reason)
    }

    /// Cloud Code can reject any request with any code.
    @Test(arguments: [
        (-1, Operation.logIn), (-1, .signUp), (0, .signUp), (0, .logIn), (101, .signUp), (101, .updateUser),
        (101, .logIn),
        (101, .logInWithIdentity), (142, .signUp), (142, .logIn), (142, .updateUser), (142, .unlinkIdentity),
        (142, .linkIdentity), (252, .signUp), (252, .linkIdentity),
    ])
    func `the message of a rejected request contains the text of the server`(code: Int, operation: Operation) throws {
        let error = try error(400, #"{"code":\#(code),"error":"An invite code is required."}"#, operation)
        #expect(error.message.contains(#": "An invite code is required." (code \#(code))"#))
        expect(error.fields, [])
    }

    @Test(arguments: [(155, 400), (100, 400), (100, 429), (1, 429)])
    func `the next step after a limited signup speaks of the limit`(code: Int, status: Int) throws {
        let error = try error(status, #"{"code":\#(code),"error":"x"}"#, .signUp)
        expect(error.nextSteps, ["the server limits the number of requests: try again in a minute"])
    }

    /// Exchanges `authdata.unknown-provider` and `facebook.limited-link`.
    @Test(arguments: [Operation.logInWithIdentity, .linkIdentity])
    func `an internal error for a proof is not retryable, and its next step names the provider`(
        operation: Operation
    ) throws {
        let error = try error(500, #"{"code":1,"message":"Internal server error."}"#, operation)
        #expect(error.reason == .serverFault && !error.isRetryable)
        expect(error.nextSteps, ["the provider may not be configured on the server, or the server cannot reach it"])
    }

    /// The database's error text may contain the request or SQL.
    @Test func `an error message from an identity provider is quoted, but a database error message is not`() throws {
        let provider = try error(400, #"{"code":141,"error":"Graph is down"}"#, .logInWithIdentity)
        #expect(provider.message.contains("Graph is down"))
        let database = try error(500, #"{"code":1,"error":"SELECT * FROM _User"}"#, .logInWithIdentity)
        #expect(!database.message.contains("SELECT"))
    }

    @Test func `a Parse error code determines the reason even if the HTTP status is 502`() throws {
        try expect(error(502, #"{"code":202,"error":"x"}"#, .signUp).reason, .usernameTaken)
    }

    /// A gateway sends status 502 or 504. Parse Server itself sends other statuses, with a JSON object as the body.
    @Test(arguments: [
        (500, "<html>"), (500, ""), (520, "error code: 520"), (500, "[]"), (502, #"{"code":1,"error":"x"}"#),
        (504, #"{"message":"x"}"#),
    ])
    func `a server error that does not come from Parse itself leaves the outcome of a signup uncertain`(
        status: Int, body: String
    ) throws {
        try expect(error(status, body, .signUp).reason, .outcomeUnknown)
        try expect(error(status, body, .logIn).reason, .serverFault)
    }

    @Test(arguments: [
        (#"{"error":"Method not allowed"}"#, AuthError.Reason.wrongEndpoint),
        (#"{"code":4242,"error":"x"}"#, .invalidFields), ("<html>", .wrongEndpoint),
    ])
    func `status 405 means a rejected request if the body has a Parse code, and a wrong endpoint otherwise`(
        body: String, reason: AuthError.Reason
    ) throws {
        try expect(error(405, body, .currentUser).reason, reason)
    }

    static let statuses: [(status: Int, body: String, reason: AuthError.Reason)] = [
        (400, #"{"code":999,"error":"x"}"#, AuthError.Reason.invalidFields),
        (400, #"{"code":-1,"error":"x"}"#, .invalidFields),
        (400, #"{"error":"x"}"#, .invalidFields),
        (413, #"{"error":"request entity too large"}"#, .invalidFields),
        (413, "<html>", .invalidFields),
        (415, #"{"error":"x"}"#, .invalidFields),
        (403, #"{"error":"unauthorized"}"#, .badAppKey),
        (403, #"{"code":4242,"error":"x"}"#, .forbidden),
        (403, "<html>Forbidden</html>", .forbidden),
        (404, "<html>Not found</html>", .wrongEndpoint),
        (404, "", .wrongEndpoint),
        (404, #"{"message":"no Route matched"}"#, .wrongEndpoint),
        (404, #"{"code":4242,"error":"x"}"#, .invalidFields),
        (429, #"{"error":"x"}"#, .rateLimited),
        (429, "", .rateLimited),
        (429, #"{"code":1,"error":"x"}"#, .rateLimited),
        (500, #"{"code":1,"message":"Internal server error."}"#, .serverFault),
        (500, "<html>", .serverFault),
        (502, "<html>", .serverFault),
        (503, "", .serverFault),
        (504, "", .serverFault),
        (304, "", .invalidResponse),
        (400, "<html>", .invalidResponse),
        (400, #"{"code":"101","error":"a code that is a text"}"#, .invalidFields),
        (500, #"{"code":null}"#, .serverFault),
    ]

    @Test(arguments: statuses)
    func `an error without a known Parse code gets its reason from the HTTP status`(
        status: Int, body: String, reason: AuthError.Reason
    ) throws {
        let error = try error(status, body, .currentUser)
        expect(error.reason, reason)
        expect(error.server?.status, status)
    }

    @Test(arguments: [
        (#"{"code":1,"error":"a"}"#, "a" as String?),
        (#"{"code":1,"message":"b"}"#, "b"),
        (#"{"code":1,"error":"a","message":"b"}"#, "a"),
        (#"{"code":1,"error":{"message":"deep"}}"#, nil),
        (#"{"code":1}"#, nil),
        ("words", nil),
    ])
    func `the server details of an error contain the server's error text`(body: String, message: String?) throws {
        try expect(error(500, body, .currentUser).server?.message, message)
    }

    @Test func `the text of a Parse error without a code is not quoted in the message`() throws {
        for status in [302, 400, 403, 404, 429, 500] {
            let error = try error(status, #"{"error":"run: rm -rf ~"}"#, .signUp)
            #expect(!error.message.contains("rm -rf"))
        }
    }

    @Test(arguments: [
        (202, ["username"]), (203, ["email"]), (142, ["password"]), (209, []),
    ])
    func `a Parse error code names the invalid field`(code: Int, fields: [String]) throws {
        try expect(
            error(400, #"{"code":\#(code),"error":"Password cannot …"}"#, .signUp).fields.map(\.field), fields)
    }
}

extension ParseErrorsTests {
    private func error(_ status: Int, _ body: String, _ call: Operation) throws -> AuthError {
        try failure { _ = try ParseErrors.check(HTTPResponse(status: status, body: Array(body.utf8)), call) }
    }
}

extension ParseErrors {
    static func check(
        _ response: HTTPResponse, _ operation: AuthModel.Operation, now: Instant = .sampleStart
    ) throws(BackendError) -> JSONObject {
        try check(
            ServerResponse(
                response, to: HTTPRequest(.post, "https://a.example/parse"), operation, at: now, Masker()))
    }
}
