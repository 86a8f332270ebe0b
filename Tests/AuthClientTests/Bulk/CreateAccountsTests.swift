import CommandTestSupport
import Platform
import Synchronization

@testable import AuthClient

@Suite struct CreateAccountsTests {
    private static let lost = AuthError(.outcomeUnknown, "the server did not respond")

    @Test func `a bulk signup journals each row before and after its request, without its password`() throws {
        let fixture = try BulkFixture()
        try fixture.create(1)
        let lines = try fixture.folder.read("journal").split(separator: "\n")
        let head =
            #"{"v":1,"kind":"users.journal","backend":"local","server":null,"appId":null,"collection":null,"shard":null}"#
        try #require(lines.count == 3)
        #expect(lines[0] == head)
        #expect(lines[1].hasPrefix(#"{"row":1,"state":"sent","digest":""#))
        #expect(lines[1].hasSuffix(#","generated":true,"at":"2026-06-01T00:00:00.000Z"}"#))
        expect(lines[2], #"{"row":1,"state":"created","id":"id1","username":"ci-1","email":null}"#)
        let password = try #require(try fixture.passwords()["ci-1"])
        #expect(!lines.joined().contains(password.reveal()))
        try expect(fixture.folder.mode("journal"), "600")
        try expect(fixture.folder.mode("credentials"), "600")
    }

    @Test func `a row whose identity has an account is existing, and a deletion leaves that account`() throws {
        let fixture = try BulkFixture()
        fixture.server.add("old")
        let row = #"{"username":"new","password":"correct horse","authData":{"anonymous":{"id":"old"}}}"#
        try fixture.create(file: row, tokens: true)
        expect(fixture.results.lines, ["1 existing: the identity belongs to an existing account"])
        #expect(try fixture.folder.read("tokens").isEmpty && !fixture.folder.read("journal").contains("old"))
        try fixture.delete()
        expect(fixture.server.accounts.keys.sorted(), ["old"])
    }

    @Test func `a repeated bulk signup skips the accounts created before and keeps their passwords`() throws {
        let fixture = try BulkFixture()
        try fixture.create(2)
        let passwords = try fixture.passwords()
        try fixture.create(3)
        expect(fixture.results.lines, ["1 created", "2 created", "1 skipped", "2 skipped", "3 created"])
        try expect(fixture.passwords().filter { $0.key != "ci-3" }, passwords)
        expect(fixture.server.requests, ["signUp ci-1", "signUp ci-2", "signUp ci-3"])
    }

    /// Simulates kill -9 at each request, before or after the effect of the request.
    @Test(arguments: 1...3, [true, false])
    func `a killed bulk signup resumes without losing or repeating a row`(row: Int, arrives: Bool) throws {
        // Like kill -9, a storage error ends the run without a result for the row.
        let killed = AuthError(.notWritten, "killed")
        let server = FakeAccounts { request, earlier in
            guard request == "signUp ci-\(row)", earlier == 0 else { return nil }
            return arrives ? .after(killed) : .before(killed)
        }
        let fixture = try BulkFixture(server)
        #expect(throws: killed) { try fixture.create() }
        try fixture.create()
        expect(server.accounts.keys.sorted(), ["ci-1", "ci-2", "ci-3"])
        let passwords = try fixture.passwords()
        for name in server.accounts.keys {
            let password = try #require(passwords[name])
            _ = try server.logIn(Credentials(login: name, password: password))
        }
        let last = try fixture.folder.read("journal").split(separator: "\n").suffix(1).joined()
        #expect(last.contains(#""state":"created""#))
    }

    @Test func `after a lost response, a bulk signup tries a login and, if the login fails, another signup`() throws {
        let server = FakeAccounts { request, earlier in
            switch (request, earlier) {
            case ("signUp ci-1", 0): .after(Self.lost)
            case ("signUp ci-2", 0): .before(Self.lost)
            case ("signUp ci-3", _): .before(Self.lost)
            default: nil
            }
        }
        let fixture = try BulkFixture(server)
        try fixture.create()
        expect(fixture.results.lines, ["1 created", "2 created", "3 unknown: the server did not respond"])
        #expect(
            server.requests == [
                "signUp ci-1", "logIn ci-1", "signUp ci-2", "logIn ci-2", "signUp ci-2", "signUp ci-3", "logIn ci-3",
                "signUp ci-3", "logIn ci-3", "signUp ci-3",
            ])
    }

    /// The fixture's clock stands still, so the time since the signup is zero.
    @Test(
        arguments: [
            (Duration.zero, "created", true), (.seconds(-3600), "created", true), (.seconds(2), "created", true),
            (.seconds(3), "existing: the account existed before this row was sent", nil), (nil, "created", false),
        ] as [(age: Duration?, state: String, isCertain: Bool?)])
    func `after a lost response, an account that is older than its signup is existing`(
        age: Duration?, state: String, isCertain: Bool?
    ) throws {
        let server = FakeAccounts { request, _ in request == "signUp ada" ? .before(Self.lost) : nil }
        server.add("ada", password: "correct horse", age: age)
        let fixture = try BulkFixture(server)
        try fixture.create(file: "username,password\nada,correct horse\n", tokens: true)
        expect(fixture.results.lines, ["1 \(state)"])
        let last = try fixture.folder.read("journal").split(separator: "\n").last ?? ""
        expect(last.hasSuffix(#","certain":false}"#), (isCertain == false))
        try expect(fixture.folder.read("tokens").isEmpty, (isCertain == nil))
    }

    @Test func `after a lost response, an account with a generated password is certainly new`() throws {
        let server = FakeAccounts(age: nil) { request, _ in request == "signUp ci-1" ? .after(Self.lost) : nil }
        let fixture = try BulkFixture(server)
        try fixture.create(1)
        expect(fixture.results.lines, ["1 created"])
        #expect(!(try fixture.folder.read("journal")).contains("certain"))
    }

    /// - Parameter age: that of an account which another one created with this password.
    @Test(
        arguments: [
            (Self.lost, nil, ["1 created"]), (AuthError(.notWritten, "killed"), nil, ["1 created"]),
            (Self.lost, .seconds(60), ["1 existing: the account existed before this row was sent"]),
        ] as [(AuthError, Duration?, [String])])
    func `an account whose second request failed is completed, by the next run if need be, without a second account`(
        fault: AuthError, age: Duration?, results: [String]
    ) throws {
        let server = FakeAccounts { request, earlier in
            request == "claims ada" && earlier == 0 || age != nil && request == "signUp ada" ? .before(fault) : nil
        }
        if let age { server.add("ada", password: "correct horse", age: age) }
        let fixture = try BulkFixture(server, accounts: AccountKeeping([.username], byAdministrator: .claims))
        let row = #"{"username":"ada","password":"correct horse","claims":{"role":"admin"}}"#
        // A storage error ends the run like kill -9.
        for _ in 1...2 where fixture.results.lines.isEmpty { try? fixture.create(file: row, adminKey: Secret("k")) }
        expect(fixture.results.lines, results)
        let rest = age == nil ? ["claims ada", "logIn ada", "find id1", "set ada role"] : ["logIn ada", "find id1"]
        expect(server.requests, ["signUp ada"] + rest)
    }

    @Test func `a bulk signup keeps the name in the row beside the name that the server stores`() throws {
        let folder = TestFolder()
        let file = try AppendFile(path: folder.path("journal"))
        let journal = try AccountJournal(file, ClientFixture().client)
        try journal.end(1, .created, User(id: "1", username: "ci-1"), name: "CI-1")
        let line = try String(decoding: file.source().bytes(limit: 999), as: UTF8.self)
        #expect(line.hasSuffix(#","username":"ci-1","email":null,"name":"CI-1"}"# + "\n"))
    }

    @Test func `the credentials and tokens files have the names that the server stores, even after a killed run`()
        throws
    {
        let fixture = try BulkFixture(FakeAccounts(storing: { $0.username = $0.username?.lowercased() }))
        try fixture.create(2, name: "CI-{n}", tokens: true)
        let credentials = try fixture.folder.read("credentials")
        try expect(fixture.passwords().keys.sorted(), ["ci-1", "ci-2"])
        #expect(try fixture.folder.read("tokens").contains(#""username":"ci-1","#))
        try fixture.folder.write("credentials", credentials.replacing("ci-", with: "CI-"))
        try fixture.create(2, name: "CI-{n}")
        try expect(fixture.folder.read("credentials"), credentials)
        try fixture.delete(.passwords(fixture.passwords()))
        expect(fixture.results.lines.suffix(4), ["1 skipped", "2 skipped", "1 deleted", "2 deleted"])
    }

    @Test func `a bulk signup names each field that the server does not keep once, and a strict one fails its rows`()
        throws
    {
        let fixture = try BulkFixture(FakeAccounts(storing: { $0.fields["age"] = $0.fields["age"].map { _ in 0 } }))
        let rows = ["ada", "bob", "eve"].map { #"{"username":"\#($0)","password":"correct horse","age":"x","a":1}"# }
        let cause = "the server does not show these values as they were sent: 'age'"
        try fixture.create(file: rows[..<2].joined(separator: "\n"))
        expect(fixture.results.lines, ["1 created", "2 created"])
        expect(fixture.warnings, "warning: \(cause)")
        try fixture.create(file: rows.joined(separator: "\n"), isStrict: true)
        expect(fixture.results.lines.last, "3 failed: the account was created, but \(cause)")
        #expect(
            try fixture.folder.read("journal").hasSuffix(
                #""state":"created","id":"id3","username":"eve","email":null,"unkept":["age"]}"# + "\n"))
        try fixture.create(file: rows.joined(separator: "\n"), isStrict: true)
        expect(fixture.results.lines.last, "3 failed: the account was created, but \(cause)")
    }

    @Test func `the credentials file has no passwords of accounts that existed or were not created`() throws {
        let server = FakeAccounts { request, _ in
            request == "signUp ci-3" ? .before(AuthError(.invalidFields, "no")) : nil
        }
        let fixture = try BulkFixture(server)
        server.add("ci-1")
        for _ in 1...2 {
            try fixture.create(3)
            try expect(fixture.passwords().keys.sorted(), ["ci-2"])
        }
        expect(fixture.results.lines.last, "3 failed: no")
        let none = try BulkFixture()
        none.server.add("ci-1")
        for _ in 1...2 { try none.create(1) }
        try expect(none.folder.read("credentials"), "")
    }

    @Test func `a bulk signup reports a row as existing if its username is already taken`() throws {
        let fixture = try BulkFixture()
        fixture.server.add("ci-2")
        try fixture.create()
        expect(fixture.results.lines, ["1 created", "2 existing: the username is already taken", "3 created"])
    }

    @Test func `an invalid row does not stop a bulk signup, and the next run accepts the corrected row`() throws {
        let fixture = try BulkFixture()
        let head = "username,password\n"
        let hint = " (to skip such checks, add --skip-checks)"
        try fixture.create(file: head + "ada,correct horse\nbo,correct horse\nada,x\neve,correct horse,1\n")
        #expect(
            fixture.results.lines == [
                "1 created", "2 failed: the username must have at least 3 characters\(hint)",
                "3 failed: the password must have at least 8 characters, the username is the same as in row 1 (line 2)\(hint)",
                "4 failed: the row has 3 values, but the header has 2",
            ])
        try fixture.create(file: head + "ada,correct horse\nbob,correct horse\neva,correct horse\n")
        expect(fixture.results.lines.suffix(3), ["1 skipped", "2 created", "3 created"])
    }

    @Test func `the error about a row without a password names the option that generates passwords`() throws {
        let fixture = try BulkFixture()
        try fixture.create(file: "username\nada\n")
        expect(fixture.results.lines, ["1 failed: the password is missing (to generate one, add --credentials FILE)"])
    }

    @Test func `a rate limit pauses a bulk signup and increases the interval between requests`() throws {
        let server = FakeAccounts { request, earlier in
            request == "signUp ci-2" && earlier == 0
                ? .before(AuthError(.rateLimited, "too many requests", retryAfter: 30)) : nil
        }
        let fixture = try BulkFixture(server)
        try fixture.create(interval: .seconds(1))
        expect(fixture.results.lines, ["1 created", "2 created", "3 created"])
        // The waits: 1 second before the second row, 30 seconds after its rejection, and 1.5 seconds before the third
        // row.
        let waited = fixture.time.waits.reduce(.zero, +)
        #expect(waited > .seconds(31) && waited < .seconds(33))
        expect(fixture.notes.lines, ["waiting 30 s, because the server limits requests"])
    }

    @Test func `a bulk signup does not begin a pause of more than five minutes`() throws {
        let limited = AuthError(.rateLimited, "too many requests", retryAfter: 301)
        let fixture = try BulkFixture(FakeAccounts { _, _ in .before(limited) })
        let error = try failure { try fixture.create() }
        expect(error.retryAfter, 301)
        expect(error.nextSteps, ["wait 301 seconds, or use a lower --rate"])
        #expect(fixture.time.waits == [] && fixture.notes.lines == [])
    }

    @Test func `a bulk signup ends after ten pauses if the rate limit still rejects every request`() throws {
        let limited = AuthError(.rateLimited, "too many requests")
        let fixture = try BulkFixture(FakeAccounts { _, _ in .before(limited) })
        try expect(failure { try fixture.create() }.reason, .rateLimited)
        expect(fixture.server.requests.count, 11)
        expect(fixture.notes.lines.count, 10)
    }

    @Test func `a bulk signup waits out a server outage of under a minute and fails after a longer outage`() throws {
        let down = AuthError(.connect, "connection refused")
        // Pauses during the outage do not count towards the ten pauses allowed for a rate limit.
        let limited = AuthError(.rateLimited, "too many requests")
        let short = try BulkFixture(
            FakeAccounts { _, earlier in earlier < 11 ? .before(down) : earlier == 11 ? .before(limited) : nil })
        try short.create(1)
        expect(short.results.lines, ["1 created"])
        let long = try BulkFixture(FakeAccounts { _, _ in .before(down) })
        #expect(throws: down) { try long.create() }
        expect(long.results.lines, [])
        #expect(long.time.waits.reduce(.zero, +) >= .seconds(60))
    }

    @Test(arguments: [AuthError.Reason.badAppKey, .unsupported, .wrongEndpoint, .tls, .noSpace])
    func `an error that affects every row ends a bulk signup`(reason: AuthError.Reason) throws {
        let error = AuthError(reason, "no")
        let server = FakeAccounts { _, _ in .before(error) }
        let fixture = try BulkFixture(server)
        #expect(throws: error) { try fixture.create() }
        expect(server.requests.count, 1)
    }

    @Test func `a stopped bulk signup finishes the row in progress`() throws {
        let fixture = try BulkFixture()
        try fixture.create(stop: { $0 == 2 })
        expect(fixture.results.lines, ["1 created", "2 created"])
        #expect(try fixture.folder.read("journal").hasSuffix(#""username":"ci-2","email":null}"# + "\n"))
    }

    @Test func `a stopped bulk signup sends nothing after a lost response`() throws {
        let isStopped = Mutex(false)
        let server = FakeAccounts { _, _ in
            isStopped.withLock { $0 = true }
            return .before(Self.lost)
        }
        let fixture = try BulkFixture(server)
        try fixture.create(stop: { _ in isStopped.withLock { $0 } })
        expect(server.requests, ["signUp ci-1"])
        expect(fixture.results.lines, ["1 unknown: the server did not respond"])
    }

    @Test func `concurrent jobs of a bulk signup create each account exactly once`() throws {
        let fixture = try BulkFixture()
        try fixture.create(500, tokens: true, jobs: 8)
        expect(fixture.server.accounts.count, 500)
        #expect(Set(fixture.server.requests).count == 500 && fixture.server.requests.count == 500)
        try expect(fixture.folder.read("tokens").split(separator: "\n").count, 500)
        try expect(fixture.passwords().count, 500)
    }

    @Test func `shard 2/3 of a bulk signup contains rows 2, 5 and so on, and an invalid shard is rejected`() throws {
        let fixture = try BulkFixture()
        try fixture.create(5, shard: Shard("2/3"))
        expect(fixture.server.requests, ["signUp ci-2", "signUp ci-5"])
        #expect(["0/3", "4/3", "1", "a/b", "1/2/3"].allSatisfy { Shard($0) == nil })
        let pattern = AccountPattern(count: 5, username: "ci-{n}", email: nil, fields: [:])
        #expect((1...3).map { AccountSource(pattern, shard: Shard("\($0)/3")).count } == [2, 2, 1])
    }

    // MARK: - Accounts that wait for their e-mail

    private static let two = ["ada", "eve"].map { "\($0),\($0)@a.example,correct horse\n" }
        .reduce("username,email,password\n", +)

    /// - Parameters:
    ///   - tokens: whether there is a file of tokens.
    ///   - fault: the error of each login.
    @Test(
        arguments: [
            (true, false, nil, ["signUp", "logIn", "send", "signUp", "logIn", "send"]),
            (true, true, nil, ["signUp", "logIn", "send", "signUp", "logIn", "send"]),
            (false, false, nil, ["signUp", "logIn", "signUp"]),
            (false, true, nil, ["signUp", "logIn", "signUp", "logIn"]),
            (true, false, .unsupported, ["signUp", "logIn", "signUp"]),
            (true, false, .accountDisabled, ["signUp", "logIn", "signUp", "logIn"]),
        ] as [(waits: Bool, tokens: Bool, fault: AuthError.Reason?, requests: [String])])
    func `if a signup does not say whether the account waits for its e-mail, a bulk signup logs in like signup`(
        waits: Bool, tokens: Bool, fault: AuthError.Reason?, requests: [String]
    ) throws {
        let server = FakeAccounts(demandsVerification: waits, isSilent: true) { request, _ in
            request.hasPrefix("logIn") ? fault.map { .before(AuthError($0, "no")) } : nil
        }
        let fixture = try BulkFixture(server)
        try fixture.create(file: Self.two, tokens: tokens)
        expect(fixture.results.lines, ["1 created", "2 created"])
        expect(server.requests.map { $0.prefix { $0 != " " } }, requests.map { $0[...] })
        let end =
            #""id":"id2","username":"eve","email":"eve@a.example""#
            + (requests.contains("send") ? #","pending":true"# : "")
        #expect(try fixture.folder.read("journal").hasSuffix("\(end)}\n"))
    }

    /// The rate limit of the first login, and a lost response to the signup.
    @Test(arguments: [
        ("logIn ada", FakeAccounts.Fault.before(AuthError(.rateLimited, "slow", retryAfter: 1)), 2, #""created","id""#),
        ("signUp ada", FakeAccounts.Fault.after(lost), 1, #""pending":true"#),
    ])
    func `a fault of the first request does not lose a new account that waits for its e-mail`(
        request: String, fault: FakeAccounts.Fault, logins: Int, line: String
    ) throws {
        let server = FakeAccounts(demandsVerification: true, isSilent: true) { $0 == request && $1 == 0 ? fault : nil }
        let fixture = try BulkFixture(server)
        try fixture.create(file: "username,email,password\nada,ada@a.example,correct horse\n")
        let requests = ["signUp ada"] + Array(repeating: "logIn ada", count: logins) + ["send ada@a.example"]
        expect(server.requests, requests)
        #expect(try fixture.folder.read("journal").contains(line))
    }

    // MARK: - Files of other runs

    @Test func `a bulk signup rejects a journal for different rows, a different server or a different shard`() throws {
        let rows = try BulkFixture()
        try rows.create(file: "username,password\nada,correct horse\n")
        try expect(failure { try rows.create(file: "username,password\neve,correct horse\n") }.reason, .usage)
        expect(rows.server.requests, ["signUp ada"])
        let shard = try BulkFixture()
        try shard.create(shard: Shard("1/2"))
        try expect(failure { try shard.create() }.reason, .usage)
        let server = try BulkFixture()
        let head = #"{"v":1,"kind":"users.journal","backend":"parse","server":"https://a.example","appId":"a"}"#
        try server.folder.write("journal", head + "\n")
        try expect(failure { try server.create() }.reason, .usage)
    }

    @Test(arguments: [
        ("ada\n", AuthError.Reason.usage), ("{}\n", .usage), (#"{"cookies":[],"origins":[]}"#, .usage), ("{\n", .usage),
        ("{\"v\":1,\"kind\":\"users.journal\",\"backend\":\"local\"}\n{\"row\":1}\n", .corrupt),
    ])
    func `a bulk signup rejects a journal with invalid content and keeps it unchanged`(
        text: String, reason: AuthError.Reason
    ) throws {
        let fixture = try BulkFixture()
        try fixture.folder.write("journal", text, mode: 0o644)
        try expect(failure { try fixture.create() }.reason, reason)
        try expect(fixture.folder.read("journal"), text)
        try expect(fixture.folder.mode("journal"), "644")
    }

    @Test(arguments: [BulkFile.credentials, .tokens])
    func `a bulk signup rejects another program's file beside its journal and keeps it unchanged`(
        kind: BulkFile
    ) throws {
        let fixture = try BulkFixture()
        try fixture.create(1, tokens: true)
        try fixture.folder.write(kind.rawValue, #"{"type":"service_account"}"#, mode: 0o644)
        try expect(failure { try fixture.create(2, tokens: true) }.reason, .usage)
        try expect(fixture.folder.read(kind.rawValue), #"{"type":"service_account"}"#)
        try expect(fixture.folder.mode(kind.rawValue), "644")
    }

    @Test func `a bulk signup keeps the last password of a file without a final newline`() throws {
        let fixture = try BulkFixture()
        try fixture.create(2)
        let passwords = try fixture.passwords()
        try fixture.folder.write("credentials", String(try fixture.folder.read("credentials").dropLast()))
        try fixture.create(3)
        try expect(fixture.passwords().filter { $0.key != "ci-3" }, passwords)
        try expect(fixture.passwords().count, 3)
    }

    @Test(arguments: [
        ("", true), ("{", true), (#"{"username":"ci-1","pass"#, true), (#"{"email":"#, true),
        (#"{"username":"a","password":"b"}"#, false), (#"{"cookies":[],"#, false), ("notes", false), ("}", false),
    ])
    func `only the beginning of a line that authctl writes is an unfinished line`(rest: String, isUnfinished: Bool) {
        expect(BulkFile.credentials.isUnfinished(Array(rest.utf8)), isUnfinished)
        expect(BulkFile.tokens.isUnfinished(Array(rest.utf8)), isUnfinished)
    }

    @Test func `a bulk signup rejects a journal or a credentials file if the other one is missing`() throws {
        let fixture = try BulkFixture()
        try fixture.folder.write("credentials", #"{"username":"ada","password":"p"}"# + "\n")
        try expect(failure { try fixture.create() }.reason, .usage)
        let lost = try BulkFixture()
        try lost.create()
        try lost.folder.write("credentials", "")
        try expect(failure { try lost.create(4) }.reason, .usage)
    }
}
