import CommandTestSupport
import Platform

@testable import AuthClient

@Suite struct RefreshSessionsTests {
    private let fixture: BulkFixture
    /// The tokens file at the report of each row.
    private let reported = Journal()

    init() throws {
        fixture = try BulkFixture()
    }

    private static func line(_ name: String, _ tokens: String) -> String {
        let members = #""token":"t-\#(tokens)","expiresAt":null,"refreshToken":"r-\#(tokens)""#
        return BulkFixture.tokens(name, members, id: #""id-\#(name)""#) + "\n"
    }

    private static func refreshed(_ tokens: String) -> Step {
        .refresh(.success(Session(token: Secret("t-\(tokens)"), refreshToken: Secret("r-\(tokens)"))))
    }

    /// - Returns: the requests.
    private func refresh(_ text: String, _ steps: Step...) throws -> [String] {
        try fixture.folder.write("tokens", text)
        let requests = Journal()
        let backend = FakeBackend(steps, journal: requests)
        let work = try RefreshSessions(try fixture.file(.tokens), ClientFixture(backend: backend).client)
        let run = BulkRun(
            [BulkWorker(backend, masker: Masker())], interval: .zero, waiting: fixture.time.waiting,
            isStopped: { false },
            report: { [folder = fixture.folder, reported] _ in
                // `try?`: an unreadable file fails the comparison.
                reported.add((try? folder.read("tokens")) ?? "")
            }, note: { _ in })
        try run.run(work)
        return requests.lines
    }

    @Test func `each response is in the tokens file before the next request, and at the end each account has one line`()
        throws
    {
        let old = Self.line("ada", "a0") + Self.line("bob", "b0")
        _ = try refresh(old, Self.refreshed("a1"), Self.refreshed("b1"))
        let first = old + Self.line("ada", "a1")
        expect(reported.lines, [first, first + Self.line("bob", "b1")])
        try expect(fixture.folder.read("tokens"), Self.line("ada", "a1") + Self.line("bob", "b1"))
    }

    @Test(arguments: [(#""server":null"#, #""server":"https://b.example""#), (BulkFixture.scope, "")])
    func `users refresh sends nothing if a line is of another server, or names none`(
        member: String, other: String
    ) throws {
        let text = Self.line("ada", "a0") + Self.line("bob", "b0").replacing(member, with: other)
        try expect(failure { _ = try refresh(text) }.reason, .usage)
        try expect(fixture.folder.read("tokens"), text)
    }

    @Test(arguments: ["", #"{"id":null,"username":"bob","tok"#])
    func `after a kill, the last whole line of an account counts`(torn: String) throws {
        let killed = Self.line("ada", "a0") + Self.line("bob", "b0") + Self.line("ada", "a1") + torn
        let requests = try refresh(killed, Self.refreshed("a2"), .refresh(.failure(AuthError(.sessionExpired, "no"))))
        expect(requests, ["backend: refresh r-a1 of t-a1", "backend: refresh r-b0 of t-b0"])
        try expect(fixture.folder.read("tokens"), Self.line("ada", "a2") + Self.line("bob", "b0"))
    }
}
