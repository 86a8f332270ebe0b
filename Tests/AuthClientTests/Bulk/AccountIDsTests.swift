import CommandTestSupport
import Platform

@testable import AuthClient

/// The options `--ids` and `--keep-ids` of `users create`.
@Suite struct AccountIDsTests {
    private static let rows = ["ada", "bob", "eve"].map {
        #"{"id":"old-\#($0)","username":"\#($0)","password":"correct horse"}"# + "\n"
    }

    private static let maps: RowLosses.Choice = {
        var choice = RowLosses.Choice()
        choice.mapsIDs = true
        return choice
    }()

    private static let keeps: RowLosses.Choice = {
        var choice = RowLosses.Choice()
        choice.keepsIDs = true
        return choice
    }()

    /// What a server keeps whose administrator chooses the ids of new accounts.
    private static let accounts = AccountKeeping([.username], byAdministrator: .id, ids: IDForm("be short", 1...9))

    private static func line(_ name: String, _ id: String) -> String {
        #"{"id":"old-\#(name)","username":"\#(name)","newId":"\#(id)"}"# + "\n"
    }

    @Test func `the ids file has old and new id of each created row that has an id`() throws {
        let fixture = try BulkFixture()
        fixture.server.add("bob")
        let rows = Self.rows.joined() + #"{"username":"new","password":"correct horse"}"#
        try fixture.create(file: rows, choice: Self.maps)
        expect(fixture.results.lines.map { $0.prefix(9) }, ["1 created", "2 existin", "3 created", "4 created"])
        try expect(fixture.folder.read("ids"), Self.line("ada", "id2") + Self.line("eve", "id3"))
        try expect(fixture.folder.mode("ids"), "600")
    }

    /// - Parameter rest: what a killed run has left in the file.
    @Test(arguments: ["", line("ada", "id1"), line("ada", "id1") + #"{"id":"old-bo"#, line("bob", "id2")])
    func `the next run adds the lines that a killed run has not written`(rest: String) throws {
        let fixture = try BulkFixture()
        try fixture.create(file: Self.rows[..<2].joined(), choice: Self.maps)
        try fixture.folder.write("ids", rest)
        for _ in 1...2 {
            try fixture.create(file: Self.rows.joined(), choice: Self.maps)
            let lines = Set(try fixture.folder.read("ids").split(separator: "\n").map { "\($0)\n" })
            expect(lines, [Self.line("ada", "id1"), Self.line("bob", "id2"), Self.line("eve", "id3")])
            try expect(fixture.folder.read("ids").split(separator: "\n").count, 3)
        }
        expect(fixture.server.requests.count { $0.hasPrefix("signUp") }, 3)
    }

    @Test func `a row whose response was lost has a line after the run that resolves it`() throws {
        let server = FakeAccounts { request, earlier in
            request == "signUp ada" && earlier == 0 ? .after(AuthError(.notWritten, "killed")) : nil
        }
        let fixture = try BulkFixture(server)
        #expect(throws: AuthError.self) { try fixture.create(file: Self.rows[0], choice: Self.maps) }
        try expect(fixture.folder.read("ids"), "")
        try fixture.create(file: Self.rows[0], choice: Self.maps)
        try expect(fixture.folder.read("ids"), Self.line("ada", "id1"))
    }

    @Test func `a line of a deleted account is removed when its row is created anew`() throws {
        let fixture = try BulkFixture()
        for _ in 1...2 {
            try fixture.create(file: Self.rows[0], choice: Self.maps)
            try fixture.delete()
        }
        try fixture.create(file: Self.rows[0], choice: Self.maps)
        try expect(fixture.folder.read("ids"), Self.line("ada", "id3"))
    }

    @Test(arguments: [line("ada", "id9"), "old,new\n", #"{"id":"1","username":"ada","password":"p"}"# + "\n"])
    func `an ids file of another run or program is refused and keeps its content`(text: String) throws {
        let fixture = try BulkFixture()
        try fixture.folder.write("ids", text)
        try expect(failure { try fixture.create(file: Self.rows[0], choice: Self.maps) }.reason, .usage)
        // Now the journal has an account.
        try fixture.create(file: Self.rows[0], choice: RowLosses.Choice())
        try expect(failure { try fixture.create(file: Self.rows[0], choice: Self.maps) }.reason, .usage)
        try expect(fixture.folder.read("ids"), text)
    }

    @Test func `an earlier run without the ids file is completed, but for rows with a repeated id`() throws {
        let fixture = try BulkFixture()
        let rows = Self.rows[0] + Self.rows[1].replacing("old-bob", with: "old-ada") + Self.rows[2]
        try fixture.create(file: rows, choice: RowLosses.Choice())
        expect(fixture.notes.lines.count { $0.contains("add --ids FILE") }, 1)
        try fixture.create(file: rows, choice: Self.maps)
        let results = ["1 skipped", "2 failed: the id is the same as in row 1 (line 1)", "3 skipped"]
        expect(fixture.results.lines.suffix(3).sorted(), results)
        try expect(fixture.folder.read("ids"), Self.line("ada", "id1") + Self.line("eve", "id3"))
    }

    @Test func `a warning counts the accounts whose new id the server does not show`() throws {
        let (fixture, folder) = (ClientFixture(), TestFolder())
        let journal = try AccountJournal(AppendFile(path: folder.path("journal")), fixture.client)
        let ids = try IDsFile(AppendFile(path: folder.path("ids")), of: journal, fixture.client)
        var row = AccountRow(number: 1)
        row.oldID = "1"
        try ids.add(row, nil)
        try ids.finish()
        #expect(fixture.notices.hasSuffix("lacks accounts whose new id the server has not shown: 1"))
        try expect(folder.read("ids"), "")
    }

    @Test(arguments: [true, false])
    func `a kept id is the account's id, and a row whose account has another one fails`(keepsIDs: Bool) throws {
        let fixture = try BulkFixture(FakeAccounts(keepsIDs: keepsIDs), accounts: Self.accounts)
        for _ in 1...2 { try fixture.create(file: Self.rows[0], adminKey: Secret("k"), choice: Self.keeps) }
        expect(fixture.server.accounts, ["ada": keepsIDs ? "old-ada" : "id1"])
        let cause = "the account was created, but the server does not show these values as they were sent: 'id'"
        expect(
            fixture.results.lines,
            keepsIDs ? ["1 created", "1 skipped"] : ["1 failed: \(cause)", "1 failed: \(cause)"])
    }

    /// The other account has the row's name and password, and no age that tells.
    @Test func `after a lost response, an account with another id than the row's is existing`() throws {
        let lost = AuthError(.outcomeUnknown, "the server did not respond")
        let server = FakeAccounts { request, _ in request == "signUp ada" ? .before(lost) : nil }
        server.add("ada", password: "correct horse", age: .zero)
        let fixture = try BulkFixture(server, accounts: Self.accounts)
        try fixture.create(file: Self.rows[0], adminKey: Secret("k"), choice: Self.keeps)
        expect(fixture.results.lines, ["1 existing: the account existed before this row was sent"])
    }
}
