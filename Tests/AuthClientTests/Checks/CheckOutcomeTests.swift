import AuthModel
import Testing
import Transport

@testable import AuthClient

/// What responses say about rights. A denial must be the server's own, and a success must show something.
@Suite struct CheckOutcomeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var method = "GET"
        let status: Int
        var body = ""
        var type = "application/json"
        var isDenied = false
        var reason: AuthError.Reason?
        var hasSession = true
        /// `yes`, `no`, `neither`, or the reason why it is not known.
        let meaning: String
        var items: Int?

        var testDescription: String { "\(method) \(status) \(type) \(body) \(hasSession): \(meaning)" }

        var answer: RequestAnswer {
            RequestAnswer(
                HTTPResponse(status: status, headers: ["Content-Type": type], body: Array(body.utf8)),
                reason.map { BackendError($0, "x") }, isDenied: isDenied)
        }
    }

    private static func success(_ body: String, _ meaning: String, _ items: Int? = nil, _ type: String = "") -> Row {
        Row(status: 200, body: body, type: type.isEmpty ? "application/json" : type, meaning: meaning, items: items)
    }

    private static let page = "<!doctype html><p>Log in to the network"
    private static let rows = [
        Row(status: 204, meaning: "yes"), Row(method: "HEAD", status: 200, meaning: "yes"),
        Row(status: 201, body: "{}", meaning: "yes"), success("text", "yes", nil, "text/plain"),
        success("null", "yes"), success("7", "yes"), success(#"{"a":[]}"#, "yes"),
        // Lists, as `--paginate` knows them.
        success("[]", "no", 0), success("[1,{}]", "yes", 2), success(#"{"results":[]}"#, "no", 0),
        success(#"{"results":[{"objectId":"x"}],"id":1}"#, "yes", 1), success(#"{"data":[],"status":"ok"}"#, "no", 0),
        success(#"{"items":[],"page":1,"perPage":30,"totalItems":0,"totalPages":0}"#, "no", 0),
        success(#"{"count":0,"next":null,"previous":null,"results":[]}"#, "no", 0),
        // A record with an empty array is no list.
        success(#"{"id":7,"data":[]}"#, "yes"), success(#"{"objectId":"x","results":[]}"#, "yes"),
        success(#"{"items":[],"total":0}"#, "yes"), success(#"{"id":1,"next":null,"tags":[]}"#, "yes"),
        // An empty page of a list that has items, and lists under other names.
        success(#"{"results":[],"count":5}"#, "invalid-response"),
        success(#"{"items":[],"page":9,"perPage":30,"totalItems":3}"#, "invalid-response"),
        success(#"{"results":[],"next":"/x?page=2"}"#, "invalid-response"),
        success(#"{"count":0,"next":null,"rows":[]}"#, "invalid-response"),
        success(#"{"count":2,"rows":[1,2]}"#, "invalid-response"),
        // Gateways and captive portals.
        success(page, "invalid-response", nil, "text/html"), success("\n\(page)", "invalid-response"),
        success("Welcome <b>guest</b>", "invalid-response", nil, "text/html"),
        success("ok", "yes", nil, "text/html"), success("[]", "no", 0, "text/html; charset=utf-8"),
        Row(method: "HEAD", status: 200, type: "text/html", meaning: "invalid-response"),
        Row(status: 403, body: page, type: "text/html", isDenied: true, meaning: "invalid-response"),
        Row(status: 404, body: page, type: "", reason: .notFound, meaning: "invalid-response"),
        Row(status: 302, isDenied: true, reason: .redirect, meaning: "redirect"), Row(status: 304, meaning: "redirect"),
        Row(status: 429, body: "{}", isDenied: true, reason: .rateLimited, meaning: "rate-limited"),
        Row(status: 500, body: "{}", isDenied: true, meaning: "server-fault"),
        Row(status: 503, body: page, reason: .serverFault, meaning: "server-fault"),
        Row(status: 101, meaning: "server-fault"),
        // Denials.
        Row(status: 403, isDenied: true, reason: .forbidden, meaning: "no"),
        Row(status: 400, isDenied: true, reason: .forbidden, meaning: "no"),
        Row(status: 404, isDenied: true, reason: .notFound, hasSession: false, meaning: "no"),
        Row(status: 409, reason: .conflict, meaning: "neither"),
        Row(status: 400, body: "{}", reason: .invalidFields, hasSession: false, meaning: "neither"),
        // Some servers reject a request without a session as if it had an invalid one.
        Row(status: 400, reason: .sessionRevoked, hasSession: false, meaning: "no"),
        Row(status: 410, reason: .tokenRefused, hasSession: false, meaning: "no"),
        Row(status: 400, reason: .sessionRevoked, meaning: "neither"),
    ]

    @Test(arguments: rows)
    func `a response shows whether its request is allowed or denied, or is not usable`(row: Row) {
        let method = HTTPRequest.Method(rawValue: row.method)
        do throws(AuthError) {
            let outcome = try CheckOutcome(row.answer, to: method, hasSession: row.hasSession)
            let words: [CheckOutcome.Meaning: String] = [.allowed: "yes", .denied: "no", .neither: "neither"]
            #expect(words[outcome.meaning] == row.meaning)
            #expect(outcome.items == row.items)
            #expect(outcome.status == row.status)
        } catch {
            #expect(error.reason.rawValue == row.meaning)
            #expect([.unreachable, .serverError].contains(error.outcome))
            #expect(error.server?.status == row.status)
        }
    }

    @Test(
        arguments: [
            ("[1,2]", 200, false, ["yes": "yes", "no": "yes", "200": "200", "404": "200", "items=2": "items=2"]),
            ("[]", 200, false, ["yes": "no", "no": "no", "200": "200", "items=0": "items=0", "items=1": "items=0"]),
            ("{}", 201, false, ["yes": "yes", "no": "yes", "200": "201", "items=1": "yes"]),
            ("{}", 404, true, ["yes": "no", "no": "no", "404": "404", "403": "404", "items=0": "no"]),
            ("{}", 409, false, ["yes": "409", "no": "409", "409": "409", "items=0": "409"]),
        ] as [(String, Int, Bool, [String: String])])
    func `an outcome is as expected only if it is the same word`(
        body: String, status: Int, isDenied: Bool, words: [String: String]
    ) throws {
        let row = Row(status: status, body: body, isDenied: isDenied, meaning: "")
        let outcome = try CheckOutcome(row.answer, to: .get, hasSession: true)
        for (word, actual) in words {
            let expected = try #require(CheckExpectation(word))
            #expect(outcome.actual(expected) == actual)
            #expect(outcome.meets(expected) == (word == actual))
        }
    }

    @Test(
        arguments: [
            (401, nil, true), (401, .forbidden, true), (400, .sessionRevoked, true), (400, .sessionExpired, true),
            (403, .tokenRefused, true), (403, .forbidden, false), (404, .notFound, false), (200, nil, false),
        ] as [(Int, AuthError.Reason?, Bool)])
    func `status 401, and errors about the session, cause another check of the session`(
        status: Int, reason: AuthError.Reason?, doubts: Bool
    ) {
        #expect(CheckOutcome.doubtsSession(Row(status: status, reason: reason, meaning: "").answer) == doubts)
    }
}
