import CommandTestSupport
import JSON

@testable import AuthctlCommands

/// `check --draft` with local accounts, whose server runs in the same process.
@Suite struct CheckDraftTests {
    private let world = TestContext()
    private let folder = TestFolder()

    init() {
        world.sessions.put(.ada)
        world.sessions.put(.sample(as: "bob", session: .sample("r:bob"), user: User(id: "b2", username: "bob")))
    }

    private func expect(_ path: String, as user: String, _ status: Int = 200, _ answer: String = "{}") {
        let token = ["me": "\nX-Parse-Session-Token: \(Exchange.adaToken)", "bob": "\nX-Parse-Session-Token: r:bob"][
            user]
        world.server.expect(
            Exchange(
                "GET embedded:/parse\(path)\nAccept: */*\nX-Parse-Application-Id: local\(token ?? "")", status, answer,
                headers: ["Content-Type": "application/json"]))
    }

    private func expectSessions() {
        world.server.expect(.currentUser(), .currentUser(token: "r:bob", 200, #"{"objectId":"b2","username":"bob"}"#))
    }

    private func expectClasses(_ names: String...) {
        let classes = names.map { #"{"className":"\#($0)"}"# }.joined(separator: ",")
        world.server.expect(
            Exchange(
                "GET embedded:/parse/schemas\nX-Parse-Application-Id: local", 200, #"{"results":[\#(classes)]}"#))
    }

    /// The answers for one class, whose second object is open to everyone, and one that no response tells about.
    private func expectDraft() {
        expectClasses("Note", "_Session", "Log")
        expectSessions()
        expect("/classes/Note", as: "me", 200, #"{"results":[{"objectId":"n1","text":"v4lue"},{"objectId":"n2"}]}"#)
        expect("/classes/Note", as: "bob", 200, #"{"results":[{"objectId":"n2"}]}"#)
        expect("/classes/Note", as: "anyone", 200, #"{"results":[]}"#)
        for user in ["me", "bob", "anyone"] { expect("/classes/Log", as: user, 200, "<html>") }
        for path in ["n1", "n2"] {
            for user in ["me", "bob", "anyone"] {
                let isDenied = path == "n1" && user != "me"
                expect(
                    "/classes/Note/\(path)", as: user, isDenied ? 404 : 200,
                    isDenied ? #"{"code":101,"error":"x"}"# : "{}")
            }
        }
    }

    private func run(_ words: String...) -> TestContext.Result {
        world.run(words: ["check", "--draft", "--skip", "/sess*"] + words)
    }

    @Test(arguments: [[], ["--json"], ["--quiet"]])
    func `a draft is a table of what each user gets, with comments about the rest`(words: [String]) {
        expectDraft()
        let result = world.run(words: ["check", "--draft", "--skip", "/sess*"] + words)
        result.expectTranscript(in: "check-draft", words.first ?? "text")
        #expect(result.exitCode == 0 && !result.stdout.contains("v4lue"))
    }

    @Test func `a draft replaces an earlier draft, which check reads`() throws {
        for _ in 1...2 {
            expectDraft()
            #expect(
                run("-o", folder.path("t"))
                    == .init(
                        stdout: "", stderr: "authctl: note: wrote 3 requests to '\(folder.path("t"))'\n",
                        ending: .exit(0)))
        }
        world.files["t"] = try folder.read("t")
        let preview = world.run("check", "t", "--dry-run")
        #expect(preview.exitCode == 0 && preview.stdout.split(separator: "\n").count == 9, "\(preview.transcript)")
    }

    @Test func `options that do not fit are rejected before any request`() throws {
        world.files["yaml"] = "openapi: 3.0.3"
        let lines = [
            ["--draft", "t"], ["--draft", "--strict"], ["t", "--openapi", "d"], ["t", "-o", "x"],
            ["--draft", "--user", "a b"],
            ["--draft", "--user", "anyone"], ["--draft", "--limit", "0"], ["--draft", "--as", "bob"],
            ["--draft", "--admin-key-file", "k"],
        ]
        world.expectErrors(in: "check-draft", of: lines.map { ["check"] + $0 }.filter { $0.last != "k" })
        try folder.write("mine", "request me\n")
        #expect(run("-o", folder.path("mine")).exitCode == 2)
        #expect(try folder.read("mine") == "request me\n")
        #expect(run("-o", folder.path("none/t")).exitCode == 12)
        #expect(run("--user", "carl").exitCode == 3)
    }

    @Test(arguments: ["openapi: 3.0.3", #"{"swagger":"2.0","paths":{}}"#, #"{"openapi":"3.0.3","paths":{}}"#])
    func `an OpenAPI document is a file if it exists`(text: String) {
        world.files["d"] = text
        // An unreadable description ends the draft before a session is asked about.
        if text.hasPrefix(#"{"openapi"#) { expectSessions() }
        let result = run("--openapi", "d")
        result.expectTranscript(in: "check-draft", text)
        #expect(result.exitCode == (text.hasPrefix(#"{"openapi"#) ? 8 : 2))
    }

    @Test func `an OpenAPI document of the site is read with the first user's session, but no path elsewhere`() {
        let paths = #""/a":{"get":{}},"/a/{id}":{"get":{}}"#
        world.server.expect(
            Exchange(
                """
                GET embedded:/parse/schema?format=json
                Accept: application/vnd.oai.openapi+json, application/json
                X-Parse-Application-Id: local
                X-Parse-Session-Token: \(Exchange.adaToken)
                """, 200, #"{"openapi":"3.1.0","servers":[{"url":"https://evil.example"}],"paths":{\#(paths)}}"#))
        expectSessions()
        for user in ["me", "bob"] { expect("/a", as: user, 200, #"[{"id":7}]"#) }
        for user in ["me", "bob"] { expect("/a/7", as: user) }
        let result = run("--openapi", "/schema?format=json", "--no-anyone")
        #expect(result.exitCode == 0 && result.stdout.contains("GET /a/7  yes  yes\n"), "\(result.transcript)")
        run("--openapi", "https://evil.example/schema").expectErrors(in: "check-draft", "another host")
    }

    @Test func `a draft without a list that can be requested is exit code 8 or 9, and nothing is written`() {
        expectClasses("A")
        expectSessions()
        for user in ["me", "bob", "anyone"] { expect("/classes/A", as: user, 503, "{}") }
        #expect(run("-o", folder.path("t")).exitCode == 9)
        #expect((try? folder.names()) == [])
    }
}
