import CommandTestSupport
import Platform

@testable import AuthClient

@Suite struct AdministerAccountsTests {
    private static let lost = AuthError(.outcomeUnknown, "the server did not respond")

    private static func change(_ set: (inout AccountChange) -> Void) -> AccountChange {
        var change = AccountChange()
        set(&change)
        return change
    }

    private static let admin = change { change in
        change.claims = ["role": "admin", "old": .null]
        change.user.fields = ["plan": "gold"]
    }

    private func fixture(
        _ names: [String], fault: @escaping @Sendable (String, Int) -> FakeAccounts.Fault? = { _, _ in nil },
        storing: @escaping @Sendable (inout User) -> Void = { _ in }
    ) throws -> BulkFixture {
        let server = FakeAccounts(fault: fault, storing: storing)
        for name in names { server.add(User(username: name, email: "\(name)@example.org")) }
        return try BulkFixture(server)
    }

    @Test func `a change sends what the account lacks, so that another run changes nothing`() throws {
        let fixture = try fixture(["ada", "bob"])
        try fixture.administer("ada", "bob@example.org", "id:id1", action: .change(Self.admin))
        try fixture.administer("ada", action: .change(Self.change { $0.claims = ["role": "admin", "team": "red"] }))
        expect(fixture.results.lines, ["1 changed", "2 changed", "3 unchanged", "1 changed"])
        expect(
            fixture.server.requests,
            [
                "search ada", "set ada plan,role", "search bob@example.org", "set bob plan,role", "find id1",
                "search ada", "set ada team",
            ])
    }

    @Test func `an unknown name fails its row alone`() throws {
        let fixture = try fixture(["ada", "bob"])
        try fixture.administer("ada", "eve", "bob", action: .change(Self.admin))
        expect(fixture.results.lines, ["1 changed", "2 failed: no account is named 'eve'", "3 changed"])
    }

    @Test(arguments: ["id:id9", "id:"])
    func `a lookup by an unknown id names the id`(name: String) throws {
        let fixture = try fixture(["ada"])
        try fixture.administer(name, action: .delete)
        expect(fixture.results.lines, ["1 failed: no account has the id '\(name.dropFirst(3))'"])
        expect(fixture.server.requests.filter { $0 != "check" }, name == "id:" ? [] : ["find id9"])
    }

    @Test func `a state that the server cannot change fails only the rows whose accounts differ`() throws {
        let fixture = try BulkFixture()
        for (name, isVerified) in [("ada", false), ("bob", true)] {
            var user = User(username: name, email: "\(name)@example.org", emailVerified: isVerified, phone: "81")
            user.phoneVerified = isVerified
            fixture.server.add(user)
        }
        let rows = ["ada", "bob"].flatMap { name in
            [#""emailVerified":false,"plan":"gold""#, #""phoneVerified":true,"plan":"gold""#].map {
                #"{"username":"\#(name)",\#($0)}"#
            }
        }
        func lost(_ name: String) -> String {
            "failed: the server cannot keep '\(name)' (to accept that, add --drop \(name))"
        }
        for row in rows { try fixture.change(file: row, changeable: [.verified]) }
        expect(
            fixture.results.lines,
            ["1 changed", "1 \(lost("phoneVerified"))", "1 \(lost("emailVerified"))", "1 changed"])
        let sent = ["search ada", "set ada plan", "search ada", "search bob", "search bob", "set bob plan"]
        expect(fixture.server.requests, sent)
    }

    /// The accounts of a search lack their roles if there are several.
    @Test func `an account with a name that another one has elsewhere is requested again`() throws {
        let fixture = try fixture(["ada"])
        fixture.server.add(User(username: "ada@example.org"))
        try fixture.change(file: #"{"email":"ada@example.org","plan":"gold"}"#)
        expect(fixture.results.lines, ["1 changed"])
        expect(fixture.server.requests, ["search ada@example.org", "find id1", "set ada plan"])
    }

    @Test func `a name of two accounts fails with both ids`() throws {
        let fixture = try fixture(["ada", "eve"])
        fixture.server.add(User(username: "ada@example.org"))
        try fixture.administer("ada@example.org", action: .delete)
        let line = try #require(fixture.results.lines.first)
        #expect(line.hasPrefix("1 failed: accounts 'id") && line.hasSuffix("are named 'ada@example.org'"))
        expect(fixture.server.accounts.count, 3)
    }

    @Test func `a value that the server does not keep fails its row`() throws {
        let fixture = try fixture(["ada"], storing: { $0.fields["plan"] = nil })
        try fixture.administer("ada", action: .change(Self.admin))
        expect(fixture.results.lines, ["1 failed: the server does not show these values as they were sent: 'plan'"])
    }

    @Test func `after a lost response, the account shows whether it was changed or deleted`() throws {
        let fixture = try fixture(
            ["ada", "bob", "eve"],
            fault: { request, earlier in
                switch (request, earlier) {
                case ("set ada plan,role", 0), ("delete id3", 0): .after(Self.lost)
                case ("set bob plan,role", 0): .before(Self.lost)
                case ("set eve plan,role", _): .before(Self.lost)
                default: nil
                }
            })
        try fixture.administer("ada", "bob", "eve", action: .change(Self.admin))
        try fixture.administer("eve", action: .delete)
        expect(
            fixture.results.lines,
            ["1 changed", "2 changed", "3 unknown: the server did not respond", "1 deleted"])
    }

    /// A server that treats an ended key like none says that an account does not exist.
    @Test(arguments: ["search bob", "delete id2", "set bob plan,role"])
    func `a key that ends in the middle ends the run, and no account is reported as missing or deleted`(
        request hidden: String
    ) throws {
        let ended = AuthError(.badAppKey, "the key has ended")
        let missing = AuthError(.notFound, "no such user")
        let deletes = hidden.hasPrefix("delete")
        let fixture = try fixture(["ada", "bob", "eve"]) { request, _ in
            request == "check" ? .before(ended) : request == hidden ? .before(missing) : nil
        }
        #expect(throws: ended) {
            try fixture.administer("ada", "bob", "eve", action: deletes ? .delete : .change(Self.admin))
        }
        expect(fixture.results.lines, [deletes ? "1 deleted" : "1 changed"])
    }

    @Test func `an account that cannot be looked up has not been changed, and fails`() throws {
        let short = AuthError(.invalidResponse, "the server sent 2 of 3 accounts")
        let fixture = try fixture(["ada"]) { request, _ in request == "search ada" ? .before(short) : nil }
        try fixture.administer("ada", action: .change(Self.admin))
        expect(fixture.results.lines, ["1 failed: the server sent 2 of 3 accounts"])
        expect(fixture.server.requests, ["search ada"])
    }

    @Test func `a row of a file finds its account by its first name, and compares the others`() throws {
        let fixture = try fixture(["ada", "bob", "eve"])
        try fixture.change(
            file: """
                {"id":"id1","username":"ada","plan":"gold"}
                {"username":"bob","email":"other@example.org","plan":"gold"}
                {"email":"eve@example.org","plan":"gold"}
                {"id":"id9","plan":"gold"}
                {"username":"ada","plan":"gold"}
                """)
        expect(
            fixture.results.lines,
            [
                "1 changed", "2 failed: the account has the e-mail 'bob@example.org'", "3 changed",
                "4 failed: no account has the id 'id9'", "5 failed: the username is the same as in row 1 (line 1)",
            ])
    }
}
