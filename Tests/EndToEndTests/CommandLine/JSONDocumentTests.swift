import TestSupport
import Testing

/// The documents of the contract: exactly their keys, one document a run, and nothing else on standard output.
@Suite struct JSONDocumentTests {
    private let world: Sandbox

    private static let user: Set = ["id", "username", "email", "emailVerified", "createdAt", "providers", "fields"]
    private static let session: Set = ["id", "createdAt", "expiresAt"]
    private static let logIn: Set = [
        "v", "kind", "profile", "backend", "server", "created", "user", "session", "pending", "filled",
        "warnings",
    ]
    private static let error: Set = [
        "code", "exit", "reason", "message", "hint", "hints", "http", "backend", "fields", "retryable", "retryAfter",
    ]

    init() throws {
        world = try Sandbox()
    }

    @Test(arguments: ["signup", "login"])
    func `signup and login tell of the account and the session`(command: String) throws {
        if command == "login" { try world.signUp("ada", "--email", "ada@example.org", "--no-login") }
        let words = command == "signup" ? ["--email", "ada@example.org"] : []
        let result = try world.start([command, "ada", "--password-stdin", "--json"] + words, input: .password).wait()
        #expect(result.exitCode == 0)
        #expect(result.stderr.isEmpty)
        let document = try result.document()
        #expect(document.keys == Self.logIn)
        #expect(result.stdout.hasPrefix(#"{"v":1,"kind":"\#(command)","#))
        #expect(document.flag("created") == (command == "signup"))
        #expect(document.string("backend") == "local")
        #expect(document.isNull("server"))
        #expect(document.isNull("pending"))
        #expect(document.strings("warnings") == [])
        let user = try document.object("user")
        #expect(user.keys == Self.user)
        #expect(user.string("email") == "ada@example.org")
        #expect(user.strings("providers") == [])
        #expect(try document.object("session").keys == Self.session)
    }

    @Test func `times are in whole seconds of UTC`() throws {
        try world.signUp("ada")
        let text = try world.run("sessions", "--json").stdout + world.run("whoami", "--json").stdout
        let times = text.matches(of: /"(?:createdAt|expiresAt)":"([^"]*)"/).map(\.1)
        #expect(times.count == 5)
        #expect(times.allSatisfy { $0.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil })
    }

    @Test func `whoami tells the state`() throws {
        try world.signUp("ada")
        let document = try world.run("whoami", "--json").document()
        #expect(
            document.keys == [
                "v", "kind", "state", "checked", "profile", "backend", "server", "source", "user", "session", "error",
            ])
        #expect(document.string("source") == "file")
        #expect(try document.object("user").keys == Self.user)
        #expect(try document.object("session").keys == Self.session)
    }

    @Test func `logout tells what became of the session`() throws {
        try world.signUp("ada")
        let document = try world.run("logout", "--json").document()
        #expect(document.keys == ["v", "kind", "profile", "changed", "revoked", "forgotten", "error"])
        #expect(document.string("revoked") == "yes")
        #expect(document.flag("changed") == true)
        #expect(document.flag("forgotten") == true)
        let again = try world.run("logout", "--json")
        #expect(again.exitCode == 0)
        #expect(try again.document().flag("changed") == false)
    }

    @Test func `a logout of a dead session says that it was dead already`() throws {
        try world.signUp("ada")
        let kept = try world.bytes(world.sessionFile())
        try world.run("sessions", "revoke", "--all")
        try world.write(kept, to: world.sessionFile())
        let logout = try world.run("logout", "--json")
        #expect(logout.exitCode == 0)
        #expect(try logout.document().string("revoked") == "already")
        #expect(!world.isThere(world.sessionFile()))
    }

    @Test func `sessions lists every one`() throws {
        try world.signUp("ada")
        let document = try world.run("sessions", "--json").document()
        #expect(document.keys.subtracting(["error"]) == ["v", "kind", "profile", "complete", "items"])
        #expect(document.flag("complete") == true)
        let item = try #require(try document.objects("items").first)
        #expect(
            item.keys == [
                "id", "current", "createdAt", "expiresAt", "lastSeenAt", "createdWith", "device", "address",
            ])
        #expect(item.string("createdWith") == "password")
    }

    @Test(arguments: ["whoami", "sessions"])
    func `the state found stands on standard output, and the exit code says it too`(command: String) throws {
        let result = try world.run(command, "--json")
        #expect(result.exitCode == 3)
        #expect(try result.document().object("error").keys == Self.error)
    }

    @Test func `revoking tells the ids`() throws {
        try world.signUp("ada")
        try world.logIn("ada")
        let id = try world.sessionIDs()[1]
        let document = try world.run("sessions", "revoke", id, "--json").document()
        #expect(document.keys == ["v", "kind", "profile", "revoked", "forgotten"])
        #expect(document.strings("revoked") == [id])
        #expect(document.flag("forgotten") == false)
    }

    @Test func `token is the one document with a secret`() throws {
        try world.signUp("ada")
        let document = try world.run("token", "--json").document()
        #expect(document.keys == ["v", "kind", "profile", "token", "expiresAt"])
        #expect(try document.string("token") == world.token())
    }

    @Test func `token heeds the option and not the variable`() throws {
        try world.signUp("ada")
        #expect(try world.run("token", environment: ["AUTHCTL_OUTPUT": "json"]).stdout.hasPrefix("r:"))
    }

    @Test func `the variable asks for JSON elsewhere`() throws {
        try world.signUp("ada")
        let byVariable = try world.run("whoami", environment: ["AUTHCTL_OUTPUT": "json"])
        #expect(try byVariable.stdout == world.run("whoami", "--json").stdout)
        #expect(try byVariable.stdout == world.run("whoami", "--output", "json").stdout)
    }

    @Test(arguments: [
        ["profile", "add", "two", "--backend", "local"], ["profile", "add", "two", "--from", "one"],
        ["profile", "show", "one"], ["profile", "set", "one", "backend", "local"], ["profile", "use", "one"],
        ["profile", "remove", "one"],
    ])
    func `profile commands tell one item`(words: [String]) throws {
        try world.run("profile", "add", "one", "--backend", "local")
        let result = try world.start(words + ["--json"]).wait()
        #expect(result.exitCode == 0)
        let document = try result.document()
        #expect(document.string("kind") == "profile")
        #expect(
            try document.object("item").keys
                == ["name", "backend", "server", "appId", "username", "origin", "settings"])
    }

    @Test func `profile list tells all items and the one in use`() throws {
        try world.signUp("ada")
        try world.run("profile", "add", "ci", "--backend", "local")
        try world.run("profile", "use", "ci")
        let document = try world.run("profile", "list", "--json").document()
        #expect(document.keys == ["v", "kind", "current", "items"])
        #expect(document.string("current") == "ci")
        let items = try document.objects("items")
        #expect(items.map { $0.string("name") } == ["ci", "default"])
        #expect(items.map { $0.string("username") } == [nil, "ada"])
        #expect(items.map { $0.string("origin") } == ["configuration", "built-in"])
    }

    @Test(
        arguments: [
            (["login", "ada", "--password-stdin"], 4, "rejected", "wrong-password"),
            (["token"], 3, "not-logged-in", "no-session"),
            (["sessions", "revoke", "--all"], 3, "not-logged-in", "no-session"),
            (["signup", "ab", "--password-stdin"], 7, "invalid", "invalid-fields"),
            (["whoami", "-p", "nobody"], 2, "usage", "unknown-profile"),
            (["login"], 2, "usage", "usage"),
            (["logni"], 2, "usage", "usage"),
            (["whoami", "--backend", "nothing"], 2, "usage", "usage"),
        ] as [([String], Int32, String, String)])
    func `a failure is one object on standard error`(
        words: [String], exitCode: Int32, code: String, reason: String
    ) throws {
        let result = try world.start(words + ["--json"], input: .password).wait()
        #expect(result.exitCode == exitCode)
        #expect(result.stdout.isEmpty)
        let error = try result.error()
        #expect(error.keys == Self.error)
        #expect(error.string("code") == code)
        #expect(error.string("reason") == reason)
        #expect(error.number("exit") == Int(exitCode))
    }

    @Test(
        arguments: [
            (["login", "ada", "--password-stdin"], 4), (["token"], 3), (["signup", "ab", "--password-stdin"], 7),
            (["whoami", "-p", "nobody"], 2), (["whoami"], 3),
        ] as [([String], Int32)])
    func `text fails with the same code`(words: [String], exitCode: Int32) throws {
        let result = try world.start(words, input: .password).wait()
        #expect(result.exitCode == exitCode)
        #expect(result.stderr.hasPrefix("authctl: error: "))
    }

    @Test func `the server's answer is told apart from ours`() throws {
        let error = try world.run("login", "eve", "--password-stdin", "--json", input: .password).error()
        #expect(error.number("http") == 404)
        #expect(try error.object("backend").number("code") == 101)
    }

    @Test(.enabled(if: Host.hasJQ, "needs jq"))
    func `jq reads the documents`() throws {
        try world.signUp("ada")
        let script = """
            set -e
            "$A" whoami --json | jq -e '.v == 1 and (.session.expiresAt | fromdate) > now' >/dev/null
            "$A" version --json | jq -er .version
            """
        #expect(try world.runScript(script).exitCode == 0)
    }
}
