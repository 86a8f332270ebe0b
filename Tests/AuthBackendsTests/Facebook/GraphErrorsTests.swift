import CommandTestSupport

@testable import AuthBackends

/// Errors from Facebook's Graph API, and the client's reason and message for each error.
@Suite struct GraphErrorsTests {
    static let token = Secret("EAAB-user-token")

    /// The client's error for a failed request about a user's token.
    private static func asked(_ status: Int, _ answer: String, masking secret: String = "") throws -> AuthError {
        let exchange = Exchange.graph("GET", "app?fields=id", token: token.reveal(), status, answer)
        return try failure { _ = try FacebookGraph.replaying(exchange, masking: secret).appID(of: token) }
    }

    /// The client's error for a failed request for a device code.
    private static func begun(_ status: Int, _ answer: String) throws -> AuthError {
        let exchange = FacebookGraphTests.begun(answer, scope: "email", status)
        return try failure {
            _ = try FacebookGraph.replaying(exchange).beginDeviceLogin(.sample, permissions: ["email"])
        }
    }

    @Test(arguments: [
        (190, AuthError.Reason.tokenRefused, AuthError.Reason.badAppKey), (102, .tokenRefused, .badAppKey),
        (1, .serverFault, .serverFault), (2, .serverFault, .serverFault), (3, .forbidden, .forbidden),
        (4, .rateLimited, .rateLimited), (17, .rateLimited, .rateLimited), (32, .rateLimited, .rateLimited),
        (341, .rateLimited, .rateLimited), (613, .rateLimited, .rateLimited), (10, .tokenRefused, .forbidden),
        (200, .tokenRefused, .forbidden), (250, .tokenRefused, .forbidden), (299, .tokenRefused, .forbidden),
        (300, .tokenRefused, .forbidden), (100, .forbidden, .forbidden), (101, .badAppKey, .badAppKey),
        (368, .tokenRefused, .forbidden), (999_999, .tokenRefused, .forbidden), (0, .tokenRefused, .forbidden),
    ])
    func `a Graph API error code and the kind of token sent determine the reason, whatever the HTTP status`(
        code: Int, ofToken: AuthError.Reason, ofApp: AuthError.Reason
    ) throws {
        for status in [400, 401, 403, 500, 200] {
            let answer = #"{"error":{"message":"No.","type":"OAuthException","code":\#(code),"fbtrace_id":"A"}}"#
            let (token, app) = (try Self.asked(status, answer), try Self.begun(status, answer))
            expect(token.reason, ofToken)
            expect(app.reason, ofApp)
            expect(token.server, ServerDetail(status: status, code: .integer(Int64(code)), message: "No."))
        }
    }

    @Test(arguments: [
        (AuthError.Reason.tokenRefused, 190), (.badAppKey, 101), (.rateLimited, 4), (.serverFault, 2),
        (.forbidden, 100),
    ])
    func `a Graph API error quotes the error message from Facebook`(reason: AuthError.Reason, code: Int) throws {
        let error = try Self.asked(400, #"{"error":{"message":"No.","code":\#(code)}}"#)
        expect(error.reason, reason)
        error.expectMessage(in: "backends/facebook", "\(code)")
        #expect(error.message.hasSuffix(#": "No.""#))
        #expect(try !Self.asked(400, #"{"error":{"code":\#(code)}}"#).message.contains("\""))
    }

    @Test(arguments: [("458", 458 as Int64?), ("null", nil), (#""soon""#, nil)])
    func `a Graph API error subcode that is not a number is ignored`(subcode: String, told: Int64?) throws {
        let error = try Self.asked(400, #"{"error":{"code":190,"error_subcode":\#(subcode)}}"#)
        expect(error.server, ServerDetail(status: 400, code: .integer(190), subcode: told))
    }

    @Test func `the error about a device login that cannot start depends on the Graph API error code`() throws {
        let key = try Self.begun(400, #"{"error":{"code":101}}"#)
        key.expectMessage(in: "backends/facebook", "101")
        try Self.begun(400, #"{"error":{"code":3}}"#).expectMessage(in: "backends/facebook", "3")
        try Self.begun(400, #"{"error":{"code":2}}"#).expectMessage(in: "backends/facebook", "2")
    }

    // MARK: - Messages from Facebook

    @Test(arguments: [
        (#""message":"For programs.","error_user_title":"T","error_user_msg":"For people.""#, "For people."),
        (#""message":"For programs.","error_user_msg":"""#, "For programs."),
        (#""message":"For programs.","error_user_msg":5"#, "For programs."), (#""message":"""#, nil as String?),
        (#""message":null"#, nil),
    ])
    func `an error quotes Facebook's message for users, or else the message for developers`(
        members: String, words: String?
    ) throws {
        let error = try Self.asked(400, #"{"error":{"code":190,\#(members)}}"#)
        expect(error.server?.message, words)
        expect(error.message.contains("\""), (words != nil))
        if let words { #expect(error.message.hasSuffix("\"\(words)\"")) }
    }

    @Test func `a token in an error message from Facebook is masked`() throws {
        let error = try Self.asked(
            400, #"{"error":{"code":190,"message":"Malformed: EAAB-user-token."}}"#, masking: "EAAB-user-token")
        expect(error.server?.message, "Malformed: <redacted>.")
        #expect(error.message.hasSuffix(#": "Malformed: <redacted>.""#))
    }

    @Test func `a long error message from Facebook is cut to 200 characters`() throws {
        let text = String(repeating: "x", count: 500)
        let error = try Self.asked(400, #"{"error":{"code":100,"message":"\#(text)"}}"#)
        #expect(error.message.hasSuffix(#": "\#(text.prefix(200))""#))
    }

    // MARK: - Responses from gateways

    @Test(arguments: [
        (200, "<html>", AuthError.Reason.invalidResponse), (200, "", .invalidResponse), (200, "[]", .invalidResponse),
        (200, "5", .invalidResponse), (404, "<html>", .invalidResponse), (400, "", .invalidResponse),
        (400, #"{"error":"no"}"#, .invalidResponse), (403, "{}", .invalidResponse), (429, "", .rateLimited),
        (500, "<html>", .serverFault), (502, "", .serverFault), (503, #"{"error":{}}"#, .serverFault),
    ])
    func `the error about an unexpected Graph API response gets its reason from the HTTP status`(
        status: Int, answer: String, reason: AuthError.Reason
    ) throws {
        let error = try Self.asked(status, answer)
        expect(error.reason, reason)
        error.expectMessage(in: "backends/facebook", "\(status) as \(reason.rawValue)")
        try expect(Self.begun(status, answer).reason, reason)
        try expect(failure { _ = try FacebookGraphTests.progress(status, answer) }.reason, reason)
    }
}
