import AuthModel
import CommandTestSupport
import Platform

@testable import AuthClient

/// Bulk files that outlive their accounts.
@Suite struct StaleFilesTests {
    /// Lines of a credentials file, with or without ids.
    private static func rows(_ names: String..., ids: Bool = false) -> String {
        names.map { name in
            let id = ids ? #""id":"id\#(name.last ?? "0")","# : ""
            return #"{\#(id)"username":"\#(name)","password":"correct horse"}"# + "\n"
        }.joined()
    }

    private static func line(_ name: String, id: String, expiresAt: String = "null") -> String {
        BulkFixture.tokens(name, #""token":"token-\#(name)","expiresAt":\#(expiresAt)"#, id: #""\#(id)""#) + "\n"
    }

    private static let new = #""2027-01-02T03:04:05Z""#

    /// The server has the accounts u1 and u2 with the ids id1 and id2.
    private func fixture(_ tokens: String) throws -> BulkFixture {
        let fixture = try BulkFixture()
        for name in ["u1", "u2"] { fixture.server.add(name, password: "correct horse") }
        try fixture.folder.write("tokens", tokens)
        return fixture
    }

    @Test(
        arguments: [
            ("ids agree", true, "id1", "id2", ["1 skipped", "2 skipped"], ["user u1"]),
            ("no ids", false, "id1", "id2", ["1 skipped", "2 skipped"], ["user u1", "user u2"]),
            ("another account", true, "old", "id2", ["1 logged-in", "2 skipped"], ["logIn u1", "user u2"]),
            (
                "another account, no ids", false, "old", "id2", ["1 logged-in", "2 skipped"],
                ["user u1", "logIn u1", "user u2"]
            ),
        ] as [(String, Bool, String, String, [String], [String])])
    func `users login skips a line only if its token is the account's`(
        situation: String, hasIDs: Bool, first: String, second: String, results: [String], requests: [String]
    ) throws {
        let fixture = try fixture(Self.line("u1", id: first) + Self.line("u2", id: second))
        try fixture.logIn(Self.rows("u1", "u2", ids: hasIDs))
        expect(fixture.results.lines, results, "\(situation)")
        expect(fixture.server.requests, requests, "\(situation)")
        let isNew = results[0] == "1 logged-in"
        let lines = Self.line("u1", id: "id1", expiresAt: isNew ? Self.new : "null") + Self.line("u2", id: "id2")
        try expect(fixture.folder.read("tokens"), lines, "\(situation)")
    }

    @Test func `users login replaces expired tokens, and leaves no dead line of an account that is gone`() throws {
        let over = #""2026-05-01T00:00:00Z""#
        let fixture = try fixture(Self.line("u1", id: "id1", expiresAt: over) + Self.line("u3", id: "id3"))
        try fixture.logIn(Self.rows("u1", "u3", ids: true))
        expect(
            fixture.results.lines, ["1 logged-in", "2 failed: the account is gone, or has another password"])
        expect(fixture.server.requests, ["logIn u1", "user u3", "logIn u3"])
        try expect(fixture.folder.read("tokens"), Self.line("u1", id: "id1", expiresAt: Self.new))
    }

    @Test func `if users create would skip all rows, it asks about one account, which may be gone`() throws {
        let fixture = try BulkFixture()
        try fixture.create(2)
        try fixture.create(2)
        fixture.server.remove("ci-1")
        fixture.server.remove("ci-2")
        let journal = try fixture.folder.read("journal")
        try fixture.create(2)
        let results = ["1 created", "2 created", "1 skipped", "2 skipped", "1 skipped"]
        expect(fixture.results.lines, results + ["2 failed: the account is gone"])
        expect(fixture.server.requests, ["signUp ci-1", "signUp ci-2", "find id2", "find id2"])
        try expect(fixture.folder.read("journal"), journal)
        try fixture.delete()
        try fixture.create(2)
        expect(fixture.results.lines.suffix(4), ["1 gone", "2 gone", "1 created", "2 created"])
    }

    @Test func `after a deletion, users create keeps no dead tokens, and users delete names their lines`() throws {
        let fixture = try BulkFixture()
        try fixture.create(2, tokens: true)
        try fixture.delete(tokens: true)
        #expect(fixture.warnings.contains("lines 1, 2 of '"), "\(fixture.warnings)")
        try fixture.create(1, tokens: true)
        let tokens = try fixture.folder.read("tokens").split(separator: "\n")
        #expect(tokens.count == 1 && tokens[0].contains(#""id":"id3""#), "\(tokens)")
    }

    @Test func `a row that ended the run before it created an account may be corrected`() throws {
        let server = FakeAccounts { request, _ in
            request == "signUp bob" ? .before(AuthError(.unsupported, "no such field")) : nil
        }
        let fixture = try BulkFixture(server)
        let head = "username,password,mood\nada,correct horse,x\n"
        #expect(throws: AuthError.self) { try fixture.create(file: head + "bob,correct horse,x\n") }
        try fixture.create(file: head + "rob,correct horse,y\n")
        expect(fixture.results.lines, ["1 created", "1 skipped", "2 created"])
    }

    @Test func `files are set aside under the first free number, unless another program wrote them`() throws {
        let fixture = try BulkFixture()
        try fixture.create(1)
        try fixture.folder.write("journal.1", "taken")
        let journal = try fixture.folder.read("journal")
        try expect(fixture.file(.journal).setAside(as: .journal)?.hasSuffix("/journal.2"), true)
        try expect(fixture.folder.read("journal.2"), journal)
        try expect(fixture.folder.read("journal.1"), "taken")
        try fixture.folder.write("tokens", "a letter\n")
        #expect(throws: AuthError.self) { try fixture.file(.tokens).setAside(as: .tokens) }
        try expect(fixture.folder.read("tokens"), "a letter\n")
    }
}
