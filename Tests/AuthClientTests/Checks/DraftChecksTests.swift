import CommandTestSupport
import JSON

@testable import AuthClient

/// Which requests a draft sends, and which rows it has.
@Suite struct DraftChecksTests {
    private static func answer(_ status: Int, _ body: String = "{}", _ refusal: Refusal? = nil) -> Step {
        let reason: AuthError.Reason? = status == 401 ? .tokenRefused : status < 300 ? nil : .forbidden
        return .request(
            .success(
                RequestAnswer(
                    HTTPResponse(status: status, body: Array(body.utf8)), reason.map { BackendError($0, "x") },
                    refusal: refusal ?? ([401, 403, 404].contains(status) ? .denial : nil))))
    }

    private static let known = Step.currentUser(.success(.ada))
    private static let notes = DescribedList(path: "/notes", item: [.text("/notes/"), .member(["id"])])

    private func list(_ ids: String...) -> Step {
        Self.answer(200, "[\(ids.map { #"{"id":\#($0),"text":"x"}"# }.joined(separator: ","))]")
    }

    /// Runs a draft of `me` and `anyone`.
    ///
    /// - Returns: the rows, and then what is left out.
    private func run(
        _ steps: [Step], _ lists: [DescribedList] = [notes], skipping patterns: [String] = [], limit: Int = 100
    ) throws -> (lines: [String], sent: [String]) {
        let fixture = ClientFixture.sendingRequests(script: [Self.known] + steps)
        var drafts = try DraftChecks(fixture.client, users: ["me", "anyone"])
        let draft = try drafts.run(lists, skipping: patterns, limit: limit, note: { _ in })
        let rows = draft.rows.map { "\($0.path) \($0.outcomes.joined(separator: " "))" }
        return (
            rows + draft.leftOut.map { "\($0.request): \($0.reason)" },
            fixture.requests.filter { $0.hasPrefix("request") }
        )
    }

    @Test func `each list is requested as all users, and then an item that each of them sees`() throws {
        let steps = [
            list("1", "2"), list("2", "3"), Self.answer(200), Self.answer(404), Self.answer(403), Self.answer(200),
        ]
        let done = try run(steps)
        expect(done.lines, ["/notes yes yes", "/notes/1 yes no", "/notes/3 no yes"])
        expect(
            done.sent.map { String($0.split(separator: " ")[2]) },
            ["/notes", "/notes", "/notes/1", "/notes/1", "/notes/3", "/notes/3"])
        expect(done.sent.count { $0.contains(" with ") }, 3)
    }

    @Test func `an item that all users see, and a user who sees none, add no rows of their own`() throws {
        let steps = [list("1", "2"), list("1", "2"), Self.answer(200), Self.answer(200)]
        try expect(run(steps).lines, ["/notes yes yes", "/notes/1 yes yes"])
        try expect(
            run([list("1"), list(), Self.answer(200), Self.answer(404)]).lines, ["/notes yes no", "/notes/1 yes no"])
    }

    @Test func `a status that denies in no known form is the outcome, and what does not tell is left out`() throws {
        let odd = DescribedList(path: "/odd", item: [])
        try expect(run([Self.answer(409), Self.answer(404, "{}", .unclear)], [odd]).lines, ["/odd 409 404"])
        let denied = [Self.answer(401), Self.known, Self.answer(401)]
        try expect(run(denied, [odd]).lines, ["/odd 401 no"])
        let page = Self.answer(404, "<html>", .gateway)
        try expect(
            run([page, Self.answer(200)], [odd]).lines,
            ["/odd - yes", "GET /odd as me: the response is an HTML page (HTTP 404)"])
        let failed = Self.answer(500)
        try expect(
            run([failed, failed, Self.answer(200), Self.answer(200)], [odd, DescribedList(path: "/b", item: [])]).lines,
            ["/b yes yes"] + ["me", "anyone"].map { "GET /odd as \($0): the server failed (HTTP 500)" })
        try expect(failure { try run([failed, page], [odd]) }.outcome, .serverError)
        try expect(failure { try run([], []) }.outcome, .unreachable)
    }

    @Test func `paths that are skipped, end a session or cannot be sent are left out, and so are unsafe ids`() throws {
        let lists = ["/a/x", "/api/log-out/", "/a/../b", "/{me}", "/b#c", "/auth/Logout"].map {
            DescribedList(path: $0, item: [])
        }
        let unsafe = list(#""a/b""#, #""..""#, #""\u0007""#, #""""#, "true", #""a b{me}""#)
        let done = try run(
            [unsafe, list(), Self.answer(200), Self.answer(404)], [Self.notes] + lists, skipping: ["/a*x", "/no"])
        expect(
            done.lines,
            ["/notes yes no", "/notes/a%20b%7Bme%7D yes no", "GET /a/x: --skip"]
                + ["/api/log-out/"].map { "GET \($0): it belongs to logins and may end a session" }
                + ["/a/../b", "/{me}", "/b#c"].map { "GET \($0): it is not a path that authctl can request" }
                + ["GET /auth/Logout: it belongs to logins and may end a session"]
                + ["a/b", "..", "\u{7}", ""].map { "an item of /notes: its id is '\($0)'" })
    }

    @Test(arguments: [
        ("*", "/a/b", true), ("/a*", "/a/b", true), ("*b", "/a/b", true), ("/a", "/a/b", false),
        ("*/a/*", "/x/a/b/a/", true),
        ("/*a*c", "/abcabc", true), ("/*a*d", "/abcabc", false), ("", "/", false), ("/a**b", "/ab", true),
    ])
    func `a pattern matches the whole path`(pattern: String, path: String, isSkipped: Bool) throws {
        let steps = isSkipped ? [Self.answer(200), Self.answer(200)] : (0..<4).map { _ in Self.answer(200) }
        let lists = [DescribedList(path: "/other", item: []), DescribedList(path: path, item: [])]
        try expect(
            run(steps, lists, skipping: pattern == "*" ? ["*/b"] : [pattern]).sent.count,
            steps.count)
    }

    @Test(arguments: [(1, 0), (2, 2), (3, 2), (4, 4), (6, 6), (100, 6)])
    func `no more requests are sent than the limit allows, lists first`(limit: Int, sent: Int) throws {
        let lists = [Self.notes, DescribedList(path: "/b", item: [])]
        let steps = [list("1"), list("1"), Self.answer(200), Self.answer(200), Self.answer(200), Self.answer(200)]
        guard sent > 0 else {
            try expect(failure { try run([], lists, limit: limit) }.outcome, .unreachable)
            return
        }
        let done = try run(Array(steps.prefix(sent)), lists, limit: limit)
        expect(done.sent.count, sent)
        expect(done.lines.contains("GET /notes/1: the limit of \(limit) requests"), sent < 6)
    }

    @Test func `a session that ends during the draft ends it`() throws {
        let steps = [Self.answer(401), Step.currentUser(.failure(.revoked))]
        try expect(failure { try run(steps) }.reason, .sessionRevoked)
    }

    @Test func `a list with a composite key has items with both ids, percent-encoded`() {
        let list = DescribedList(
            path: "/t", item: [.text("/t?a=eq."), .member(["a"]), .text("&b=eq."), .member(["b", "c"])])
        expect(list.ids(in: ["a": 1, "c": "x&y"]).map { list.path(ofItem: $0) }, "/t?a=eq.1&b=eq.x%26y")
        expect(list.ids(in: ["a": 1]), nil)
        expect(DescribedList(path: "/t", item: []).ids(in: ["id": 1]), nil)
    }
}
