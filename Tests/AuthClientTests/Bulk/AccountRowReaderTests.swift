import AuthModel
import JSON
import Platform
import Testing

@testable import AuthClient

@Suite struct AccountRowReaderTests {
    private func rows(_ text: String) throws(AccountRowError) -> [AccountRow] {
        var reader = AccountRowReader(ByteSource(bytes: Array(text.utf8)))
        var rows: [AccountRow] = []
        while let row = try reader.next() { rows.append(row) }
        return rows
    }

    @Test func `the values of an NDJSON row keep their JSON types`() throws {
        let rows = try rows(
            #"{"username":"ada","password":"p","email":"a@b.c","id":"x1","age":7,"prefs":{"a":[true,null]}}"# + "\r\n\n"
                + #"{"username":"bob","email":null}"#)
        try #require(rows.count == 2)
        #expect(rows[0].username == "ada" && rows[0].password == Secret("p"))
        #expect(rows[0].email == "a@b.c" && rows[0].id == "x1")
        #expect(rows[0].fields == ["age": 7, "prefs": ["a": [true, nil]]])
        #expect(rows[1].email == nil && rows[1].password == nil)
        #expect(rows.map(\.place) == ["row 1 (line 1)", "row 2 (line 3)"])
    }

    @Test func `CSV values are text, and an empty value counts as missing`() throws {
        let rows = try rows("\u{FEFF}username,email,password,age\r\nada,,p,7\r\n\r\n\"b, \"\"c\"\"\nd\",x@y.z,\"\",\n")
        try #require(rows.count == 2)
        #expect(rows[0].username == "ada" && rows[0].email == nil && rows[0].fields == ["age": "7"])
        #expect(rows[1].username == "b, \"c\"\nd" && rows[1].email == "x@y.z" && rows[1].password == nil)
        #expect(rows[1].fields.isEmpty && rows[1].line == 4)
    }

    @Test(arguments: ["", "\n\n", "username,password", "username,password\n\n"])
    func `an account file that is empty or has only a header yields no rows`(text: String) throws {
        #expect(try rows(text).isEmpty)
    }

    @Test(arguments: [
        ("{\"username\":", "row 1 (line 1)", "is not JSON: "), ("{}\n[]", "row 2 (line 2)", "is not a JSON object"),
        (#"{"username":7}"#, "row 1 (line 1)", "has a username that is not a string"),
        ("name\nada", "the header (line 1)", "has no column 'username', and the file is not NDJSON"),
        ("username,,a\n", "the header (line 1)", "has a column without a name, or two with the same name"),
        ("username,a,a\n", "the header (line 1)", "has a column without a name, or two with the same name"),
        ("username,a\nada\n", "row 1 (line 2)", "has 1 values, but the header has 2"),
        ("username\n\"ada\nb", "row 1 (line 3)", "has a quoted value without a closing quote"),
        ("username\na\"b\n", "row 1 (line 2)", "has a quote inside of a value that is not quoted"),
    ])
    func `the error about an invalid row or header names its position and the cause`(
        text: String, place: String, cause: String
    ) {
        let error = #expect(throws: AccountRowError.self) { try rows(text) }
        switch error {
        case .invalid(let foundPlace, let foundCause), .invalidHeader(let foundPlace, let foundCause):
            #expect(foundCause.hasPrefix(cause))
            #expect(foundPlace.hasPrefix(place.prefix(5)))
        default: Issue.record("\(String(describing: error))")
        }
    }

    @Test(arguments: [(2 << 20, ""), ((1 << 20) + 1, "\n")])
    func `an account file with a line longer than 1 MiB is rejected`(length: Int, end: String) {
        let text = "username\n" + String(repeating: "a", count: length) + end
        #expect(throws: AccountRowError.invalid(place: "line 2", cause: "is longer than 1048576 bytes")) {
            try rows(text)
        }
    }

    @Test func `a line that spans several reads is returned whole`() throws {
        let names = (0..<5).map { String(repeating: "\($0)", count: 60_000) }
        let text = "username\n" + names.map { "\($0)\n" }.joined()
        #expect(try rows(text).map(\.username) == names)
    }
}

@Suite struct AccountRowChecksTests {
    private func row(_ line: Int, _ username: String?, _ password: String? = "correct horse") -> AccountRow {
        var row = AccountRow(number: line, line: line)
        row.username = username
        row.password = password.map { Secret($0) }
        return row
    }

    @Test func `all invalid fields of an account row are reported`() {
        var checks = AccountRowChecks()
        var bad = row(1, "ab", nil)
        bad.email = "nowhere"
        bad.id = "a/b"
        #expect(checks.faults(of: bad).map(\.field) == ["username", "email", "password", "id"])
        #expect(checks.faults(of: row(2, "ada", "short")).map(\.field) == ["password"])
        #expect(checks.faults(of: row(3, "bob")).isEmpty)
        #expect(checks.faults(of: row(4, "nul\0", "correct\0horse")).map(\.field) == ["username", "password"])
    }

    @Test func `the error about a repeated username, e-mail address or id names the earlier row`() {
        var checks = AccountRowChecks()
        var (first, second) = (row(1, "ada"), row(2, "ADA"))
        (first.email, second.email) = ("a@example.org", "A@example.org")
        (first.id, second.id) = ("x1", "x1")
        #expect(checks.faults(of: first).isEmpty)
        let faults = checks.faults(of: second)
        #expect(faults.map(\.field) == ["username", "email", "id"])
        #expect(faults.allSatisfy { $0.message == "is the same as in row 1 (line 1)" })
    }
}
