import Foundation
import TestSupport

/// `check` on real servers, each of which has one rule that was left open, and on servers that tell nothing.
@Suite(.mostlyWaits, .keepsInvariants) struct CheckStoryTests {
    private func check(_ world: Sandbox, _ table: String, _ words: String...) throws -> Finished {
        try check(world, table, words)
    }

    private func check(_ world: Sandbox, _ table: String, _ words: [String]) throws -> Finished {
        try world.write(table, to: "\(world.home)/access.txt")
        return try world.start(["check", "access.txt"] + words).wait()
    }

    @Test func `at serve, a user may change only itself`() throws {
        let serving = try ServingProgram()
        let world = try Sandbox(visiting: serving)
        for name in ["ada", "bob"] { try expect(world.signUp(name, "--as", name).exitCode, 0) }
        try expect(world.logIn("ada").exitCode, 0)
        let id = try #require(try world.run("whoami", "--json").document().object("user").string("id"))
        try world.write(#"{"nickname":"x"}"#, to: "\(world.home)/name.json")
        let table = """
            request                      me    ada   bob   anyone
            GET  /users/me               yes   200   yes   no
            GET  /users/{id}             yes   yes   no    404
            GET  '/sessions?limit=100'   items=2 items=2 items=1 no
            PUT  /users/{id} @name.json  yes   yes   no    no
            PUT  /users/{me} @name.json  yes   yes   200   -
            GET  /classes/_User/{id}     -     yes   no    no
            """
        let good = try check(world, table, "--set", "id=\(id)", "--writes", "--strict")
        expect(good.exitCode, 0, "\(good.everything)")
        #expect(try world.run("api", "/users/me").stdout.contains(#""nickname":"x""#))
        let bad = try check(world, table.replacing("200   -", with: "no   -"), "--set", "id=\(id)", "--writes")
        expect(bad.exitCode, 11)
        #expect(bad.stdout.contains("\nbob may PUT /users/"), "\(bad.everything)")
        // A logout in the middle of a run is no denial, and neither is a session that is already dead.
        try expect(world.run("logout", "--as", "bob").exitCode, 0)
        try expect(check(world, table, "--set", "id=\(id)", "--writes").exitCode, 3)
        let token = ["AUTHCTL_TOKEN": "r:dead"]
        let dead = try world.run("check", "-", input: "request me\nGET /users/me no", environment: token)
        #expect(dead.exitCode == 4 && dead.stdout.isEmpty, "\(dead.everything)")
    }

    @Test(
        .enabled(if: PocketBaseServer.isAvailable, "\(PocketBaseServer.absence)"), arguments: PocketBaseServer.versions)
    func `at PocketBase, a rule that was left open is found`(version: String) throws {
        let server = try PocketBaseServer(version)
        let world = try Sandbox(visiting: server)
        try expect(world.signUp("ada@example.org").exitCode, 0)
        try expect(world.signUp("bob@example.org", "--as", "bob").exitCode, 0)
        let me = try #require(try world.run("whoami", "--json").document().object("user").string("id"))
        func create(_ collection: String) throws -> String {
            let made = try world.run(
                "api", "/api/collections/\(collection)/records", "-f", "owner=\(me)", "-f", "text=x")
            return String(try #require(made.stdout.firstMatch(of: /"id":"([a-z0-9]+)"/)?.1, "\(made.everything)"))
        }
        let (note, letter) = (try create("notes"), try create("letters"))
        try world.write(#"{"text":"y"}"#, to: "\(world.home)/text.json")
        try world.write(#"{"text":"y","owner":"\#(me)"}"#, to: "\(world.home)/new.json")
        // The four ways to deny: an empty list, 404, 400 and 403.
        let table = """
            request                                               me    bob  anyone
            GET   /api/collections/notes/records                  items=1 no no
            GET   /api/collections/notes/records/{note}           yes   no   404
            POST  /api/collections/notes/records @new.json        yes   no   no
            GET   /api/collections/secrets/records                no    403  no
            GET   /api/collections/users/records/{me}             yes   yes  -
            GET   /api/collections/letters/records                yes   no   no
            GET   /api/collections/letters/records/{letter}       yes   no   no
            PATCH /api/collections/letters/records/{letter} @text.json yes no no
            """
        let found = try check(world, table, "--set", "note=\(note)", "--set", "letter=\(letter)", "--writes")
        expect(found.exitCode, 11, "\(found.everything)")
        let path = "/api/collections/letters/records/\(letter), expected no"
        #expect(
            found.stdout.contains(
                "\nbob may GET \(path)\nanyone may GET \(path)\n23 requests: 21 as expected, 2 differ"))
        #expect(found.stderr.contains("line 5: nobody is expected to succeed"))
        // The server treats a dead token like none.
        let other = try Sandbox(visiting: server)
        try expect(other.logIn("bob@example.org").exitCode, 0)
        try expect(other.changePassword().exitCode, 0)
        let dead = try check(world, "request bob\nGET /api/collections/notes/records/\(note) no\n")
        #expect(dead.exitCode == 4 && dead.stdout.isEmpty, "\(dead.everything)")
    }

    @Test(.enabled(if: DjangoServer.isAvailable, DjangoServer.needed))
    func `at a Django site, a view without the permission of the other views is found`() throws {
        let world = try Sandbox(visiting: DjangoServer(.djRestAuth))
        try world.join("ada")
        try expect(world.signUp("bob", "--as", "bob", "--email", "bob@example.com").exitCode, 0)
        let table = """
            request                  me       bob  anyone
            GET  /api/notes/ada/     yes      no   401
            GET  /api/notes/bob/     no       yes  no
            PUT  /api/notes/ada/     yes      403  no
            GET  /api/drafts/ada/    yes      no   no
            GET  /api/items/         items=10 yes  no
            GET  /api/none/          -        -    404
            """
        let found = try check(world, table, "--writes")
        expect(found.exitCode, 11, "\(found.everything)")
        #expect(
            found.stdout.contains(
                "\nbob may GET /api/drafts/ada/, expected no\nnot known whether anyone may GET /api/none/"))
        let fixed = table.split(separator: "\n").filter { !$0.contains("drafts") && !$0.contains("none") }
        try expect(check(world, fixed.joined(separator: "\n"), "--writes", "--strict").exitCode, 0)
    }

    @Test func `PATCH and DELETE at the Data API count as denied if they change no row`() throws {
        let server = try SupabaseServer()
        let world = try server.visitor()
        try world.signUp("ada@example.org")
        try world.write(#"{"text":"x"}"#, to: "\(world.home)/n.json")
        let table = """
            request                                 me
            PATCH '/rest/v1/notes?id=eq.1' @n.json  yes
            DELETE '/rest/v1/notes?id=eq.999'       no
            GET '/rest/v1/notes?id=eq.999'          no
            """
        let end = try check(world, table, "--writes")
        expect(end.exitCode, 0, "\(end.everything)")
    }

    // MARK: - Servers that tell nothing

    private func visitor(_ routes: [String: [ScriptedServer.Answer]]) throws -> (Sandbox, ScriptedServer) {
        let (server, world) = (try ScriptedServer(routes), Sandbox())
        try world.keepSession(for: server.url("/api"))
        return (world, server)
    }

    @Test func `gateways, redirects, failures and lost connections are not known, and each request is sent once`()
        throws
    {
        let (world, server) = try visitor([
            "/api/users/me": [ParseSession.user], "/api/page": [.answer("200 OK", [], "<html>Welcome")],
            "/api/away": [.answer("302 Found", ["Location: /api/ok"])], "/api/ok": [.json("{}")],
            "/api/fails": [.json("{}", "503 No")], "/api/closes": [[.close]], "/api/resets": [[.reset]],
            "/api/cut": [[.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}"), .close]],
            "/api/busy": [.answer("429 No", ["Retry-After: 1"]), .json(#"{"code":101,"error":"x"}"#, "404 No")],
        ])
        let paths = ["page", "away", "fails", "closes", "resets", "cut", "busy"]
        // libcurl repeats a request that only reads if the kept connection is dead.
        let table =
            "request me\nGET /ok yes\n"
            + paths.map { "\(["closes", "resets"].contains($0) ? "POST" : "GET") /\($0) no\n" }.joined()
        let end = try check(world, table, ["--json", "--writes"] + ParseSession.options(at: server.url("/api")))
        expect(end.exitCode, 8, "\(end.everything)")
        let cells = end.stdout.split(separator: "\n").map { $0.contains(#""ok":null"#) }
        expect(cells, [false, true, true, true, true, true, true, false, false])
        let counts = paths.map { path in server.requests.count { $0.target == "/api/\(path)" } }
        expect(counts, [1, 1, 1, 1, 1, 1, 2], "\(server.requests.map(\.target))")
        expect(server.requests.filter { $0.target == "/api/ok" }.count, 1)
    }

    @Test func `requests that only read use one connection, and Ctrl-C prints what is known so far`() throws {
        let (world, server) = try visitor([
            "/api/users/me": [ParseSession.user], "/api/a": [.json("{}")], "/api/slow": [.json("{}").after(seconds: 1)],
        ])
        try world.write("request me\nGET /a yes\nGET /slow yes\nGET /a no\n", to: "\(world.home)/access.txt")
        for words in [[], ["--json"]] {
            let count = server.requests.count
            let options = ParseSession.options(at: server.url("/api"))
            let program = try world.start(
                ["check", "access.txt", "--report", "junit=report.xml"] + words + options)
            let limit = Date(timeIntervalSinceNow: 20)
            while !server.requests.dropFirst(count).contains(where: { $0.target == "/api/slow" }), Date() < limit {
                usleep(20_000)
            }
            program.send(SIGINT)
            let end = program.wait()
            expect(end.exitCode, 130, "\(end.everything)")
            #expect(end.stdout.contains(words.isEmpty ? "3 requests: 2 as expected, 1 not sent" : #""cells":2,"#))
            let report = try world.text("\(world.home)/report.xml")
            #expect(report.contains(#"<skipped message="not sent: interrupted">not sent: interrupted</"#), "\(report)")
            expect(Set(server.requests.dropFirst(count).map(\.connection)).count, 1)
        }
    }

    @Test(.enabled(if: Host.canMount, "needs root and the right to mount"), arguments: [("yes", 12), ("no", 11)])
    func `a report on a full disk is exit code 12, or 11 if an outcome differs`(expected: String, code: Int32) throws {
        let (world, server) = try visitor(["/api/users/me": [ParseSession.user], "/api/a": [.json("{}")]])
        try world.write("request me\nGET /a \(expected)\n", to: "\(world.home)/access.txt")
        let options = ParseSession.options(at: server.url("/api")).joined(separator: " ")
        let script = """
            mkdir ~/full && mount -t tmpfs -o size=4k,mode=700 none ~/full || exit 99
            cat /dev/zero >~/full/filler 2>/dev/null
            "$A" check access.txt --report junit=full/r.xml --report html=r.html \(options); code=$?
            ls -A ~/full; exit $code
            """
        let end = try world.start(
            [], environment: ["A": BuiltBinary.path],
            program: ["/usr/bin/unshare", "-m", "/bin/bash", "-c", script]
        ).wait()
        expect(end.exitCode, code, "\(end.everything)")
        #expect(end.stderr.contains("/full/r.xml': no space left on device"), "\(end.everything)")
        #expect(end.stdout.hasSuffix("\nfiller\n") && world.isThere("\(world.home)/r.html"))
    }

    @Test func `check with standard output closed fails, and sends each request at most once`() throws {
        let (world, server) = try visitor(["/api/users/me": [ParseSession.user], "/api/a": [.json("{}")]])
        try world.write("request me\nGET /a yes\n", to: "\(world.home)/access.txt")
        let words = ["check", "access.txt"] + ParseSession.options(at: server.url("/api"))
        try expect(world.start(words, output: -1).wait().exitCode, 12)
        expect(server.requests.count { $0.target == "/api/a" }, 1)
    }
}
