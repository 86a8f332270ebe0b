import TestSupport
import Testing

/// A session in the environment is sent only to the server that the environment names, else to that of the profile.
/// Neither options nor files in the working folder change its server.
///
/// Listener 0 is the named server, 1 another one.
@Suite(.keepsSecrets) struct TokenBindingTests {
    private let world: Sandbox
    private let server: ScriptedServer

    init() throws {
        world = try Sandbox()
        let answers = ["*": [Operation.whoami.goodAnswer]]
        server = try ScriptedServer([.init(answers), .init(answers)])
        world.set("AUTHCTL_TOKEN", to: OperationRun.token)
        try addProfile("other", listener: 1)
    }

    private func url(_ listener: Int) -> String { server.url("/parse", host: "localhost", listener: listener) }

    private func addProfile(_ name: String, listener: Int) throws {
        let added = try world.run(
            "profile", "add", name, "--backend", "parse", "--server", url(listener), "--app-id", "shop")
        try #require(added.exitCode == 0)
    }

    private func expectOnlyTheNamedServer(_ whoami: Finished) throws {
        #expect(whoami.exitCode == 0, "\(whoami.everything)")
        #expect(try whoami.document().string("source") == "environment")
        #expect(!whoami.everything.contains("canary"))
        #expect(server.requests.map(\.listener) == [0])
        #expect(server.requests.first?.head.contains("X-Parse-Session-Token: \(OperationRun.token)\r\n") == true)
        #expect(server.connections(to: 1) == 0)
        #expect(!world.isThere(world.sessionFile()))
    }

    private func expectNoRequest(_ result: Finished) throws {
        #expect(result.exitCode == 2)
        #expect(result.stdout.isEmpty)
        #expect(try result.error().string("message")?.contains("AUTHCTL_TOKEN") == true)
        #expect(!result.everything.contains("canary"))
        #expect(server.connectionsOfAll == [0, 0])
    }

    @Test(arguments: ["whoami", "token", "sessions", "exec"])
    func `AUTHCTL_TOKEN is not sent to a server that only options name`(command: String) throws {
        let words = command == "exec" ? ["--", "/usr/bin/true"] : []
        let options = ["--json", "--backend", "parse", "--server", url(0), "--app-id", "shop"]
        try expectNoRequest(try world.start([command] + options + words).wait())
    }

    @Test func `AUTHCTL_TOKEN is sent to the server of AUTHCTL_SERVER`() throws {
        let environment = ["AUTHCTL_BACKEND": "parse", "AUTHCTL_SERVER": url(0), "AUTHCTL_APP_ID": "shop"]
        try expectOnlyTheNamedServer(try world.run("whoami", "--json", environment: environment))
    }

    @Test(arguments: ["option", "variable", "use"])
    func `AUTHCTL_TOKEN is sent to the server of the chosen profile`(way: String) throws {
        try addProfile("live", listener: 0)
        if way == "use" { try world.run("profile", "use", "live") }
        let words = way == "option" ? ["-p", "live"] : []
        try expectOnlyTheNamedServer(
            try world.start(
                ["whoami", "--json"] + words, environment: ["AUTHCTL_PROFILE": way == "variable" ? "live" : nil]
            ).wait())
    }

    @Test func `AUTHCTL_TOKEN of a profile is not sent to another server`() throws {
        try world.run("profile", "use", "other")
        try expectNoRequest(try world.run("whoami", "--json", "--server", url(0)))
    }

    @Test func `AUTHCTL_TOKEN without a named server is a session of local accounts, and a hint says how to name one`()
        throws
    {
        try world.signUp("ada")
        let whoami = try world.run("whoami", "--json")
        #expect(whoami.exitCode == 4)
        #expect(try whoami.document().object("error").string("hint")?.contains("AUTHCTL_BACKEND") == true)
        #expect(!whoami.everything.contains("canary"))
        #expect(try world.run("whoami", "--backend", "parse", "--app-id", "shop").exitCode == 2)
        #expect(try world.run("whoami", "--server", url(1), "--app-id", "shop").exitCode == 2)
        #expect(server.connectionsOfAll == [0, 0])
    }

    @Test func `exec passes the server with AUTHCTL_TOKEN`() throws {
        try world.run("profile", "use", "other")
        let result = try world.run(
            "exec", "--", "/usr/bin/env",
            environment: ["AUTHCTL_BACKEND": "parse", "AUTHCTL_SERVER": url(0), "AUTHCTL_APP_ID": "shop"])
        #expect(result.exitCode == 0)
        let lines = result.stdout.split(separator: "\n")
        #expect(lines.contains("AUTHCTL_TOKEN=\(OperationRun.token)"))
        #expect(lines.filter { $0.hasPrefix("AUTHCTL_SERVER=") } == ["AUTHCTL_SERVER=\(url(0))"])
    }

    @Test func `files in the working folder name no server for AUTHCTL_TOKEN`() throws {
        let folder = "\(world.root)/project"
        let settings =
            #"{"v":1,"current":"default","profiles":{"default":{"backend":"parse","server":"\#(url(1))","appId":"shop"}}}"#
        let variables = "AUTHCTL_BACKEND=parse\nAUTHCTL_SERVER=\(url(1))\nAUTHCTL_APP_ID=shop\n"
        let documents = [
            ".authctl.json", ".authctlrc", "authctl.json", "config.json", ".authctl/config.json",
            "authctl/config.json", ".config/authctl/config.json",
        ]
        for name in documents { try world.write(settings, to: "\(folder)/\(name)") }
        for name in [".env", ".envrc", "authctl.env"] { try world.write(variables, to: "\(folder)/\(name)") }
        let trace = "\(world.root)/trace"
        let under: [String] = Host.canTrace ? .strace("%file", into: trace) : []
        try world.signUp("ada")
        #expect(try world.run("whoami", under: under, folder: folder).exitCode == 4)
        #expect(server.connectionsOfAll == [0, 0])
        if Host.canTrace {
            let lines = try world.text(trace).split(separator: "\n").filter { !$0.contains("execve(") }
            #expect(!lines.isEmpty)
            #expect(!lines.contains { $0.contains(folder) || $0.contains(/(AT_FDCWD, |\()"[^\/]/) })
        }
        let stored = try world.run("whoami", "--json", environment: ["AUTHCTL_TOKEN": nil], folder: folder)
        #expect(stored.exitCode == 0)
        #expect(try stored.document().string("backend") == "local")
        #expect(server.connections(to: 1) == 0)
    }
}
