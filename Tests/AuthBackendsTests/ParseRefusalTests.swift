import AuthModel
import CommandTestSupport
import JSON
import Testing
import Transport

@testable import AuthBackends

/// What the user is told of refusals that have rules of their own.
@Suite struct ParseRefusalTests {
    typealias Reason = AuthError.Reason

    static let calls: [Operation] = [
        .signUp, .logIn, .currentUser, .logInWithToken, .requestPasswordReset, .secondFactor, .logInWithFacebook,
        .updateUser,
    ]
    /// What is sent once only.
    static let onceOnly: [Operation] = [.signUp, .requestPasswordReset, .logInWithFacebook, .updateUser]

    // MARK: - What a code means to a call

    static let codes: [(code: Int, call: Operation, reason: Reason)] = [
        (-1, .logIn, .secondFactorRequired), (-1, .logInWithFacebook, .secondFactorRequired),
        (-1, .requestPasswordReset, .invalidFields),
        (101, .logIn, .wrongPassword), (101, .secondFactor, .wrongPassword), (101, .logInWithFacebook, .tokenRefused),
        (101, .requestPasswordReset, .notFound), (101, .updateUser, .notFound), (101, .currentUser, .notFound),
        (141, .secondFactor, .wrongCode), (141, .logInWithFacebook, .serverFault), (141, .signUp, .invalidFields),
        (141, .logIn, .invalidFields), (141, .updateUser, .invalidFields),
        (205, .requestPasswordReset, .notFound), (205, .logIn, .emailUnverified), (205, .signUp, .emailUnverified),
        (206, .linkFacebook, .forbidden), (206, .updateUser, .forbidden), (208, .logInWithFacebook, .identityTaken),
        (209, .logInWithToken, .tokenRefused), (209, .logInWithFacebook, .sessionRevoked),
        (209, .updateUser, .sessionRevoked),
        (252, .logInWithFacebook, .unsupported), (155, .currentUser, .rateLimited),
    ]

    @Test(arguments: codes)
    func `go by what was asked for`(code: Int, call: Operation, reason: Reason) throws {
        #expect(try refusal(400, #"{"code":\#(code),"error":"x"}"#, call).reason == reason)
    }

    @Test func `tell that a second factor is wanted`() throws {
        let error = try refusal(400, #"{"code":-1,"error":"Missing additional authData mfa"}"#, .logIn)
        #expect(error.outcome == .actionNeeded)
    }

    /// A hook that refuses log-ins uses the same number.
    @Test func `of a one-time code quote the server, who may mean something else`() throws {
        let error = try refusal(400, #"{"code":141,"error":"Account suspended."}"#, .secondFactor)
        #expect(error.message == "the server does not accept the one-time code: \"Account suspended.\" (code 141)")
        #expect(error.outcome == .rejected)
    }

    @Test func `of a provider quote the server, but not of its database`() throws {
        let provider = try refusal(400, #"{"code":141,"error":"Graph is down"}"#, .logInWithFacebook)
        #expect(provider.message == "the server failed: \"Graph is down\" (code 141)")
        let database = try refusal(500, #"{"code":1,"error":"SELECT * FROM _User"}"#, .logInWithFacebook)
        #expect(database.message == "the server failed")
    }

    // MARK: - A locked account

    static let locks: [(text: String, seconds: Int?, hint: String)] = [
        ("Please try again after 1 minute(s)", 60, "try again in 1 minute: "),
        ("Please try again after 15 minute(s)", 900, "try again in 15 minutes: "),
        ("Please try again after 99999999999 minute(s)", 999_999_960, "try again in 99999999999 minutes: "),
        ("Please try again after 99999999999999999999999 minute(s)", nil, "try again later: "),
        ("Please try again after -5 minute(s)", nil, "try again later: "),
        ("Please try again", nil, "try again later: "),
        ("minute(s)", nil, "try again later: "),
        ("", nil, "try again later: "),
    ]

    @Test(arguments: locks)
    func `of a locked account say when it is open again`(text: String, seconds: Int?, hint: String) throws {
        let body = #"{"code":101,"error":"Your account is locked due to multiple failed login attempts. \#(text)"}"#
        for call in [Operation.logIn, .secondFactor] {
            let error = try refusal(404, body, call)
            #expect(error.reason == .accountLocked)
            #expect(error.retryAfter == seconds)
            #expect(error.nextSteps == [NextStep("\(hint)until then the right password is refused, too")])
        }
    }

    @Test func `are of a locked account only at a log-in that finds nothing`() throws {
        let text = "Your account is locked due to multiple failed login attempts. Please try again after 1 minute(s)"
        for call in Self.calls where call != .logIn && call != .secondFactor {
            #expect(try refusal(404, #"{"code":101,"error":"\#(text)"}"#, call).reason != .accountLocked)
        }
        #expect(try refusal(400, #"{"code":141,"error":"\#(text)"}"#, .logIn).reason == .invalidFields)
        #expect(
            try refusal(404, #"{"code":101,"error":"Your password has expired."}"#, .logIn).reason == .wrongPassword)
        #expect(try refusal(404, #"{"code":101,"error":"He said: \#(text)"}"#, .logIn).reason == .wrongPassword)
    }

    @Test(arguments: [
        (#"{"error":"Method not allowed"}"#, Reason.invalidFields), (#"{"code":4242,"error":"x"}"#, .invalidFields),
        ("<html>", .wrongEndpoint),
    ])
    func `status 405 rejects the request if its body is JSON, and is a wrong endpoint otherwise`(
        body: String, reason: Reason
    ) throws {
        #expect(try refusal(405, body, .currentUser).reason == reason)
    }

    // MARK: - Gateways

    @Test(arguments: [
        "Basic realm=\"x\"", "Digest nonce=\"x\"", "Negotiate", "Bearer", "Token", "Basic, Bearer", "\u{7F}", nil,
    ])
    func `of a gateway that wants a log-in do not say that the session is dead`(challenge: String?) throws {
        for call in Self.calls {
            var response = HTTPResponse(status: 401, body: Array("[]".utf8))
            response.headers["WWW-Authenticate"] = challenge
            let error = try failure { _ = try ParseErrors.check(response, call) }
            #expect(error.reason == .forbidden)
            #expect(error.message == "the server, or a gateway before it, asks for another authentication")
        }
    }

    @Test func `of a wrong address say what to look at`() throws {
        let error = try refusal(404, "<html>", .logIn)
        #expect(error.nextSteps == ["check the URL of the server and its mount path, such as /parse"])
    }

    // MARK: - Waiting

    static let waits: [(status: Int, value: String?, reason: Reason, seconds: Int?)] = [
        (429, "1", .rateLimited, 1), (503, "1", .rateLimited, 1),
        (429, "Fri, 02 Jan 2026 03:05:05 GMT", .rateLimited, 60),
        (503, "Fri, 02 Jan 2026 03:05:05 GMT", .rateLimited, 60),
        (429, "Thu, 01 Jan 1970 00:00:00 GMT", .rateLimited, 0), (503, "0", .rateLimited, 0),
        (429, "99999999999999999999", .rateLimited, 1_000_000_000),
        (429, "-5", .rateLimited, nil), (503, "-5", .serverFault, nil),
        (429, "soon", .rateLimited, nil), (503, "soon", .serverFault, nil),
        (429, nil, .rateLimited, nil), (503, nil, .serverFault, nil), (500, "1", .serverFault, nil),
    ]

    @Test(arguments: waits)
    func `of a busy server say when to come back`(status: Int, value: String?, reason: Reason, seconds: Int?) throws {
        for (call, body) in zip(Self.calls, ["", "<html>", "{}", #"{"error":"x"}"#, "[]", "{}", "{}", "{}"]) {
            var response = HTTPResponse(status: status, body: Array(body.utf8))
            response.headers["Retry-After"] = value
            let error = try failure { _ = try ParseErrors.check(response, call, now: .sampleStart) }
            if status == 500, call.uncertainOutcome != nil, body.first != "{" { continue }
            #expect(error.reason == reason)
            #expect(error.retryAfter == seconds)
            #expect(error.nextSteps == (seconds.map { ["try again after \($0) second\($0 == 1 ? "" : "s")"] } ?? []))
        }
    }

    @Test func `count a time from the clock of the backend`() throws {
        let answer = HTTPResponse(status: 429, headers: ["Retry-After": "Fri, 02 Jan 2026 03:05:05 GMT"])
        let backend = ParseBackend(
            endpoints: ParseEndpoints(base: "https://a.example", appID: "app"),
            transport: RedactingTransport(OneAnswer(answer: answer)),
            traits: ParseBackend.Traits(asksForSession: false, confirmsKeys: false, takesIDTokens: false),
            clock: .fixed(.sampleStart))
        #expect(try failure { _ = try backend.logIn(.ada) }.retryAfter == 60)
    }

    // MARK: - Lost answers

    @Test(arguments: [
        (502, "<html>"), (502, "{}"), (502, #"{"code":1,"error":"x"}"#), (504, ""), (504, #"{"message":"x"}"#),
        (500, "<html>"), (500, ""), (520, "error code: 520"), (500, "[]"),
    ])
    func `leave open what became of a request that is sent once only`(status: Int, body: String) throws {
        for call in Self.calls {
            let error = try refusal(status, body, call)
            #expect(error.reason == (Self.onceOnly.contains(call) ? .outcomeUnknown : .serverFault))
            #expect(error.nextSteps.first == call.uncertainOutcome)
            if call.uncertainOutcome != nil { #expect(error.message.contains("the answer was lost: ")) }
        }
    }

    @Test(arguments: [(500, #"{"code":1,"error":"x"}"#), (500, "{}"), (520, "{}"), (503, "<html>"), (503, "{}")])
    func `leave nothing open where the server itself says that it failed`(status: Int, body: String) throws {
        for call in Self.calls { #expect(try refusal(status, body, call).reason == .serverFault) }
    }

    @Test func `leave nothing open where a server behind a broken gateway tells a reason`() throws {
        #expect(try refusal(502, #"{"code":202,"error":"x"}"#, .signUp).reason == .usernameTaken)
    }

    // MARK: - Secrets

    @Test func `never show half of a secret where the text is cut`() throws {
        let said = String(repeating: "x", count: 195) + "correct horse"
        let error = try failure {
            let response = HTTPResponse(status: 400, body: Array(#"{"code":141,"error":"\#(said)"}"#.utf8))
            _ = try ParseErrors.check(response, .signUp, secrets: ["correct horse"])
        }
        #expect(!error.message.contains("corr"))
        #expect(error.message.contains("x<reda\""))
    }

    @Test(arguments: ["Zq1!  Top&Secret", "Zq1!TopSecret<x>"])
    func `never show a part of a secret where a page is cut, cleaned or escaped`(password: String) throws {
        let escaped = password.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        for sent in [password, escaped] {
            for length in [0, 100, 188, 195, 200] {
                let page = "<html>\(String(repeating: "x", count: length))\(sent)</html>"
                let response = HTTPResponse(
                    status: 200, headers: ["Content-Type": "text/html"], body: Array(page.utf8))
                let error = try failure { _ = try ParseErrors.check(response, .logIn, secrets: [password]) }
                #expect(!error.message.contains("Zq1"))
            }
        }
    }

    @Test(arguments: ["correct horse", "corr<wbr>ect horse", "correct</b> <i>horse"])
    func `never show a secret in a page that came in the place of an answer`(sent: String) throws {
        let error = try failure {
            let response = HTTPResponse(status: 200, body: Array("<p>you sent \(sent)".utf8))
            _ = try ParseErrors.check(response, .logIn, secrets: ["correct horse"])
        }
        #expect(error.message == "the server's answer is a page, not JSON: \"you sent <redacted>\"")
    }

    private func refusal(_ status: Int, _ body: String, _ call: Operation) throws -> AuthError {
        try failure { _ = try ParseErrors.check(HTTPResponse(status: status, body: Array(body.utf8)), call) }
    }
}
