import CommandTestSupport
import Platform

@testable import AuthBackends

@Suite struct AllauthSessionListTests {
    private static func row(_ id: Int, _ created: String, more: String = "") -> String {
        #"{"user_agent":"authctl/1","ip":"127.0.0.1","created_at":\#(created),"id":\#(id),"is_current":\#(id == 2)\#(more)}"#
    }

    private func sessions(_ rows: String) throws -> [SessionSummary] {
        let answer = #"{"status":200,"data":[\#(rows)]}"#
        return try AllauthBackend.replaying(.allauth("GET auth/sessions", as: .token("s1"), 200, answer))
            .sessions(of: .allauthOld).value
    }

    @Test func `the allauth session list includes each session's times, device and IP address`() throws {
        let row = Self.row(2, "1795196542.5278", more: #","last_seen_at":1795196543"#)
        let session = SessionSummary(
            id: "2", isCurrent: true, createdAt: Instant(milliseconds: 1_795_196_542_527),
            lastSeenAt: Instant(seconds: 1_795_196_543), device: "authctl/1", address: "127.0.0.1")
        try expect(sessions(row), [session])
    }

    @Test func `allauth sessions are sorted from newest to oldest, and sessions without a time come last`() throws {
        let rows = [
            Self.row(1, "10"), Self.row(3, "null"), Self.row(2, "30.5"), Self.row(4, "20"), Self.row(5, "1e300"),
            #"{"no":"id"}"#,
        ]
        try expect(sessions(rows.joined(separator: ",")).map(\.id), ["2", "4", "1", "3", "5"])
    }

    private func end(_ status: Int, _ answer: String) throws {
        let body = #"{"sessions":[4]}"#
        _ = try AllauthBackend.replaying(
            .allauth("DELETE auth/sessions", sending: body, as: .token("s1"), status, answer)
        ).endSession(id: "4", of: .allauthOld)
    }

    @Test(arguments: [(200, #"{"status":200,"data":[]}"#), (401, AllauthSample.notLoggedIn)])
    func `an allauth user can revoke any session, even the current session`(status: Int, answer: String) {
        #expect(throws: Never.self) { try end(status, answer) }
    }

    @Test(arguments: ["x", "", "99999999999999999999"])
    func `an invalid allauth session id is rejected without a request`(id: String) throws {
        try expect(
            failure { _ = try AllauthBackend.replaying().endSession(id: id, of: .allauthOld) }.reason, .notFound)
    }
}
