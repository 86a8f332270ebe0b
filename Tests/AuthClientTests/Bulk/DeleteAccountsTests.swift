import CommandTestSupport
import Platform

@testable import AuthClient

@Suite struct DeleteAccountsTests {
    @Test func `a bulk deletion deletes only the accounts recorded as created in the journal`() throws {
        let fixture = try BulkFixture()
        fixture.server.add("ci-2")
        fixture.server.add("other")
        try fixture.create()
        // Replace the account `ci-3` with a different account of the same name.
        fixture.server.remove("ci-3")
        fixture.server.add("ci-3")
        try fixture.delete()
        expect(fixture.results.lines.suffix(2), ["1 deleted", "3 gone"])
        expect(fixture.server.accounts.keys.sorted(), ["ci-2", "ci-3", "other"])
    }

    @Test func `a bulk deletion can be repeated, and the deleted accounts can be created again`() throws {
        let fixture = try BulkFixture()
        try fixture.create(2)
        fixture.server.remove("ci-1")
        try fixture.delete()
        try fixture.delete()
        expect(fixture.results.lines.suffix(2), ["1 gone", "2 deleted"])
        #expect(try fixture.folder.read("journal").contains(#"{"row":1,"state":"gone","id":"id1","#))
        try fixture.create(2)
        expect(fixture.results.lines.suffix(2), ["1 created", "2 created"])
        try expect(fixture.passwords().count, 2)
    }

    @Test func `after a lost response, a bulk deletion logs in to check whether the account still exists`() throws {
        let lost = AuthError(.outcomeUnknown, "the server did not respond")
        let server = FakeAccounts { request, earlier in
            switch (request, earlier) {
            case ("delete ci-1", 0): .after(lost)
            case ("delete ci-2", 0): .before(lost)
            default: nil
            }
        }
        let fixture = try BulkFixture(server)
        try fixture.create(2)
        try fixture.delete(.passwords(try fixture.passwords()))
        expect(fixture.results.lines.suffix(2), ["1 deleted, presumed", "2 deleted"])
        expect(server.accounts, [:])
    }

    @Test func `after a lost response, a bulk deletion repeats the request only once`() throws {
        let lost = AuthError(.outcomeUnknown, "the server did not respond")
        let server = FakeAccounts { request, _ in request == "delete ci-1" ? .before(lost) : nil }
        let fixture = try BulkFixture(server)
        try fixture.create(2)
        try fixture.delete(.passwords(try fixture.passwords()))
        expect(fixture.results.lines.suffix(2), ["1 unknown: the server did not respond", "2 deleted"])
    }

    @Test func `a bulk deletion keeps an account whose password is unknown`() throws {
        let fixture = try BulkFixture()
        try fixture.create(2)
        var passwords = try fixture.passwords()
        passwords["ci-1"] = nil
        try fixture.delete(.passwords(passwords))
        #expect(
            fixture.results.lines.suffix(2) == [
                "1 failed: the credentials file has no password for the account", "2 deleted",
            ])
    }

    @Test func `a bulk deletion by passwords keeps a new account with the name of a created account`() throws {
        let fixture = try BulkFixture()
        try fixture.create(1)
        let passwords = try fixture.passwords()
        fixture.server.remove("ci-1")
        fixture.server.add("ci-1", password: try #require(passwords["ci-1"]).reveal())
        try fixture.delete(.passwords(passwords))
        expect(fixture.results.lines.last, "1 failed: this account is not the one that was created: its id differs")
        expect(fixture.server.accounts.count, 1)
    }

    @Test func `a renamed account stays in the journal, so that each bulk deletion reports it`() throws {
        let fixture = try BulkFixture()
        try fixture.create(2)
        fixture.server.rename("ci-2", to: "moved")
        for _ in 1...2 { try fixture.delete() }
        let renamed = "2 failed: the account was renamed to 'moved'"
        expect(fixture.results.lines.suffix(3), ["1 deleted", renamed, renamed])
        expect(fixture.server.accounts.keys.sorted(), ["moved"])
    }

    @Test(arguments: [false, true])
    func `a bulk deletion accepts a name that the server stores in lower case`(isByPassword: Bool) throws {
        let fixture = try BulkFixture()
        try fixture.create(1)
        let password = try #require(try fixture.passwords()["ci-1"])
        try fixture.folder.write(
            "journal", try fixture.folder.read("journal").replacing("}\n", with: #","name":"CI-1"}"# + "\n"))
        try fixture.delete(isByPassword ? .passwords(["CI-1": password]) : .adminKey(nil))
        expect(fixture.results.lines.last, "1 deleted")
    }

    /// Like kill -9, a storage error ends the run without a result for the row.
    @Test(arguments: [false, true], [false, true])
    func `a killed bulk deletion reaches its end in the next run`(arrives: Bool, isByPassword: Bool) throws {
        let killed = AuthError(.notWritten, "killed")
        let server = FakeAccounts { request, earlier in
            guard request == (isByPassword ? "delete ci-1" : "delete id1"), earlier == 0 else { return nil }
            return arrives ? .after(killed) : .before(killed)
        }
        let fixture = try BulkFixture(server)
        try fixture.create(2)
        let access = isByPassword ? DeleteAccounts.Access.passwords(try fixture.passwords()) : .adminKey(nil)
        #expect(throws: killed) { try fixture.delete(access) }
        try fixture.delete(access)
        let first = arrives && isByPassword ? "1 deleted, presumed" : "1 deleted"
        expect(fixture.results.lines.suffix(2), [first, "2 deleted"])
        expect(server.accounts, [:])
    }

    /// A server may treat a key that has ended like none, and then hides accounts.
    @Test(arguments: ["find id2", "delete id2"])
    func `an account that an ended key cannot see stays in the journal, and the next key deletes it`(
        request hidden: String
    ) throws {
        let ended = AuthError(.badAppKey, "the key has ended")
        let server = FakeAccounts { request, earlier in
            if earlier > 0 { return nil }
            return request == hidden
                ? .before(AuthError(.notFound, "no such user")) : request == "check" ? .before(ended) : nil
        }
        let fixture = try BulkFixture(server)
        try fixture.create()
        let access = DeleteAccounts.Access.adminKey(Secret("k"))
        #expect(throws: ended) { try fixture.delete(access) }
        try fixture.delete(access)
        expect(fixture.results.lines.suffix(3), ["1 deleted", "2 deleted", "3 deleted"])
        expect(server.accounts, [:])
    }

    @Test(
        arguments: [
            (nil, "1 deleted, presumed"), (.accountMissing, "1 deleted"),
            (.accountExists(named: nil), "1 unknown: wrong"),
        ] as [(AuthError.Fact?, String)])
    func `a refused login counts as a deletion only if one has begun and the server shows no account`(
        fact: AuthError.Fact?, result: String
    ) throws {
        let fixture = try BulkFixture(
            FakeAccounts { request, _ in
                request == "logIn ci-1" ? .before(AuthError(.wrongPassword, "wrong", fact: fact)) : nil
            })
        try fixture.create(1)
        let passwords = DeleteAccounts.Access.passwords(try fixture.passwords())
        try fixture.delete(passwords)
        let journal = try fixture.folder.read("journal")
        try fixture.folder.write("journal", journal + #"{"row":1,"state":"deleting"}"# + "\n")
        try fixture.delete(passwords)
        expect(fixture.results.lines.suffix(2), ["1 failed: wrong", result])
    }

    @Test(arguments: [
        (#""collection":null"#, #""collection":"members""#, AuthError.Reason.usage),
        (#""backend":"local""#, #""backend":"parse""#, .usage), (#""appId":"shop""#, #""appId":"other""#, .usage),
        (#"{"v":1,"#, #"{"v":2,"#, .newerVersion), (#"{"v":1,"#, "{", .usage),
    ])
    func `a bulk deletion refuses a journal of other accounts or of a newer version`(
        member: String, other: String, reason: AuthError.Reason
    ) throws {
        let fixture = try BulkFixture(FakeAccounts(project: "shop"))
        try fixture.create(1, tokens: true)
        #expect(try fixture.folder.read("tokens").contains(#","appId":"shop","#))
        let journal = try fixture.folder.read("journal")
        try fixture.folder.write("journal", journal.replacing(member, with: other))
        let requests = fixture.server.requests
        let access = DeleteAccounts.Access.adminKey(Secret("k"))
        try expect(failure { try fixture.delete(access, project: "shop") }.reason, reason)
        expect(fixture.server.requests, requests)
        try fixture.folder.write("journal", journal)
        try expect(failure { try fixture.delete(access, project: "other") }.reason, .usage)
        try expect(failure { try fixture.create(2, project: "other") }.reason, .usage)
        try fixture.delete(access)
        expect(fixture.results.lines.last, "1 deleted")
    }

    @Test func `a worker registers each password before it logs in`() throws {
        let masker = Masker()
        let worker = BulkWorker(FakeAccounts(), masker: masker)
        var row = AccountRow(number: 1)
        row.username = "ada"
        _ = try failure { _ = try worker.session(of: row, Secret("open sesame 7")) }
        expect(masker.mask("bad value open sesame 7"), "bad value <redacted>")
    }

    @Test func `a rejected deletion is a failed row, and does not count as begun in the next run`() throws {
        let server = FakeAccounts { request, _ in
            request.hasPrefix("delete") ? .before(AuthError(.forbidden, "no")) : nil
        }
        let fixture = try BulkFixture(server)
        try fixture.create(1)
        let passwords = try fixture.passwords()
        try fixture.delete(.passwords(passwords))
        try fixture.delete(.passwords(["ci-1": Secret("wrong")]))
        expect(fixture.results.lines.suffix(2), ["1 failed: no", "1 failed: wrong username or password"])
    }

    @Test(arguments: [
        (#""id":null"#, "the journal has no id of the account, and another account may have its name now"),
        (#""certain":false,"id":"id1""#, "the account may have existed before 'users create' sent its row"),
    ])
    func `a bulk deletion sends nothing for an account that may be another one`(member: String, cause: String) throws {
        let fixture = try BulkFixture()
        try fixture.create(1)
        let journal = try fixture.folder.read("journal")
        try fixture.folder.write("journal", journal.replacing(#""id":"id1""#, with: member))
        try fixture.delete()
        expect(fixture.results.lines.last, "1 failed: \(cause)")
        expect(fixture.server.requests, ["signUp ci-1"])
    }

    @Test func `a bulk deletion rejects a file that is not a journal and keeps it unchanged`() throws {
        let fixture = try BulkFixture()
        try fixture.folder.write("journal", #"{"cookies":[]}"#, mode: 0o644)
        try expect(failure { try fixture.delete() }.reason, .usage)
        try expect(fixture.folder.read("journal"), #"{"cookies":[]}"#)
        try expect(fixture.folder.mode("journal"), "644")
    }

    @Test func `a bulk login writes the token of each successful login, and the next run continues the file`() throws {
        let fixture = try BulkFixture()
        for name in ["ada", "eve", "zoe"] { fixture.server.add(name, password: "p") }
        try fixture.logIn("username,password\nada,p\neve,wrong\nbob\n")
        #expect(
            fixture.results.lines == [
                "1 logged-in", "2 failed: wrong username or password",
                "3 failed: the row has 1 values, but the header has 2",
            ])
        let line = BulkFixture.tokens(
            "ada", #""token":"token-ada","expiresAt":"2027-01-02T03:04:05Z""#, id: #""id1""#)
        try expect(fixture.folder.read("tokens"), line + "\n")
        // The last line is whole, although an editor has removed its newline.
        try fixture.folder.write("tokens", line)
        try fixture.logIn("username,password\nada,p\neve,p\nzoe,p\n")
        expect(fixture.results.lines.suffix(3), ["1 skipped", "2 logged-in", "3 logged-in"])
        let names = try fixture.folder.read("tokens").split(separator: "\n").map { $0.prefix(28) }
        expect(names, ["ada", "eve", "zoe"].enumerated().map { #"{"id":"id\#($0 + 1)","username":"\#($1)""# })
    }

    @Test(arguments: [
        (#""server":null"#, #""server":"https://b.example""#, true), (#","backend":"local""#, "", true),
        (BulkFixture.scope, "", false),
    ])
    func `a bulk login refuses a tokens file of another server, and replaces one that names none`(
        member: String, other: String, isRefused: Bool
    ) throws {
        let fixture = try BulkFixture()
        fixture.server.add("ada", password: "p")
        let line = BulkFixture.tokens("ada", #""token":"t","expiresAt":null"#).replacing(member, with: other)
        try fixture.folder.write("tokens", line)
        try expect(failure { try fixture.logIn("username,password\nada,p\n") }.reason, .usage)
        #expect(try fixture.folder.read("tokens") == line && fixture.server.requests == [])
        guard !isRefused else {
            try expect(failure { try fixture.logIn("username,password\nada,p\n", replaces: true) }.reason, .usage)
            return
        }
        try fixture.logIn("username,password\nada,p\n", replaces: true)
        #expect(try fixture.folder.read("tokens").hasSuffix(BulkFixture.scope + "}\n"))
    }

    @Test func `bulk commands log in by e-mail where the site identifies users by it, after one login by username`()
        throws
    {
        let server = FakeAccounts { request, _ in
            request.hasPrefix("logIn") && !request.contains("@")
                ? .before(AuthError(.invalidFields, "the site wants e-mails", fact: .wantsEmail)) : nil
        }
        let fixture = try BulkFixture(server)
        let rows = ["ada", "eve"].map { "\($0),\($0)@a.example,correct horse\n" }
        let file = rows.reduce("username,email,password\n", +)
        try fixture.create(file: file)
        try fixture.logIn(file)
        try fixture.delete(.passwords(["ada": Secret("correct horse"), "eve": Secret("correct horse")]))
        expect(fixture.results.lines.suffix(4), ["1 logged-in", "2 logged-in", "1 deleted", "2 deleted"])
        let logIns = ["logIn ada", "logIn ada@a.example", "logIn eve@a.example"]
        expect(server.requests.filter { $0.hasPrefix("logIn") }, logIns + logIns)
        try fixture.logIn("username,password\nbob,p\n")
        expect(fixture.results.lines.last, "1 failed: the site wants e-mails")
    }

    @Test(arguments: [
        #"{"cookies":[],"origins":[]}"#, "{\n", "notes", #"{"username":"ada","password":"p"}"#,
        #"{"username":"ada","token":"t","expiresAt":null,"plan":"pro"}"#,
    ])
    func `a bulk login rejects a file that it did not write and keeps it unchanged`(text: String) throws {
        let fixture = try BulkFixture()
        try fixture.folder.write("tokens", text, mode: 0o644)
        try expect(failure { try fixture.logIn("username,password\nada,p\n") }.reason, .usage)
        try expect(fixture.folder.read("tokens"), text)
        try expect(fixture.folder.mode("tokens"), "644")
    }
}
