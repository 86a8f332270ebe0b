import Foundation
import TestSupport

/// `authctl users` in a separate process, with local accounts and real servers.
@Suite(.mostlyWaits) struct BulkAccountTests {
    private let world = Sandbox()

    private func path(_ name: String) -> String { "\(world.home)/\(name)" }

    /// Waits until the journal records a created account.
    private func waitForAccount() {
        // `try?`: at first, the journal does not exist.
        while (try? world.text(path("journal")))?.contains("created") != true { usleep(10_000) }
    }

    private func create(_ count: Int, _ words: String...) -> [String] {
        [
            "users", "create", "--count", "\(count)", "--name", "ci-{n}", "--journal", path("journal"),
            "--credentials", path("credentials"),
        ] + words
    }

    @Test(arguments: DjangoServer.isAvailable ? [false, true] : [false])
    func `'users create', killed and resumed, neither loses nor duplicates an account`(isDjango: Bool) throws {
        let script = "\(Installation.project)/Tests/users-kill"
        let result = try world.start(
            ["--binary", BuiltBinary.path, "--rows", "60", "--kills", "8"] + [isDjango ? "--django" : "create"],
            program: ["/usr/bin/python3", script]
        ).wait()
        expect(result.exitCode, 0, "\(result.everything)")
    }

    @Test func `the users commands create, log in, list, export and delete local accounts`() throws {
        let created = try world.start(create(30)).wait()
        expect(created.exitCode, 0, "\(created.everything)")
        #expect(world.mode(path("credentials")) == 0o600 && world.mode(path("journal")) == 0o600)
        let logins = try world.run("users", "login", "--credentials", path("credentials"), "--tokens", path("tokens"))
        expect(logins.exitCode, 0)
        try expect(world.text(path("tokens")).split(separator: "\n").count, 30)
        try expect(world.run("users", "list", "--json").stdout.split(separator: "\n").count, 30)
        let exported = try world.run("users", "export").stdout
        expect(exported.split(separator: "\n").count, 30)
        #expect(exported.hasPrefix(#"{"id":""#) && !exported.contains("assword"))
        try expect(world.run("users", "delete", "--journal", path("journal"), "--yes").exitCode, 0)
        try expect(world.run("users", "list").stdout, "")
    }

    @Test func `after the accounts are gone, 'users create --replace' begins anew and keeps the old files`() throws {
        try expect(world.start(create(2)).wait().exitCode, 0)
        let tokens = ["users", "login", "--credentials", path("credentials"), "--tokens", path("tokens")]
        try expect(world.start(tokens).wait().exitCode, 0)
        let old = try (world.text(path("journal")), world.text(path("credentials")))
        try FileManager.default.removeItem(atPath: world.dataFolder)
        let gone = try world.start(create(2)).wait()
        #expect(gone.exitCode == 11 && gone.stdout.hasPrefix("1 skipped, 1 failed in "), "\(gone.everything)")
        #expect(gone.stderr.contains("the account is gone"))
        let replaced = try world.start(create(2, "--replace")).wait()
        #expect(replaced.exitCode == 0 && replaced.stdout.hasPrefix("2 created in "), "\(replaced.everything)")
        try expect(world.text(path("journal.1")), old.0)
        try expect(world.text(path("credentials.1")), old.1)
        #expect(world.mode(path("credentials.1")) == 0o600)
        let logins = try world.start(tokens).wait()
        #expect(logins.exitCode == 0 && logins.stdout.hasPrefix("2 logged in in "), "\(logins.everything)")
        try expect(world.text(path("tokens")).split(separator: "\n").count, 2)
        // Its own accounts are in the way then.
        let again = try world.start(create(2, "--replace")).wait()
        #expect(again.exitCode == 11 && again.stdout.hasPrefix("2 already existed in "), "\(again.everything)")
        #expect(world.isThere(path("journal.2")) && world.isThere(path("credentials.2")))
    }

    @Test func `'users create' imports exported accounts into a Parse server and sets new passwords`() throws {
        let fields = ["--email", "ci-{n}@example.org", "--field", "plan=pro", "--field", "apiToken=x"]
        try expect(world.start(create(3) + fields).wait().exitCode, 0)
        let server = try ServingProgram(world: Sandbox())
        let exported = try world.run("users", "export")
        expect(exported.stderr, "authctl: warning: the export leaves out 'apiToken'\n")
        try world.write(exported.stdout, to: path("users.ndjson"))
        let moved = try world.run(
            "users", "create", path("users.ndjson"), "--journal", path("move"), "--credentials", path("new"),
            "--backend", "parse", "--server", server.url, "--app-id", ServingProgram.appID)
        #expect(moved.exitCode == 0 && moved.stdout.hasPrefix("3 created in "))
        let users = try server.world.run("users", "export").stdout
        #expect(users.contains(#""username":"ci-2","email":"ci-2@example.org","emailVerified":false,"plan":"pro"}"#))
    }

    @Test func `'users create' keeps at most 32 MiB of a pipe`() throws {
        func exitCode(_ size: Int) throws -> Int32? {
            let row = #"{"username":"ada","password":"\(Sandbox.password)","note":""#
            let script =
                "(printf '%s' '\(row)'; yes x | head -c \(size); echo '\"}') | \(BuiltBinary.path) users create - --dry-run"
            return try world.start([], program: ["/bin/bash", "-c", script]).wait().exitCode
        }
        try expect(exitCode(33 << 20), 2)
    }

    @Test func `'users list' in a file is not cut to the width of the terminal`() throws {
        let email = "ada@\(String(repeating: "a", count: 60)).example"
        try world.signUp("ada", "--email", email)
        let terminal = PseudoTerminal()
        let list = try world.start(["users", "list"], under: .shell("exec > '\(path("list"))'"), terminal: terminal)
        expect(list.wait().exitCode, 0)
        #expect(try world.text(path("list")).contains(email))
    }

    @Test func `'users create' gives local accounts the ids in its input file, and reports a taken id`() throws {
        try world.write("id,username,password\nu1,ada,correct horse\nu2,bob,correct horse\n", to: path("a.csv"))
        try world.write("id,username,password\nu1,eve,correct horse\nu2,bob,correct horse\n", to: path("b.csv"))
        try expect(world.run("users", "create", path("a.csv"), "--journal", path("a")).exitCode, 0)
        #expect(try world.run("users", "export").stdout.contains(#"{"id":"u1","username":"ada""#))
        let taken = try world.run("users", "create", path("b.csv"), "--journal", path("b"))
        #expect(taken.exitCode == 11 && taken.stdout.hasPrefix("1 already existed, 1 failed in "))
        #expect(taken.stderr.contains("the id is already taken"))
    }

    @Test func `'users create --ids', killed and resumed, maps the id of each account once`() throws {
        let rows = (1...60).map {
            #"{"id":"old-\#($0)","username":"ci-\#($0)","password":"\#(Sandbox.password)"}"# + "\n"
        }
        try world.write(rows.joined(), to: path("rows"))
        let words = [
            "users", "create", path("rows"), "--journal", path("journal"), "--drop", "id", "--ids", path("ids"),
        ]
        let program = try world.start(words + ["--rate", "50/s"])
        waitForAccount()
        program.send(SIGKILL)
        expect(program.wait().signal, SIGKILL)
        try expect(world.start(words).wait().exitCode, 0)
        let accounts = try world.run("users", "export").stdout.split(separator: "\n").map { line in
            let user = try JSONDocument(line: Data(line.utf8) + [10])
            let name = try #require(user.string("username"))
            return #"{"id":"old-\#(name.dropFirst(3))","username":"\#(name)","newId":"\#(user.string("id") ?? "")"}"#
        }
        expect(accounts.count, 60)
        try expect(world.text(path("ids")).split(separator: "\n").map { String($0) }.sorted(), accounts.sorted())
        expect(world.mode(path("ids")), 0o600)
        // A link could name a file of another program.
        try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: path("other"))
        let linked = try world.start(words.dropLast() + [path("link")]).wait()
        #expect(linked.exitCode == 12 && !world.isThere(path("other")), "\(linked.everything)")
    }

    @Test func `after Ctrl-C, 'users create' finishes the requests in progress and reports how to resume`() throws {
        let program = try world.start(create(1000, "--rate", "20/s", "--jobs", "2"))
        waitForAccount()
        program.send(SIGINT)
        let result = program.wait()
        expect(result.exitCode, 130)
        #expect(result.stdout.hasSuffix("interrupted; to continue, run the same command again\n"))
        let lines = try world.text(path("journal")).split(separator: "\n")
        expect(lines.count { $0.contains(#""state":"sent""#) }, lines.count { $0.contains(#""state":"created""#) })
    }

    @Test func `a killed 'users refresh' loses no token that a response has delivered`() throws {
        let jwt = "eyJhbGciOiJub25lIn0.e30.c2ln"
        let server = try ScriptedServer([
            "/dj-rest-auth/token/refresh/": [.json(#"{"access":"\#(jwt)","refresh":"r2"}"#), [.stall]]
        ])
        func line(_ name: String, _ token: String, _ refreshToken: String) -> String {
            let tokens = #""token":"\#(token)","expiresAt":null,"refreshToken":"\#(refreshToken)""#
            let scope = #""backend":"rest-auth","server":"\#(server.url("/dj-rest-auth"))""#
            return #"{"id":null,"username":"\#(name)",\#(tokens),\#(scope),"appId":null,"collection":null}"# + "\n"
        }
        let old = line("ada", "a", "r0") + line("bob", "b", "r1")
        try world.write(old, to: path("tokens"))
        let program = try world.start([
            "users", "refresh", "--tokens", path("tokens"), "--jobs", "1", "--backend", "dj-rest-auth", "--server",
            server.url("/dj-rest-auth"),
        ])
        let end = Date(timeIntervalSinceNow: 20)
        while server.requests.count < 2, Date() < end { usleep(5000) }
        program.send(SIGKILL)
        expect(program.wait().signal, SIGKILL)
        try expect(world.text(path("tokens")), old + line("ada", jwt, "r2"))
    }

    @Test func `a second 'users create' with the same journal fails with a lock error`() throws {
        let program = try world.start(create(1000, "--rate", "20/s"))
        waitForAccount()
        let second = try world.start(create(1000)).wait()
        expect(second.exitCode, 12)
        #expect(second.stderr.contains("'\(path("journal"))' is locked by"))
        program.send(SIGTERM)
        expect(program.wait().exitCode, 143)
    }

    @Test func `'users create' ends when its output pipe is closed, and can be resumed`() throws {
        let words = (create(30, "--json")).joined(separator: " ")
        let script = "\(BuiltBinary.path) \(words) | head -n 1; echo ${PIPESTATUS[0]}"
        let result = try world.start([], program: ["/bin/bash", "-c", script]).wait()
        #expect(result.stdout.hasSuffix("\n141\n"))
        try expect(world.start(create(30)).wait().exitCode, 0)
        try expect(world.run("users", "list", "--json").stdout.split(separator: "\n").count, 30)
    }

    @Test func `the memory use of 'users create --dry-run' does not grow with the number of rows`() throws {
        func memory(_ rows: Int) throws -> Int {
            let script = """
                import resource, subprocess, sys
                subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
                print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
                """
            let result = try world.start(
                ["-c", script, BuiltBinary.path] + create(rows, "--dry-run"),
                program: ["/usr/bin/python3"]
            ).wait()
            return try #require(Int(result.stdout.trimmingCharacters(in: .whitespacesAndNewlines)))
        }
        let (few, many) = (try memory(1000), try memory(100_000))
        #expect(many < few + few / 10)
    }
}
