import AuthClient
import CommandTestSupport
import Platform

@testable import AuthctlCommands

/// `check` with local accounts, whose server runs in the same process.
@Suite struct CheckCommandTests {
    private let world = TestContext()
    private static let denied = #"{"code":101,"error":"Object not found."}"#

    init() {
        world.sessions.put(.ada)
        world.sessions.put(.sample(as: "bob", session: .sample("r:bob"), user: User(id: "b2", username: "bob")))
        world.files["t"] = """
            request          me   bob  anyone
            GET /notes       yes  no   no      # of ada
            GET '/notes/{me}?a={n}'  yes  404  -
            """
    }

    private func expectSessions() {
        world.server.expect(.currentUser(), .currentUser(token: "r:bob", 200, #"{"objectId":"b2","username":"bob"}"#))
    }

    /// Makes the fake server expect a request as a user.
    private func expect(
        _ request: String, as user: String, _ status: Int = 200, _ answer: String = "{}",
        fields: [String] = [], body: String? = nil
    ) {
        let parts = request.split(separator: " ")
        let token = user == "me" ? Exchange.adaToken : "r:bob"
        let lines =
            ["\(parts[0]) embedded:/parse\(parts[1])"] + fields + ["Accept: */*", "X-Parse-Application-Id: local"]
            + (user == "anyone" ? [] : ["X-Parse-Session-Token: \(token)"])
        let text = lines.joined(separator: "\n") + (body.map { "\n\n\($0)" } ?? "")
        world.server.expect(Exchange(text, status, answer, headers: ["Content-Type": "application/json"]))
    }

    /// The responses to the table `t`.
    private func expectTable(_ list: String = #"{"results":[]}"#) {
        expectSessions()
        expect("GET /notes", as: "me", 200, #"{"results":[{},{}]}"#)
        expect("GET /notes", as: "bob", 200, list)
        expect("GET /notes", as: "anyone", 400, #"{"code":119,"error":"Permission denied"}"#)
        expect("GET /notes/g7y9tkhB7O?a=x%2F1", as: "me")
        expect("GET /notes/b2?a=x%2F1", as: "bob", 404, Self.denied)
    }

    private func run(_ words: String...) -> TestContext.Result {
        world.run(words: ["check", "t", "--set", "n=x/1"] + words)
    }

    @Test(arguments: [[], ["--json"], ["--quiet"], ["--strict"]])
    func `check prints the table with the outcomes, and exits with 0 if all are as expected`(words: [String]) {
        expectTable()
        let result = world.run(words: ["check", "t", "--set", "n=x/1"] + words)
        result.expectTranscript(in: "check", words.first ?? "text")
        #expect(result.exitCode == 0)
        world.files["w"] = "request me\nPUT /a yes\n"
        #expect(world.run(words: ["check", "w", "--dry-run"] + words).exitCode == 0)
    }

    @Test(arguments: [[], ["--json"]])
    func `an outcome that differs is marked, named in a sentence and exit code 11`(words: [String]) {
        expectTable(#"{"results":[{}]}"#)
        let result = world.run(words: ["check", "t", "--set", "n=x/1"] + words)
        result.expectTranscript(in: "check", words.first ?? "text")
        #expect(result.exitCode == 11)
    }

    @Test func `on a terminal of 80 columns, a long path is cut, and the marks stay`() {
        (world.isOutputTerminal, world.terminalWidth) = (true, 80)
        world.files["t"] = "request me bob anyone\nGET /\(String(repeating: "long/", count: 30)) yes no 404\n"
        expectSessions()
        let path = "/\(String(repeating: "long/", count: 30))"
        for user in ["me", "bob", "anyone"] { expect("GET \(path)", as: user) }
        let result = run()
        #expect(result.exitCode == 11)
        result.expectTranscript(in: "check")
    }

    @Test(arguments: [
        (302, "", 8), (200, "<html>", 8), (503, "{}", 9), (403, #"{"error":"unauthorized"}"#, 5),
        (400, #"{"code":209,"error":"Invalid session token"}"#, 4),
    ])
    func `a response that does not tell is not known, and decides the exit code unless an outcome differs`(
        status: Int, body: String, exitCode: Int32
    ) {
        for (first, words) in [("yes", []), ("no", []), ("yes", ["--json"])] {
            world.files["t"] = "request bob anyone\nGET /a \(first) no\nGET /b no no"
            world.server.expect(.currentUser(token: "r:bob"))
            expect("GET /a", as: "bob")
            expect("GET /a", as: "anyone", 404, Self.denied)
            expect("GET /b", as: "bob", status, body)
            if exitCode == 4 { world.server.expect(.currentUser(token: "r:bob", 400, Exchange.sessionRevoked)) }
            // A dead session or a wrong key ends the run.
            if exitCode > 5 { expect("GET /b", as: "anyone", 404, Self.denied) }
            let result = world.run(words: ["check", "t"] + words)
            result.expectTranscript(in: "check", "\(status) \(body) \(first) \(words.first ?? "text")")
            #expect(result.exitCode == (first == "no" ? 11 : exitCode))
        }
    }

    @Test(arguments: [([], 0), (["--strict"], 11), (["--strict", "--json"], 11)] as [([String], Int32)])
    func `a table that proves nothing causes warnings and, with --strict, exit code 11`(words: [String], code: Int32) {
        world.files["t"] = "request anyone\nGET /a no\n"
        expect("GET /a", as: "anyone", 404, Self.denied)
        let result = world.run(words: ["check", "t"] + words)
        result.expectTranscript(in: "check", words.joined(separator: " "))
        #expect(result.exitCode == code)
    }

    @Test(arguments: [[], ["--json"]])
    func `a dry run prints the requests and sends nothing`(words: [String]) {
        let result = world.run(words: ["check", "t", "--set", "n=1", "--dry-run"] + words)
        result.expectTranscript(in: "check", words.first ?? "text")
        #expect(result.exitCode == 0)
    }

    @Test func `check sends nothing if an option, the table or a session is wrong`() {
        world.files["w"] = "request me\nPUT /a yes\n"
        world.files["m"] = "request me\nGET /a yes\nGET /b maybe\nGET\n"
        world.files["big"] = "request me\n" + String(repeating: "# comment\n", count: 500_000)
        let lines = [
            ["t"], ["t", "--set", "n"], ["t", "--set", "n=1", "--as", "bob"], ["w"], ["m"], ["big"], ["none"],
            [],
        ]
        world.expectErrors(in: "check", of: lines.map { ["check"] + $0 })
        world.environment["AUTHCTL_AS"] = "bob"
        world.run("check", "w", "--writes").expectErrors(in: "check", "AUTHCTL_AS")
        world.environment = [:]
        world.files["c"] = "request carl\nGET /a yes\n"
        world.run("check", "c").expectErrors(in: "check", "a name that is not saved", exitCode: 3)
    }

    @Test func `a session from the environment is that of me, and no other user's`() {
        world.environment["AUTHCTL_TOKEN"] = "r:env"
        world.files["t"] = "request me bob\nGET /a yes no\n"
        world.server.expect(.currentUser(token: "r:env"), .currentUser(token: "r:bob"))
        let request = "GET embedded:/parse/a\nAccept: */*\nX-Parse-Application-Id: local\nX-Parse-Session-Token: r:env"
        world.server.expect(Exchange(request, 200, "{}"))
        expect("GET /a", as: "bob", 404, Self.denied)
        #expect(world.run("check", "t").exitCode == 0)
    }

    @Test(arguments: [[], ["--json"]])
    func `check ends silently on a broken pipe`(words: [String]) {
        world.files["t"] = "request anyone\nGET /a yes\nGET /b no\n"
        expect("GET /a", as: "anyone")
        if words.isEmpty { expect("GET /b", as: "anyone", 404, Self.denied) }
        world.outputFailure = .brokenPipe
        #expect(world.run(words: ["check", "t", "-q"] + words) == .init(stdout: "", stderr: "", ending: .brokenPipe))
    }

    // MARK: - Bodies

    @Test func `a body is a file in the table's folder or below it`() throws {
        let folder = TestFolder()
        try folder.makeFolder("sub")
        try folder.write("sub/a.json", #"{"a":1}"#)
        try folder.link("b.txt", to: "sub/a.json")
        world.files["\(folder.path)/t"] = "request bob\nPUT /a @sub/a.json yes\nPATCH /b @b.txt no\n"
        world.server.expect(.currentUser(token: "r:bob"))
        expect("PUT /a", as: "bob", fields: ["Content-Type: application/json"], body: #"{"a":1}"#)
        expect(
            "PATCH /b", as: "bob", 404, Self.denied, fields: ["Content-Type: text/plain; charset=utf-8"],
            body: #"{"a":1}"#)
        let result = world.run("check", "\(folder.path)/t", "--writes")
        #expect(result.exitCode == 0, "\(result.transcript)")
    }

    @Test(arguments: [
        "none", "", ".", "/dev/zero", "../other", "link", "pipe", "/etc/hostname", "big.bin", "own/config.json",
    ])
    func `a body is not read from a missing file, a device, another or authctl's own folder, or a file of 2 MiB`(
        name: String
    ) throws {
        let (parent, big) = (TestFolder(), String(repeating: "x", count: 2 << 20))
        world.environment["AUTHCTL_CONFIG_DIR"] = "\(parent.path)/tables/own"
        try parent.write("other", "x")
        try parent.makeFolder("tables")
        try parent.makeFolder("tables/own")
        try parent.write("tables/own/config.json", "{}")
        try parent.link("tables/link", to: "../other")
        try parent.write("tables/big.bin", big)
        try parent.link("tables/pipe", to: "/dev/stdin")
        world.files["\(parent.path)/tables/t"] = "request bob\nPUT /a @\(name) yes\n"
        let result = world.run("check", "\(parent.path)/tables/t", "--writes")
        let text = result.stderr.replacing(parent.path, with: "/folder")
        TestContext.Result(stdout: result.stdout, stderr: text, ending: result.ending)
            .expectErrors(in: "check", "@\(name)")
    }
}
