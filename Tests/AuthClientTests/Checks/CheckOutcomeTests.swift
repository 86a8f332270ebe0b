import AuthModel
import Expectations
import Transport

@testable import AuthClient

/// What responses say about rights. A denial must be the server's own, and a success must show something.
@Suite struct CheckOutcomeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var method = "GET"
        let status: Int
        var body = ""
        var type = "application/json"
        var range = ""
        var refusal: Refusal?
        var reason: AuthError.Reason?
        var hasSession = true
        /// `yes`, `no`, `neither`, or the reason why it is not known.
        let meaning: String
        var items: Int?

        var testDescription: String { "\(method) \(status) \(type) \(body) \(hasSession): \(meaning)" }

        var answer: RequestAnswer {
            let headers: HTTPHeaders = ["Content-Type": type, "Content-Range": range]
            return RequestAnswer(
                HTTPResponse(status: status, headers: headers, body: Array(body.utf8)),
                reason.map { BackendError($0, "x") }, refusal: refusal)
        }
    }

    private static func success(_ body: String, _ meaning: String, _ items: Int? = nil, _ type: String = "") -> Row {
        Row(status: 200, body: body, type: type.isEmpty ? "application/json" : type, meaning: meaning, items: items)
    }

    private static let page = "<!doctype html><p>Log in to the network"
    private static let rows = [
        Row(status: 204, meaning: "yes"), Row(method: "HEAD", status: 200, meaning: "yes"),
        Row(status: 201, body: "{}", meaning: "yes"), success("text", "yes", nil, "text/plain"),
        success("null", "yes"), success("7", "yes"), success(#"{"a":[],"b":"x"}"#, "yes"),
        // Lists, as `--paginate` knows them.
        success("[]", "no", 0), success("[1,{}]", "yes", 2), success(#"{"results":[]}"#, "no", 0),
        success(#"{"results":[{"objectId":"x"}],"id":1}"#, "yes", 1), success(#"{"data":[],"status":"ok"}"#, "no", 0),
        success(#"{"items":[],"page":1,"perPage":30,"totalItems":0,"totalPages":0}"#, "no", 0),
        success(#"{"count":0,"next":null,"previous":null,"results":[]}"#, "no", 0),
        // A record with an empty array is no list.
        success(#"{"id":7,"data":[]}"#, "yes"), success(#"{"objectId":"x","results":[]}"#, "yes"),
        success(#"{"id":1,"next":null,"tags":[]}"#, "yes"), success(#"{"name":"ada","items":[]}"#, "yes"),
        success(#"{"user":{"pk":1,"tags":[]}}"#, "yes"), success(#"{"a":[],"b":[1]}"#, "yes"),
        // A list alone in an object, and a number of rows without a body.
        success(#"{"result":[]}"#, "no", 0), success(#"{"result":[1]}"#, "yes", 1),
        success(#"{"items":[],"count":0}"#, "no", 0), success(#"{"items":[],"count":3}"#, "invalid-response"),
        Row(method: "HEAD", status: 200, range: "*/0", meaning: "no", items: 0),
        Row(method: "HEAD", status: 200, range: "*/*", meaning: "no", items: 0),
        Row(method: "PATCH", status: 204, range: "*/*", meaning: "yes"),
        Row(method: "PATCH", status: 204, range: "0-0/1", meaning: "yes", items: 1),
        // Empty pages of other frameworks, and JSON that is cut off or guarded.
        success(#"{"content":[],"totalElements":0,"last":true}"#, "invalid-response"),
        success(#"{"@odata.context":"x","value":[]}"#, "invalid-response"), success(#"{"a":[]}"#, "invalid-response"),
        success(#"{"data":{"notes":[]},"ok":true}"#, "invalid-response"),
        success(#"{"results":[{"i"#, "invalid-response"),
        success(")]}',\n[]", "invalid-response", nil, "application/problem+json; charset=utf-8"),
        success("{cut", "yes", nil, "text/plain"),
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
        Row(status: 403, body: page, type: "text/html", refusal: .denial, meaning: "invalid-response"),
        Row(status: 404, body: page, type: "", reason: .notFound, meaning: "invalid-response"),
        Row(status: 302, refusal: .denial, reason: .redirect, meaning: "redirect"),
        Row(status: 304, meaning: "redirect"),
        Row(status: 429, body: "{}", refusal: .denial, reason: .rateLimited, meaning: "rate-limited"),
        Row(status: 500, body: "{}", refusal: .denial, meaning: "server-fault"),
        Row(status: 503, body: page, reason: .serverFault, meaning: "server-fault"),
        Row(status: 101, meaning: "server-fault"),
        // Denials.
        Row(status: 403, refusal: .denial, reason: .forbidden, meaning: "no"),
        Row(status: 400, refusal: .denial, reason: .forbidden, meaning: "no"),
        Row(status: 404, refusal: .denial, reason: .notFound, hasSession: false, meaning: "no"),
        Row(status: 409, reason: .conflict, meaning: "neither"),
        Row(status: 400, body: "{}", reason: .invalidFields, hasSession: false, meaning: "neither"),
        // A status that denies, without evidence that the application decided.
        Row(status: 403, refusal: .gateway, reason: .forbidden, meaning: "invalid-response"),
        Row(status: 404, refusal: .unclear, reason: .notFound, meaning: "invalid-response"),
        Row(status: 401, refusal: .tokenTooEarly, hasSession: false, meaning: "invalid-response"),
        Row(status: 401, refusal: .denial, reason: .tokenRefused, meaning: "invalid-response"),
        Row(status: 401, refusal: .denial, reason: .tokenRefused, hasSession: false, meaning: "no"),
        Row(status: 401, refusal: .other, reason: .badAppKey, hasSession: false, meaning: "neither"),
        // A success that contains only errors.
        Row(status: 200, body: "[{}]", refusal: .denial, meaning: "no"),
        Row(status: 200, body: "[{}]", refusal: .other, meaning: "invalid-response"),
        // Some servers reject a request without a session as if it had an invalid one.
        Row(status: 400, reason: .sessionRevoked, hasSession: false, meaning: "no"),
        Row(status: 410, reason: .tokenRefused, hasSession: false, meaning: "no"),
        Row(status: 400, reason: .sessionRevoked, meaning: "invalid-response"),
    ]

    @Test(arguments: rows)
    func `a response shows whether its request is allowed or denied, or is not usable`(row: Row) {
        let method = HTTPRequest.Method(rawValue: row.method)
        do throws(AuthError) {
            let outcome = try CheckOutcome(row.answer, to: method, hasSession: row.hasSession, expecting: .no)
            let words: [CheckOutcome.Meaning: String] = [.allowed: "yes", .denied: "no", .neither: "neither"]
            expect(words[outcome.meaning], row.meaning)
            expect(outcome.items, row.items)
            expect(outcome.status, row.status)
        } catch {
            expect(error.reason.rawValue, row.meaning)
            #expect([.unreachable, .serverError].contains(error.outcome))
            expect(error.server?.status, row.status)
        }
    }

    @Test(
        arguments: [
            ("[1,2]", 200, nil, ["yes": "yes", "no": "yes", "200": "200", "404": "200", "items=2": "items=2"]),
            ("[]", 200, nil, ["yes": "no", "no": "no", "200": "200", "items=0": "items=0", "items=1": "items=0"]),
            ("{}", 201, nil, ["yes": "yes", "no": "yes", "200": "201", "items=1": "yes"]),
            ("{}", 404, .denial, ["yes": "no", "no": "no", "404": "404", "403": "404", "items=0": "no"]),
            ("{}", 409, .other, ["yes": "409", "no": "409", "409": "409", "items=0": "409"]),
            // Only a status is known.
            ("{}", 401, .denial, ["yes": nil, "no": nil, "401": "401", "403": "401", "items=0": nil]),
            ("{}", 404, .unclear, ["yes": nil, "no": nil, "404": "404"]),
            ("{}", 403, .gateway, ["no": nil, "403": nil]),
            ("{}", 200, .other, ["yes": nil, "no": nil, "200": "200"]), ("{cut", 200, nil, ["yes": nil, "200": "200"]),
        ] as [(String, Int, Refusal?, [String: String?])])
    func `an outcome is as expected only if it is the same word`(
        body: String, status: Int, refusal: Refusal?, words: [String: String?]
    ) throws {
        let row = Row(status: status, body: body, refusal: refusal, meaning: "")
        for (word, actual) in words {
            let expected = try #require(CheckExpectation(word))
            // `try?`: the response does not tell.
            let outcome = try? CheckOutcome(row.answer, to: .get, hasSession: true, expecting: expected)
            expect(outcome?.actual(expected), actual)
            expect((outcome?.meets(expected) ?? false), (word == actual))
        }
    }

    @Test(
        arguments: [
            // An object, and the items of lists; a listed member may be missing, and every member counts.
            (#"{"id":1,"t":2}"#, "fields=t,id", "fields=t,id"), (#"{"id":1}"#, "fields=id,x", "fields=id,x"),
            (#"{"id":1,"t":2}"#, "fields=t", "id"), (#"{"e":1,"id":1,"p":2}"#, "fields=id", "e,p"),
            (#"[{"id":1},{"p":2},{"p":3}]"#, "fields=id", "p"), (#"[{"id":1}]"#, "fields=id", "fields=id"),
            (#"{"results":[{"id":1,"p":{"id":2}}]}"#, "fields!=q,p", "p"),
            (#"{"results":[{"p":1}],"count":1}"#, "fields!=count", "fields!=count"),
            (#"{"result":[{"p":1}]}"#, "fields!=p", "p"), (#"{"id":1,"data":[],"p":1}"#, "fields=id,data", "p"),
            // A name that is a word of the table does not meet it.
            (#"{"fields=a":1}"#, "fields=a", "fields=a"), (#"{"yes":1}"#, "fields=a", "yes"),
            ("[\((0..<30).map { #"{"n\#($0)":1}"# }.joined(separator: ","))]", "fields!=n3,n29", "n3,n29"),
            ("[]", "fields=a", "no"), (#"{"results":[]}"#, "fields!=a", "no"),
            // Items without members, and answers that are not JSON, are not known.
            ("text", "fields=a", nil), ("", "fields!=a", nil), ("[1]", "fields!=a", nil), ("7", "fields=a", nil),
            (#"[{"a":1},null]"#, "fields=a", nil), (#"{"a":1,"a":2}"#, "fields=a", nil),
        ] as [(String, String, String?)])
    func `fields are the members of each item, and others are named`(body: String, word: String, actual: String?) throws
    {
        let expected = try #require(CheckExpectation(word))
        let row = Row(status: 200, body: body, type: "text/plain", meaning: "")
        // `try?`: the response does not tell.
        let outcome = try? CheckOutcome(row.answer, to: .get, hasSession: true, expecting: expected)
        expect(outcome?.actual(expected), actual)
        expect(outcome?.meets(expected), actual.map { $0 == word && body != #"{"fields=a":1}"# })
        let denied = Row(status: 403, body: "{}", refusal: .denial, meaning: "")
        try expect(
            CheckOutcome(denied.answer, to: .get, hasSession: true, expecting: expected).actual(expected), "no")
    }

    @Test func `at most 20 names of fields are shown`() throws {
        let body = "{\((0..<30).map { #""n\#($0)":1"# }.joined(separator: ","))}"
        let row = Row(status: 200, body: body, meaning: "")
        let outcome = try CheckOutcome(row.answer, to: .get, hasSession: true, expecting: .fields(["n0"]))
        expect(outcome.actual(.fields(["n0"])), (1...20).map { "n\($0)," }.joined() + "…")
    }

    @Test(
        arguments: [
            (401, nil, true), (401, .forbidden, true), (400, .sessionRevoked, true), (400, .sessionExpired, true),
            (403, .tokenRefused, true), (403, .forbidden, false), (404, .notFound, false), (200, nil, false),
        ] as [(Int, AuthError.Reason?, Bool)])
    func `status 401, and errors about the session, cause another check of the session`(
        status: Int, reason: AuthError.Reason?, doubts: Bool
    ) {
        expect(CheckOutcome.doubtsSession(Row(status: status, reason: reason, meaning: "").answer), doubts)
    }
}
