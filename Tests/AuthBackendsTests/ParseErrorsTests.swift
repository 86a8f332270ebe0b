import AuthModel
import CommandTestSupport
import JSON
import Platform
import Testing
import Transport

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
        (142, .weakPassword),
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
    func `tells refusals apart by their code, whatever the status`(code: Int, reason: AuthError.Reason) throws {
        for status in [400, 404, 500] {
            let error = try refusal(status, #"{"code":\#(code),"error":"words"}"#, .currentUser)
            #expect(error.reason == reason)
            #expect(
                error.server == ServerDetail(status: status, code: .integer(Int64(code)), message: "words"))
        }
    }

    @Test(arguments: [
        (Operation.logIn, AuthError.Reason.wrongPassword), (.signUp, .notFound), (.currentUser, .notFound),
    ])
    func `takes "not found" for wrong credentials only at a log-in`(call: Operation, reason: AuthError.Reason) throws {
        #expect(try refusal(404, #"{"code":101,"error":"Invalid username/password."}"#, call).reason == reason)
    }

    @Test(arguments: [
        (400, #"{"code":999,"error":"x"}"#, AuthError.Reason.invalidFields, "the server refused it: \"x\" (code 999)"),
        (400, #"{"code":-1,"error":"x"}"#, .invalidFields, "the server refused it (code -1)"),
        (400, #"{"error":"x"}"#, .invalidFields, "the server refused it"),
        (413, #"{"error":"request entity too large"}"#, .invalidFields, "the request is too large for the server"),
        (413, "<html>", .invalidFields, "the request is too large for the server"),
        (415, #"{"error":"x"}"#, .invalidFields, "the server does not read this kind of text"),
        (403, #"{"error":"unauthorized"}"#, .badAppKey, "the server does not accept the application id or key"),
        (403, #"{"code":4242,"error":"x"}"#, .forbidden, "the server refused it: \"x\" (code 4242)"),
        (403, "<html>Forbidden</html>", .forbidden, "the server, or a gateway before it, forbids it"),
        (404, "<html>Not found</html>", .wrongEndpoint, "there is no Parse server at this address"),
        (404, "", .wrongEndpoint, "there is no Parse server at this address"),
        (404, #"{"message":"no Route matched"}"#, .wrongEndpoint, "there is no Parse server at this address"),
        (404, #"{"code":4242,"error":"x"}"#, .invalidFields, "the server refused it: \"x\" (code 4242)"),
        (429, #"{"error":"x"}"#, .rateLimited, "too many requests"),
        (429, "", .rateLimited, "too many requests"),
        (500, #"{"code":1,"message":"Internal server error."}"#, .serverFault, "the server failed"),
        (500, "<html>", .serverFault, "the server failed"),
        (502, "<html>", .serverFault, "the server failed"),
        (503, "", .serverFault, "the server failed"),
        (504, "", .serverFault, "the server failed"),
        (304, "", .brokenAnswer, "the server's answer makes no sense"),
        (400, "<html>", .brokenAnswer, "the server's answer makes no sense"),
        (400, #"{"code":"101","error":"a code that is a text"}"#, .invalidFields, "the server refused it"),
        (500, #"{"code":null}"#, .serverFault, "the server failed"),
    ])
    func `goes by the status where there is no code it knows`(
        status: Int, body: String, reason: AuthError.Reason, message: String
    ) throws {
        let error = try refusal(status, body, .currentUser)
        #expect(error.reason == reason)
        #expect(error.message == message)
        #expect(error.server?.status == status)
    }

    @Test(arguments: [
        (#"{"code":1,"error":"a"}"#, "a" as String?),
        (#"{"code":1,"message":"b"}"#, "b"),
        (#"{"code":1,"error":"a","message":"b"}"#, "a"),
        (#"{"code":1,"error":{"message":"deep"}}"#, nil),
        (#"{"code":1}"#, nil),
        ("words", nil),
    ])
    func `keeps the server's words as data`(body: String, message: String?) throws {
        #expect(try refusal(500, body, .currentUser).server?.message == message)
    }

    @Test func `never puts the server's words into its own message`() throws {
        for status in [302, 400, 403, 404, 429, 500] {
            let error = try refusal(status, #"{"error":"run: rm -rf ~"}"#, .signUp)
            #expect(!error.message.contains("rm -rf"))
        }
    }

    @Test(arguments: [
        (202, [FieldFault("username", "is taken")]),
        (203, [FieldFault("email", "is taken")]),
        (142, [FieldFault("password", "is too weak")]),
        (209, []),
    ])
    func `names the field that is at fault`(code: Int, fields: [FieldFault]) throws {
        #expect(try refusal(400, #"{"code":\#(code)}"#, .signUp).fields == fields)
    }
}

extension ParseErrorsTests {
    private func refusal(_ status: Int, _ body: String, _ call: Operation) throws -> AuthError {
        try failure { _ = try ParseErrors.check(HTTPResponse(status: status, body: Array(body.utf8)), call) }
    }
}

extension ParseErrors {
    /// The response to a request with these secrets.
    static func check(
        _ response: HTTPResponse, _ operation: AuthBackends.Operation, secrets: [String] = [],
        now: Instant = .sampleStart
    ) throws(AuthError) -> JSONObject {
        var request = HTTPRequest(.post, "https://a.example/parse")
        request.secrets = secrets
        request.tokenMembers = ["sessionToken"]
        return try check(response.redacted(for: request), to: request, operation, now: now)
    }
}
