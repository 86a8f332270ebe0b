import AuthModel
import Expectations
import JSON
import Platform

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
        expect(rows[0].fields, ["age": 7, "prefs": ["a": [true, nil]]])
        #expect(rows[1].email == nil && rows[1].password == nil)
        expect(rows.map(\.place), ["row 1 (line 1)", "row 2 (line 3)"])
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
        ("name\nada", "the header (line 1)", "has no column 'username', and the file is not JSON"),
        ("username,,a\n", "the header (line 1)", "has a column without a name, or two with the same name"),
        ("username,a,a\n", "the header (line 1)", "has a column without a name, or two with the same name"),
        ("username,a\nada\n", "row 1 (line 2)", "has 1 values, but the header has 2"),
        ("username\n\"ada\nb", "row 1 (line 2)", "has a quoted value without a closing quote"),
        ("username,password\rada,x\r", "the header (line 1)", "has a carriage return"),
        ("[{}", "the JSON document", "is not valid: "),
        (#"{"authData":"x"}"#, "row 1 (line 1)", "has an authData that is not a JSON object"),
        ("username\na\"b\n", "row 1 (line 2)", "has a quote inside of a value that is not quoted"),
    ])
    func `the error about an invalid row or header names its position and the cause`(
        text: String, place: String, cause: String
    ) {
        let error = #expect(throws: AccountRowError.self) { try rows(text) }
        switch error {
        case .invalid(let foundPlace, let foundCause), .invalidHeader(let foundPlace, let foundCause):
            #expect(foundCause.hasPrefix(cause))
            expect(foundPlace, place)
        default: Issue.record("\(String(describing: error))")
        }
    }

    @Test(arguments: [
        #"[{"username":"ada","a":[1]},{"username":"bob"}]"#,
        "\u{FEFF}\n[\n{\n\"username\":\"ada\",\"a\":[1]},\n\n{\"username\":\"bob\"}\n]\n",
        #"{"results":[{"username":"ada","a":[1]},{"username":"bob"}]}"#,
        "{\n  \"results\": [\n{\"username\":\"ada\",\n\"a\":[1]},{\"username\":\"bob\"}]\n}",
        "{\"username\":\"ada\",\"a\":[1]}\n{\"username\":\"bob\"}",
    ])
    func `a JSON array and the exports of Parse are read like NDJSON`(text: String) throws {
        let rows = try rows(text)
        #expect(rows.map(\.username) == ["ada", "bob"] && rows.map(\.number) == [1, 2])
        expect(rows.first?.fields, ["a": [1]])
    }

    @Test func `a row of a JSON document has the line on which it starts`() throws {
        try expect(rows("[\n{\n\"username\":\"ada\"},\n{}]").map(\.line), [2, 4])
    }

    @Test func `a CSV line of blanks is no row`() throws {
        try expect(rows("username\n  \nada\n\t\n").map(\.place), ["row 1 (line 3)"])
    }

    @Test func `authData is an object, and in CSV its text`() throws {
        let csv = "username,authData\nada,\"{\"\"google\"\":{\"\"id\"\":\"\"7\"\"}}\"\nbob,\n"
        let json = #"[{"username":"ada","authData":{"google":{"id":"7"}}},{"username":"bob","authData":null}]"#
        for text in [csv, json] {
            try expect(rows(text).map(\.fields), [["authData": ["google": ["id": "7"]]], [:]])
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
        try expect(rows(text).map(\.username), names)
    }
}

@Suite struct AccountColumnsTests {
    private static let parse = AccountColumns.creation(.parseUsers)
    private static let other = AccountColumns.creation(.test)

    @Test(arguments: [
        ("Username", "username"), ("Email", "email"), (" email", "email"), ("email\u{A0}", "email"),
        ("E-Mail", "email"),
        ("e_mail", "email"), ("PASSWORD", "password"), ("password ", "password"), ("passwd", "password"),
        ("authdata", "authData"), ("old_password", nil), ("passwordChangedAt", nil), ("userPasswd", nil),
    ])
    func `a name that almost names a column, or contains 'password', is no field`(name: String, right: String?) {
        for columns in [Self.parse, Self.other, .seed, .credentials] {
            expect(columns.meaning(of: name), .misnamed(right: right))
        }
    }

    @Test(arguments: [
        "objectId", "createdAt", "updatedAt", "className", "emailVerified", "sessionToken", "bcryptPassword", "ACL",
        "_id", "_hashed_password",
    ])
    func `on Parse, a member that a signup cannot set is left out`(name: String) {
        expect(Self.parse.meaning(of: name), .leftOut)
        #expect(Self.other.meaning(of: name) != .leftOut)
    }

    @Test func `a seed takes ids, ACLs and emailVerified from an export`() {
        let names = ["objectId", "id", "emailVerified", "ACL", "authData", "sessionToken", "plan"]
        #expect(
            names.map(AccountColumns.seed.meaning) == [
                .column("id"), .column("id"), .field, .field, .column("authData"), .leftOut, .field,
            ])
    }

    @Test func `only where the id is a column, another spelling of it is wrong`() {
        expect(AccountColumns.seed.meaning(of: "ID"), .misnamed(right: "id"))
        #expect(Self.other.meaning(of: "ID") == .field && Self.parse.meaning(of: "apiToken") == .secret)
    }
}

@Suite struct AccountSourceTests {
    private func check(_ text: String, isStrict: Bool = false) throws -> (warnings: [String], results: [BulkResult]) {
        var source = AccountSource(
            ByteSource(bytes: Array(text.utf8)), name: "'u'", .creation(.parseUsers))
        var (warnings, results) = ([String](), [BulkResult]())
        try source.checkNames(isStrict: isStrict) { warnings.append($0) }
        while let result = try source.check(true, generates: false) { results.append(result) }
        return (warnings, results)
    }

    @Test func `members that a signup cannot set are named in one warning and left out`() throws {
        let text = #"{"username":"ada","password":"correct horse"}"#
        #expect(try check(text).warnings.isEmpty)
        let export = text + "\n" + #"{"objectId":"x","username":"bob","password":"correct horse","_x":1,"apiToken":2}"#
        let found = try check(export)
        #expect(
            found.warnings == [
                "'u' has members that a signup cannot set: 'objectId', '_x'; they are left out",
                "fields of 'u' look like secrets, but are sent: 'apiToken'",
            ])
        expect(found.results.map(\.state), [.valid, .valid])
        let error = try #require(throws: AuthError.self) { try check(export, isStrict: true) }
        expect(error.reason, .invalidFields)
    }

    @Test func `a wrong name in a later row is found before the first row is used`() throws {
        let error = try #require(throws: AuthError.self) { try check("{}\n{\"Password\":\"x\"}") }
        expect(error.message, "row 2 (line 2) of 'u' has 'Password' instead of 'password'")
        #expect(error.reason == .invalidFields && error.nextSteps == ["rename it to 'password'"])
    }

    @Test(arguments: [
        (#"{"username":"ada","password":"correct\nhorse"}"#, "the password contains a line break"),
        (#"{"password":"correct horse"}"#, "the username is missing"),
        (
            #"{"username":"ab","email":"","password":"correct horse"}"#,
            "the username must have at least 3 characters, the e-mail is not a valid address (to skip such checks, add --skip-checks)"
        ),
        (
            #"{"username":"ada","password":"correct horse","authData":{"twitter":{"id":"1"}}}"#,
            "the authData names 'twitter', but local accounts accept only anonymous and facebook"
        ),
    ])
    func `a dry run fails a row whose values no signup accepts`(text: String, message: String) throws {
        let result = try #require(try check(text).results.first)
        #expect(result.error?.message == message && result.error?.reason == .invalidFields)
    }
}

extension BackendDescriptor {
    fileprivate static let parseUsers = BackendDescriptor(
        kind: "local", [.checksNewAccounts, .hasParseUsers])
    fileprivate static let test = BackendDescriptor(kind: "other", .takesServer)
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
        expect(checks.faults(of: bad).map(\.field), ["username", "email", "password", "id"])
        expect(checks.faults(of: row(2, "ada", "short")).map(\.field), ["password"])
        #expect(checks.faults(of: row(3, "bob")).isEmpty)
        expect(checks.faults(of: row(4, "nul\0", "correct\0horse")).map(\.field), ["username", "password"])
    }

    @Test func `the error about a repeated username, e-mail address or id names the earlier row`() {
        var checks = AccountRowChecks()
        var (first, second) = (row(1, "ada"), row(2, "ADA"))
        (first.email, second.email) = ("a@example.org", "A@example.org")
        (first.id, second.id) = ("x1", "x1")
        #expect(checks.faults(of: first).isEmpty)
        let faults = checks.faults(of: second)
        expect(faults.map(\.field), ["username", "email", "id"])
        #expect(faults.allSatisfy { $0.message == "is the same as in row 1 (line 1)" })
    }
}
