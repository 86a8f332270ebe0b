import CommandTestSupport
import Platform

@testable import AuthBackends

/// Behavior that all types of `ErrorTable` share, tested with `ParseErrors`.
@Suite struct ErrorResponseTests {
    private func error(
        _ status: Int, _ body: String, _ operation: Operation, headers: HTTPHeaders = [:], _ masker: Masker = Masker()
    ) -> AuthError {
        let request = HTTPRequest(.post, "https://a.example/")
        let response = HTTPResponse(status: status, headers: headers, body: Array(body.utf8))
        return ParseErrors.error(for: ServerResponse(response, to: request, operation, at: .sampleStart, masker)).shown
    }

    // MARK: - Messages

    @Test(arguments: [401, 403, 413, 415, 429, 500, 503])
    func `the error for an HTML page gets its message from the HTTP status`(status: Int) {
        error(status, "<html>", .currentUser).expectMessage(in: "backends/shared", "\(status)")
    }

    @Test(arguments: [
        (500, "<html>"), (502, "<html>"), (504, ""), (520, "error code: 520"),
    ])
    func `a gateway error leaves the outcome of a signup uncertain`(status: Int, body: String) {
        let error = error(status, body, .signUp)
        error.expectMessage(in: "backends/shared", "\(status)")
    }

    @Test func `a gateway error makes the outcome unknown for every operation with side effects except callAPI`() {
        for operation in Operation.allCases {
            let lost = error(504, "", operation)
            // An error from `callAPI` reports the status, never an unknown outcome.
            let isUncertain = operation.hasEffect && operation != .callAPI
            expect((lost.reason == .outcomeUnknown), isUncertain)
            if isUncertain { #expect(!lost.nextSteps.isEmpty) }
        }
    }

    @Test(arguments: [
        ("a page", "<html><title>Hotel</title>"), ("an empty body", ""), ("a list", "[]"), ("truncated JSON", "{"),
        ("no session", #"{"objectId":"1"}"#), ("an unusable session", #"{"objectId":"1","sessionToken":"a b"}"#),
    ])
    func `a success response without the expected content is invalid`(content: String, body: String) throws {
        let operation: Operation = content == "an unusable session" ? .signUp : .logIn
        try failure {
            try ParseErrors.check(HTTPResponse(status: 200, body: Array(body.utf8)), operation)
        }.expectMessage(in: "backends/shared", content)
    }

    @Test func `the error after a lost signup response states that the account may exist`() throws {
        let fault = TransportError(.timeout, "no response within 30 seconds", hint: "fix it", wasSent: true)
        let error = try failure { _ = try ParseBackend.replaying(Exchange(Exchange.signUpRequest, fault)).signUp(.ada) }
        error.expectMessage(in: "backends/shared")
    }

    // MARK: - Retry-After

    @Test(
        arguments: [
            (429, "1", AuthError.Reason.rateLimited, 1), (503, "1", .rateLimited, 1),
            (429, "Fri, 02 Jan 2026 03:05:05 GMT", .rateLimited, 60),
            (503, "Fri, 02 Jan 2026 03:05:05 GMT", .rateLimited, 60),
            (429, "Thu, 01 Jan 1970 00:00:00 GMT", .rateLimited, 0), (503, "0", .rateLimited, 0),
            (429, "99999999999999999999", .rateLimited, 1_000_000_000),
            (429, "-5", .rateLimited, nil), (503, "-5", .serverFault, nil),
            (429, "soon", .rateLimited, nil), (503, "soon", .serverFault, nil),
            (429, nil, .rateLimited, nil), (503, nil, .serverFault, nil), (500, "1", .serverFault, nil),
        ] as [(Int, String?, AuthError.Reason, Int?)])
    func `the error for a 429 or 503 response contains the wait from a valid Retry-After field`(
        status: Int, value: String?, reason: AuthError.Reason, seconds: Int?
    ) {
        for (operation, body) in [(Operation.logIn, ""), (.currentUser, "<html>"), (.signUp, #"{"error":"x"}"#)] {
            let headers = HTTPHeaders(value.map { [HTTPHeaders.Field(name: "Retry-After", value: $0)] } ?? [])
            let error = error(status, body, operation, headers: headers)
            expect(error.reason, reason)
            expect(error.retryAfter, seconds)
        }
    }

    // MARK: - Secrets

    /// The masker would not find a secret that has been cut.
    @Test func `a quoted message from the server is masked before it is cut to 200 characters`() throws {
        let said = String(repeating: "x", count: 195) + "correct horse"
        let masker = Masker()
        masker.register("correct horse")
        let error = error(400, #"{"code":141,"error":"\#(said)"}"#, .signUp, masker)
        #expect(!error.message.contains("corr"))
        let quoted = try #require(error.message.split(separator: "\"", maxSplits: 2).dropFirst().first)
        expect(quoted, String(repeating: "x", count: 195) + "<reda")
    }

    @Test func `a secret in a Parse error code is masked, and the code still determines the reason`() {
        let masker = Masker()
        for secret in ["202", "123456"] { masker.register(secret) }
        let taken = error(400, #"{"code":202,"error":"x"}"#, .signUp, masker)
        expect(taken.reason, .usernameTaken)
        expect(taken.server?.code, 202)
        expect(taken.server?.shownCode, "<redacted>")
        #expect(error(400, #"{"code":123456,"error":"x"}"#, .signUp, masker).message.contains("(code <redacted>)"))
    }

    @Test func `authctl's own words in an error are not masked, even if one of them is the password`() {
        let masker = Masker()
        for secret in ["password", "server"] { masker.register(secret) }
        let error = error(400, #"{"code":142,"error":"server: password"}"#, .signUp, masker)
        expect(error.message, "the password is too weak: \"<redacted>: <redacted>\" (code 142)")
    }
}
