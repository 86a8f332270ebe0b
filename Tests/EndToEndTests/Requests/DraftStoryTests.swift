import Foundation
import TestSupport

/// `check --draft` on real servers and on a fake Data API: `check` finds the draft as expected, and a rule that was left
/// open is marked in it.
@Suite(.mostlyWaits, .keepsInvariants) struct DraftStoryTests {
    /// Drafts a table, checks it, and returns its text.
    private func draft(_ world: Sandbox, _ words: String...) throws -> String {
        let made = try world.start(["check", "--draft", "-o", "draft.txt"] + words).wait()
        expect(made.exitCode, 0, "\(made.everything)")
        let text = try world.text("\(world.home)/draft.txt")
        let checked = try world.start(["check", "draft.txt"]).wait()
        expect(checked.exitCode, 0, "\(text)\(checked.everything)")
        return text
    }

    /// The outcomes of the requests whose path matches, in order: `yes no no`.
    private func rows(_ text: String, _ path: Regex<Substring>) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("GET ") && $0.contains(path) }.map { line in
            line.split(separator: "#")[0].split(separator: " ").dropFirst(2).joined(separator: " ")
        }
    }

    @Test(
        .enabled(if: PocketBaseServer.isAvailable, "\(PocketBaseServer.absence)"), arguments: PocketBaseServer.versions)
    func `at PocketBase, the draft marks a rule that was left open, and check finds it once the table is closed`(
        version: String
    ) throws {
        let server = try PocketBaseServer(version)
        let (world, root) = (try Sandbox(visiting: server), try Sandbox(visiting: server, "_superusers"))
        try expect(root.logIn("root@example.org").exitCode, 0)
        try world.write(try root.token("site"), to: "\(world.home)/key")
        try expect(world.signUp("ada@example.org").exitCode, 0)
        try expect(world.signUp("bob@example.org", "--as", "bob").exitCode, 0)
        let me = try #require(try world.run("whoami", "--json").document().object("user").string("id"))
        for name in ["notes", "letters"] {
            try expect(
                world.run("api", "/api/collections/\(name)/records", "-f", "owner=\(me)", "-f", "text=secret-text")
                    .exitCode, 0)
        }
        try world.run("check", "--draft", "--json").refusal(2, "usage")
        let user = try world.run("check", "--draft", "--json", "--admin-key-file", "key", "--user", "carl")
        try user.refusal(3, "no-session")
        let text = try draft(world, "--admin-key-file", "key")
        expect(rows(text, /\/notes\/records/), ["yes no no", "yes no no"], "\(text)")
        // The list of letters has a rule, and their view has none.
        expect(rows(text, /\/letters\/records/), ["yes no no", "yes yes yes"])
        expect(rows(text, #//secrets/records /#), ["no no no"])
        expect(rows(text, /\/users\/records/), ["yes yes no", "yes no no", "no yes no"])
        #expect(
            text.contains(/\n# open: anyone gets items of 1 request, .*\n/)
                && text.contains(/\/letters\/records\/\w+ .*# open/))
        #expect(!text.contains("secret-text"))
        let closed = text.replacing(/yes  yes  yes .*\n/, with: "yes no no\n")
        try world.write(closed, to: "\(world.home)/closed.txt")
        let found = try world.run("check", "closed.txt")
        expect(found.exitCode, 11, "\(found.everything)")
        #expect(
            found.stdout.contains(
                /\nbob may GET \/api\/collections\/letters\/records\/\w+, expected no\nanyone may GET/))
    }

    @Test func `serve describes its classes without a key, and the draft has own and foreign rows`() throws {
        let serving = try ServingProgram()
        let world = try Sandbox(visiting: serving)
        for name in ["ada", "bob"] { try expect(world.signUp(name, "--as", name).exitCode, 0) }
        let text = try draft(world)
        #expect(text.contains("\nrequest ") && text.contains(" ada  bob  anyone\n"))
        expect(rows(text, /users/), ["yes yes no", "yes no no", "no yes no"], "\(text)")
        expect(rows(text, /sessions/), ["yes yes no", "yes no no", "no yes no"])
        // Another file is not replaced, and a session that has ended ends the draft.
        try world.write("mine", to: "\(world.home)/other.txt")
        try world.run("check", "--draft", "-o", "other.txt", "--json").refusal(2, "usage")
        try expect(world.text("\(world.home)/other.txt"), "mine")
        let other = try Sandbox(visiting: serving)
        try expect(other.logIn("bob").exitCode, 0)
        try expect(other.run("sessions", "revoke", "--others").exitCode, 0)
        try FileManager.default.removeItem(atPath: "\(world.home)/draft.txt")
        try world.run("check", "--draft", "-o", "draft.txt", "--json").refusal(4, "session-revoked")
        #expect(!world.isThere("\(world.home)/draft.txt"))
    }

    @Test(.enabled(if: DjangoServer.isAvailable, DjangoServer.needed))
    func `a Django site is drafted from its OpenAPI document, and no path of its logins is requested`() throws {
        let server = try DjangoServer(.djRestAuth)
        let world = try Sandbox(visiting: server)
        try world.join("ada")
        try expect(world.signUp("bob", "--as", "bob", "--email", "bob@example.com").exitCode, 0)
        let missing = try world.run("check", "--draft", "--json")
        try missing.refusal(2, "usage")
        #expect(try missing.error().strings("hints")?.contains { $0.contains("--openapi") } == true)
        try world.run("check", "--draft", "--openapi", "https://other.example/api/schema/", "--json").refusal(
            2, "usage")
        let text = try draft(world, "--openapi", "/api/schema/")
        expect(rows(text, /notes/), ["yes yes no", "yes no no", "no yes no"], "\(text)")
        // A view that forgot to check the permission.
        expect(rows(text, /drafts\/\w/), ["yes yes no", "yes yes no"])
        expect(rows(text, /\/dj-rest-auth\//), [])
        #expect(text.contains("# left out: GET /dj-rest-auth/user/: it belongs to logins"))
        let log = try server.world.text("\(server.world.root)/requests")
        #expect(!log.contains("GET /dj-rest-auth/socialaccounts/") && log.contains("GET /api/schema/ 200"))
    }

    @Test func `the tables of a Data API are drafted by primary key, and functions are not called`() throws {
        let server = try SupabaseServer()
        let world = try server.visitor()
        try world.signUp("ada@example.org")
        try expect(world.signUp("bob@example.org", "--as", "bob").exitCode, 0)
        // A key that the server rejects ends the draft before a session is asked about.
        let asked = try #require(server.control().strings("log")).count
        try world.run("check", "--draft", "--admin-key-file", "key", "--json").refusal(5, "bad-app-key")
        let since = try #require(server.control().strings("log")).dropFirst(asked)
        #expect(!since.isEmpty && !since.contains { $0.contains("/auth/v1/user") || $0.contains("/token") }, "\(since)")
        let text = try draft(world, "--admin-key-file", "secret")
        expect(rows(text, /memos/), ["yes yes no", "yes no no", "no yes no"], "\(text)")
        expect(rows(text, /letters/), ["yes yes yes", "yes yes yes"])
        expect(rows(text, /logs/), ["yes yes yes"])
        let log = try #require(try server.control().strings("log"))
        #expect(!log.contains { $0.contains("/rpc/") } && log.allSatisfy { !$0.hasPrefix("POST /rest") })
    }

    @Test func `responses that show no outcome are left out of the draft, with the reason`() throws {
        let names = ["away", "busy", "fails", "large", "ok", "page", "slow"]
        let server = try ScriptedServer([
            "/api/users/me": [ParseSession.user], "/api/away": [.answer("302 Found", ["Location: /api/ok"])],
            "/api/busy": [.answer("429 No", ["Retry-After: 1"])], "/api/fails": [.json("{}", "503 No")],
            "/api/large": [.json("[\"\(String(repeating: "x", count: 1 << 20))\"]")], "/api/ok": [.json("[{}]")],
            "/api/page": [.answer("404 Not Found", [], "<html>Not here")], "/api/slow": [[.stall]],
        ])
        let world = Sandbox()
        try world.keepSession(for: server.url("/api"))
        let paths = names.map { #""/\#($0)":{"get":{}}"# }.joined(separator: ",")
        try world.write(#"{"openapi":"3.0.3","paths":{\#(paths)}}"#, to: "\(world.home)/d.json")
        let words = ["check", "--draft", "--openapi", "d.json", "--no-anyone", "--timeout", "3"]
        let made = try world.start(words + ParseSession.options(at: server.url("/api"))).wait()
        expect(made.exitCode, 0, "\(made.everything)")
        let left = made.stdout.split(separator: "\n").filter { $0.hasPrefix("# left out: ") }
        let reasons = [
            "the server redirects (HTTP 302)", "too many requests (HTTP 429)", "the server failed (HTTP 503)",
            "is larger than 1 MiB", "the response is an HTML page (HTTP 404)", "within 3 s",
        ]
        expect(left.count, reasons.count, "\(made.everything)")
        for (line, (name, reason)) in zip(left, zip(names.filter { $0 != "ok" }, reasons)) {
            #expect(line.hasPrefix("# left out: GET /\(name) as me: ") && line.hasSuffix(reason), "\(line)")
        }
        expect(rows(made.stdout, /\//), ["yes"])
    }

    /// On a machine with other work the time says nothing, so the limit is generous.
    @Test(.enabled(if: PocketBaseServer.isAvailable, "\(PocketBaseServer.absence)"))
    func `the draft of 50 lists and 4 users takes seconds`() throws {
        let server = try PocketBaseServer(PocketBaseServer.versions[0])
        let (world, root) = (try Sandbox(visiting: server), try Sandbox(visiting: server, "_superusers"))
        try expect(root.logIn("root@example.org").exitCode, 0)
        try world.write(try root.token("site"), to: "\(world.home)/key")
        for number in 0..<4 {
            try expect(world.signUp("user\(number)@example.org", "--as", "user\(number)").exitCode, 0)
        }
        for number in 0..<50 {
            try world.write(
                #"{"name":"list\#(number)","type":"base","listRule":"","viewRule":"","createRule":""}"#,
                to: "\(root.home)/list.json")
            try expect(root.run("api", "/api/collections", "--input", "list.json", "-X", "POST").exitCode, 0)
            for _ in 0..<2 {
                try expect(root.run("api", "/api/collections/list\(number)/records", "-X", "POST").exitCode, 0)
            }
        }
        let start = Date()
        let others = "_ u m n s c b letters r".split(separator: " ")
        let skips = others.flatMap { ["--skip", "*/collections/\($0)*"] }
        let made = try world.start(["check", "--draft", "--admin-key-file", "key"] + skips).wait()
        let seconds = Date().timeIntervalSince(start)
        expect(made.exitCode, 0, "\(made.everything)")
        #expect(rows(made.stdout, /list\d+/).count >= 100 && seconds < 10, "\(seconds) s")
        print("draft of 50 lists and 4 users: \(seconds) s")
    }
}
