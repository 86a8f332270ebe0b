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
        (#"{"username":7}"#, "row 1 (line 1)", "has a value of 'username' that is not a string"),
        (#"{"disabled":"true"}"#, "row 1 (line 1)", "has a value of 'disabled' that is not true or false"),
        (#"{"roles":["a",1]}"#, "row 1 (line 1)", "has a value of 'roles' that is not a JSON array of names"),
        (#"{"plan":1,"fields":{"plan":2}}"#, "row 1 (line 1)", "has the field 'plan' both in 'fields' and beside it"),
        ("email,emailVerified\na,yes\n", "row 1 (line 2)", "has a value of 'emailVerified' that is not true or false"),
        ("email,claims\na,{\n", "row 1 (line 2)", "has a value of 'claims' that is not a JSON object"),
        ("name\nada", "the header (line 1)", "has no column 'username', and the file is not JSON"),
        ("\"username\";email\n", "the header (line 1)", "has ';' between its columns instead of ','"),
        ("username\temail\n", "the header (line 1)", "has a tab between its columns instead of ','"),
        ("username,,a\n", "the header (line 1)", "has a column without a name, or two with the same name"),
        ("username,a,a\n", "the header (line 1)", "has a column without a name, or two with the same name"),
        ("username,a\nada\n", "row 1 (line 2)", "has 1 values, but the header has 2"),
        ("username\n\"ada\nb", "row 1 (line 2)", "has a quoted value without a closing quote"),
        ("username,password\rada,x\r", "the header (line 1)", "has a carriage return"),
        ("[{}", "the JSON document", "is not valid: "),
        (#"{"authData":"x"}"#, "row 1 (line 1)", "has a value of 'authData' that is not a JSON object"),
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

    @Test func `the columns of CSV and JSON describe the same account, and a missing value is none`() throws {
        func quoted(_ text: String) -> String { "\"\(text.replacing("\"", with: "\"\""))\"" }
        let auth = #"{"google":{"id":"7"}}"#
        let csv = [
            "username,phone,emailVerified,phoneVerified,disabled,claims,roles,authData,fields,passwordHash",
            #"ada,+81,true,false,true,"{""r"":1}","[""a""]",\#(quoted(auth)),"{""email"":""x""}",h"#, "bob,,,,,,,,,",
        ].joined(separator: "\n")
        let json =
            #"[{"username":"ada","phone":"+81","emailVerified":true,"phoneVerified":false,"disabled":true,"claims":{"r":1},"#
            + #""roles":["a"],"authData":\#(auth),"fields":{"email":"x"},"passwordHash":"h"},"#
            + #"{"username":"bob","phone":"","emailVerified":null,"roles":null,"claims":{}}]"#
        for text in [csv, json] {
            let rows = try rows(text)
            let columns: JSONObject = [
                "username": "ada", "email": .null, "phone": "+81", "emailVerified": true, "phoneVerified": false,
                "disabled": true, "claims": ["r": 1], "roles": ["a"], "authData": ["google": ["id": "7"]],
                "fields": ["email": "x"],
            ]
            expect(rows.map { $0.columns() }, [columns, ["username": "bob", "email": .null]])
            expect(rows.map(\.passwordHash), [Secret("h"), nil])
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
        ("password_hash", "passwordHash"), ("Email Verified", "emailVerified"), ("Roles", "roles"),
        ("authdata", "authData"), ("old_password", nil), ("passwordChangedAt", nil), ("userPasswd", nil),
    ])
    func `a name that almost names a column, or contains 'password', is no field`(name: String, right: String?) {
        for columns in [Self.parse, Self.other, .seed, .credentials] {
            expect(columns.meaning(of: name), .misnamed(right: right))
        }
    }

    @Test(arguments: [
        "objectId", "createdAt", "updatedAt", "className", "sessionToken", "bcryptPassword", "ACL", "_id",
        "_hashed_password",
    ])
    func `on Parse, a member that a signup cannot set is left out`(name: String) {
        expect(Self.parse.meaning(of: name), .leftOut)
        #expect(Self.other.meaning(of: name) != .leftOut)
    }

    @Test func `a seed takes ids and ACLs from an export`() {
        let names = ["objectId", "id", "ACL", "authData", "sessionToken", "plan"]
        let meanings: [AccountColumns.Meaning] = [
            .column(.id), .column(.id), .field, .column(.authData), .leftOut, .field,
        ]
        expect(names.map { AccountColumns.seed.meaning(of: $0) }, meanings)
    }

    @Test func `the target's own name of a column is no field, and no name in fields is a column`() {
        let target = BackendDescriptor(
            kind: "other", .takesServer, accounts: AccountKeeping(otherNames: ["app_metadata": "claims"]))
        let columns = AccountColumns.creation(target)
        expect(columns.meaning(of: "app_metadata"), .misnamed(right: "claims"))
        expect(Self.other.meaning(of: "app_metadata"), .field)
        expect(["app_metadata", "email", "E-Mail"].map(columns.meaning(ofField:)), [.field, .field, .field])
        expect(columns.meaning(ofField: "old_password"), .misnamed(right: nil))
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
        try source.survey(
            RowLosses(creatingOn: .parseUsers), isStrict: isStrict, warn: { warnings.append($0) },
            note: { warnings.append("note: \($0)") })
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
            #"{"username":"ada","password":"$2b$12$\#(String(repeating: "x", count: 53))"}"#,
            "the password has the form of a hash (for a hash, rename the column to passwordHash)"
        ),
        (
            #"{"username":"ab","email":"a","password":"correct horse"}"#,
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

    @Test(arguments: [
        (
            #"{"disabled":"yes","username":"ada","password":7}"#,
            "the row has a value of 'disabled' that is not true or false"
        ),
        ("username,claims\nada,x\n", "the row has a value of 'claims' that is not a JSON object"),
        ("claims,email\n[],ada\n", "the row has a value of 'claims' that is not a JSON object"),
    ])
    func `a row with an invalid value has the name of its account`(text: String, message: String) throws {
        let result = try #require(try check(text).results.first)
        #expect(result.name == "ada" && result.error?.message == message)
    }
}

extension BackendDescriptor {
    fileprivate static let parseUsers = BackendDescriptor(
        kind: "local", [.checksNewAccounts, .hasParseUsers],
        accounts: AccountKeeping([.id, .username, .email, .authData]))
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
        expect(checks.faults(of: bad).map(\.field), ["username", "email", "password"])
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
        var exact = AccountRowChecks(comparesCase: true)
        (first.id, second.id) = (nil, nil)
        #expect(exact.faults(of: first).isEmpty && exact.faults(of: second).isEmpty)
    }
}
