import CommandTestSupport
import Platform

@testable import AuthClient

/// The order of requests, the sessions that they carry, and what ends a run.
@Suite struct RunChecksTests {
    private static let ada = "r:0123456789abcdef0123456789abcdef"

    private struct Run {
        var cells: [String] = []
        var ending: AuthError?
        var notes: [String] = []
    }

    private static func answer(
        _ status: Int, _ body: String = "{}", _ reason: AuthError.Reason? = nil, retryAfter: Int? = nil,
        headers: HTTPHeaders = [:], refusal: Refusal? = nil
    ) -> Step {
        let error = reason.map { BackendError($0, "x", retryAfter: retryAfter) }
        return .request(
            .success(
                RequestAnswer(
                    HTTPResponse(status: status, headers: headers, body: Array(body.utf8)), error,
                    refusal: refusal ?? ([401, 403, 404].contains(status) ? .denial : nil))))
    }

    private static let known = Step.currentUser(.success(.ada))
    private static let dead = Step.currentUser(.failure(.revoked))

    /// - Parameter stopAfter: the number of cells after which a signal arrives.
    private func run(_ text: String, _ fixture: ClientFixture, stopAfter: Int = .max) throws -> Run {
        let table = try CheckTable(Array(text.utf8), name: "'t'", variables: [:], readBody: { _ in Array("{}".utf8) })
        var (checks, run) = (try RunChecks(table, fixture.client), Run())
        try checks.checkSessions()
        run.ending = try checks.run(
            isStopped: { run.cells.count >= stopAfter },
            report: { cell in
                let row = table.rows[cell.row]
                let actual = cell.outcome?.actual(row.expected[cell.column]) ?? cell.error?.reason.rawValue ?? ""
                run.cells.append("\(table.users[cell.column]) \(row.method.rawValue) \(cell.path) \(actual)")
            }, note: { run.notes.append($0) })
        return run
    }

    private func fixture(_ script: Step..., time: VirtualTime = VirtualTime()) -> ClientFixture {
        let fixture = ClientFixture.sendingRequests(script: script, time: time)
        fixture.store.put(.sample(as: "bob", session: .sample("bob"), user: User(id: "b2")))
        return fixture
    }

    @Test func `all sessions are checked, then each request is sent once for each user, in order`() throws {
        let fixture = fixture(
            Self.known, .currentUser(.success(User(id: "b/2"))), Self.answer(200), Self.answer(404), Self.answer(403),
            Self.answer(200), Self.answer(500, "", .serverFault), .request(.failure(AuthError(.timeout, "no"))))
        let run = try run(
            """
            request me bob anyone
            GET /notes/{me} yes no -
            PUT /notes @n.json - no 200
            HEAD /x yes - 200
            """, fixture)
        #expect(
            run.cells == [
                "me GET /notes/g7y9tkhB7O yes", "bob GET /notes/b%2F2 no", "bob PUT /notes no", "anyone PUT /notes 200",
                "me HEAD /x server-fault", "anyone HEAD /x timeout",
            ])
        expect(run.ending, nil)
        #expect(
            fixture.requests == [
                "currentUser \(Self.ada)", "currentUser bob", "request GET /notes/g7y9tkhB7O with \(Self.ada)",
                "request GET /notes/b%2F2 with bob", "request PUT /notes '{}' with bob", "request PUT /notes '{}'",
                "request HEAD /x with \(Self.ada)", "request HEAD /x",
            ])
    }

    @Test func `a session that the server rejects, or that is not saved, ends the run before the first request`() throws
    {
        let rejected = fixture(Self.known, Self.dead)
        try failure { try run("request me bob\nGET /a yes no", rejected) }.expectMessage(in: "use-cases/check", "dead")
        expect(rejected.requests, ["currentUser \(Self.ada)", "currentUser bob"])
        let missing = fixture()
        try failure { try run("request me carl\nGET /a yes no", missing) }
            .expectMessage(in: "use-cases/check", "missing")
        expect(missing.requests, [])
        let elsewhere = ClientFixture.sendingRequests(apiURL: "https://api.example")
        try expect(failure { try run("request me\nGET /a yes", elsewhere) }.reason, .usage)
    }

    @Test(arguments: [(7, 7), (0, 1), (nil, 5), (3600, 60)] as [(Int?, Int)])
    func `a 429 is waited for once, and the request is sent again`(asked: Int?, seconds: Int) throws {
        let time = VirtualTime()
        let limited = Self.answer(429, "", .rateLimited, retryAfter: asked)
        let fixture = fixture(limited, Self.answer(200), limited, limited, Self.answer(200), time: time)
        let run = try run("request anyone\nGET /a yes\nGET /b yes\nGET /c yes", fixture)
        expect(run.cells, ["anyone GET /a yes", "anyone GET /b rate-limited", "anyone GET /c yes"])
        expect(time.waits.reduce(.zero, +), .seconds(2 * seconds))
        expect(run.notes, Array(repeating: "waiting \(seconds) s, because the server limits requests", count: 2))
    }

    @Test func `a 401 to a valid session is not known, and a dead session ends the run`() throws {
        let denied = Self.answer(401, "{}", .tokenRefused)
        let fixture = fixture(Self.known, denied, Self.known, denied, denied, Self.dead)
        let run = try run("request bob anyone\nGET /a no no\nGET /b no no\n", fixture)
        expect(run.cells, ["bob GET /a invalid-response", "anyone GET /a no", "bob GET /b session-revoked"])
        expect(run.ending?.outcome, .rejected)
    }

    @Test func `a 401 to a session that had to be refreshed is followed by the same request`() throws {
        let fixture = ClientFixture.sendingRequests(
            Self.known, Self.answer(401, "{}", .tokenRefused), Self.dead, .refresh(.success(.refreshed)), Self.known,
            Self.answer(404), stored: .sample(session: .refreshable("old", refresh: "r1")))
        try expect(run("request me\nPOST /a no", fixture).cells, ["me POST /a no"])
        expect(fixture.requests.last, "request POST /a with new")
    }

    @Test(
        arguments: [(3, nil, 3), (60, nil, 5), (0, .tokenTooEarly, 0), (-60, .tokenTooEarly, 0), (0, nil, nil)]
            as [(Int, Refusal?, Int?)])
    func `a request is sent again when its token may have become valid by the clock of the server`(
        ahead: Int, refusal: Refusal?, wait: Int?
    ) throws {
        let (time, start) = (VirtualTime(), 1_767_323_105 + ahead)
        let parts = [#"{"alg":"HS256"}"#, #"{"iat":\#(start)}"#].map {
            Array($0.utf8).base64Encoded.filter { $0 != "=" }
        }
        let early = Self.answer(
            401, "{}", .tokenRefused, headers: ["Date": "Fri, 02 Jan 2026 03:05:05 GMT"], refusal: refusal)
        let fixture = ClientFixture.sendingRequests(
            script: [Self.known, early, Self.known] + (wait == nil ? [] : [Self.answer(200)]),
            stored: .sample(session: .sample("\(parts[0]).\(parts[1]).x")), time: time)
        let run = try run("request me\nGET /a yes", fixture)
        expect(run.cells, ["me GET /a \(wait == nil ? "invalid-response" : "yes")"])
        expect(time.waits.reduce(.zero, +), .seconds(wait ?? 0))
    }

    /// The server of `?rows` needs the right to read them, the server of `?count` does not.
    private struct RowsBackend: ScriptedBackend, ChangedRowsShowing {
        let script: Script

        func showingChangedRows(of request: HTTPRequest, below base: String?) -> HTTPRequest {
            HTTPRequest(request.method, "\(request.url)?rows", body: request.body)
        }

        func countingChangedRows(of shown: HTTPRequest) -> HTTPRequest? {
            HTTPRequest(shown.method, shown.url.replacing("?rows", with: "?count"), body: shown.body)
        }
    }

    @Test(arguments: [
        (answer(200, "[1]"), nil, "yes"), (answer(403), answer(204, "", headers: ["Content-Range": "0-0/1"]), "yes"),
        (answer(403), answer(204, "", headers: ["Content-Range": "*/0"]), "no"),
        (answer(403), answer(403, "", .forbidden), "no"),
        (answer(403), answer(204, "", headers: ["Content-Range": "*/*"]), "invalid-response"),
    ])
    func `a denial of reading the changed rows is not a denial of the change`(
        shown: Step, counted: Step?, actual: String
    ) throws {
        let script = [Self.known, shown] + (counted.map { [$0] } ?? [])
        let fixture = ClientFixture(
            script: script, settings: ClientFixture.sendingRequests().client.settings, stored: .ada,
            environmentToken: nil
        ) { RowsBackend(script: $0.script) }
        try expect(run("request me\nPATCH /a @n.json no", fixture).cells, ["me PATCH /a \(actual)"])
        let sent = ["?rows"] + (counted == nil ? [] : ["?count"])
        expect(
            fixture.requests.filter { $0.hasPrefix("request") },
            sent.map { "request PATCH /a\($0) '{}' with \(Self.ada)" })
    }

    @Test func `a session that expires within a minute is refreshed before its next request`() throws {
        let soon = Session.refreshable("old", refresh: "r1", expiresAt: .sampleNow.adding(.seconds(59)))
        let fixture = ClientFixture.sendingRequests(
            Self.known, .refresh(.success(.refreshed)), Self.answer(200), stored: .sample(session: soon))
        try expect(run("request me\nGET /a yes", fixture).cells, ["me GET /a yes"])
        expect(fixture.requests.last, "request GET /a with new")
    }

    @Test func `a response about a wrong application key ends the run`() throws {
        let fixture = fixture(Self.known, Self.answer(403, "{}", .badAppKey))
        let run = try run("request bob\nGET /a no\nGET /b no", fixture)
        expect(run.cells, ["bob GET /a bad-app-key"])
        expect(run.ending?.outcome, .actionNeeded)
    }

    @Test(arguments: [true, false])
    func `where an ended session is treated like none, denials count only if the session is alive afterwards`(
        isAlive: Bool
    ) throws {
        let fixture = ClientFixture.renewing(
            Self.known, Self.answer(404), Self.answer(200), Self.answer(404), isAlive ? Self.known : Self.dead, age: 1,
            rest: 1000)
        let run = try run("request me anyone\nGET /a no yes\nGET /b 404 -", fixture)
        let actual = isAlive ? ["no", "404"] : ["session-revoked", "session-revoked"]
        expect(run.cells, ["me GET /a \(actual[0])", "anyone GET /a yes", "me GET /b \(actual[1])"])
        expect(run.ending?.reason, (isAlive ? nil : .sessionRevoked))
    }

    @Test func `an API of another server may treat an ended session like none, too`() throws {
        var stored = StoredSession.ada
        stored.apiURL = "https://api.example"
        let fixture = ClientFixture.sendingRequests(
            Self.known, Self.answer(404), Self.dead, stored: stored, apiURL: "https://api.example")
        try expect(run("request me\nGET /a no", fixture).cells, ["me GET /a session-revoked"])
        expect(fixture.requests[1], "request GET https://api.example/a with \(Self.ada)")
    }

    @Test func `no request is sent after a signal`() throws {
        let fixture = fixture(Self.answer(200))
        try expect(run("request anyone\nGET /a yes\nGET /b no", fixture, stopAfter: 1).cells, ["anyone GET /a yes"])
    }
}
