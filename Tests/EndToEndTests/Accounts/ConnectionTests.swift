import Foundation
import TestSupport
import Testing

/// A profile keeps one session for each connection, and each session reaches only its own server.
@Suite(.keepsSecrets) struct ConnectionTests {
    private let world: Sandbox
    private let server: ScriptedServer

    init() throws {
        world = try Sandbox()
        server = try ScriptedServer([
            "/parse/login": [Self.response(#"{"objectId":"u1","username":"anna","sessionToken":"r:canary-anna"}"#)],
            "/parse/users/me": [Self.response(#"{"objectId":"u1","username":"anna"}"#)],
            "/parse/sessions/me": [Self.response(#"{"objectId":"s1"}"#)],
            "/parse/logout": [Self.response("{}")],
        ])
    }

    private static func response(_ body: String) -> ScriptedServer.Answer {
        .answer("200 OK", ["Content-Type: application/json"], body)
    }

    private func logInToServer() throws {
        let login = try world.start(["login", "anna", "--password-stdin"] + server.options, input: .password).wait()
        try #require(login.exitCode == 0, "\(login.stderr)")
    }

    @Test func `whoami mentions the session of another connection with a command that shows it`() throws {
        try logInToServer()
        let whoami = try world.run("whoami")
        #expect(whoami.exitCode == 3)
        let command = try #require(whoami.stderr.firstMatch(of: /: authctl (whoami --backend .*)\n/)?.1)
        let shown = try world.runScript("\"$A\" \(command)")
        #expect(shown.exitCode == 0)
        #expect(shown.stdout.hasPrefix("anna "))
        let others = try world.run("whoami", "--json").document().objects("otherSessions")
        #expect(others.map { $0.string("username") } == ["anna"])
        #expect(others.map { $0.string("server") } == [server.url("/parse")])
    }

    @Test func `a local signup keeps the session of a server`() throws {
        try logInToServer()
        let signup = try world.signUp("ada")
        #expect(signup.exitCode == 0)
        #expect(!signup.stderr.contains("replaced"))
        #expect(try world.start(["whoami"] + server.options).wait().stdout.hasPrefix("anna "))
        #expect(try world.run("whoami").stdout.hasPrefix("ada "))
        #expect(try world.start(["logout"] + server.options).wait().exitCode == 0)
        #expect(try world.run("whoami").stdout.hasPrefix("ada "))
    }

    @Test func `logout of all profiles revokes the sessions of all connections`() throws {
        try logInToServer()
        try world.signUp("ada")
        #expect(try world.run("logout", "--all-profiles").exitCode == 0)
        #expect(server.requests.last?.target == "/parse/logout")
        #expect(world.contents(of: world.sessionFolder).allSatisfy { !$0.hasSuffix(".json") })
    }

    @Test func `a login that replaces a session names its user and its server`() throws {
        try logInToServer()
        let again = try world.start(["login", "anna", "--password-stdin"] + server.options, input: .password).wait()
        #expect(again.stderr.contains("replaced the saved session") == false, "the server issued the same token")
        try world.signUp("ada")
        let other = try world.signUp("bob")
        #expect(other.stderr.contains("of 'ada' for local accounts"))
    }

    @Test func `a token from the environment is sent only to the server of the environment`() throws {
        let environment = [
            "AUTHCTL_TOKEN": "r:canary-environment", "AUTHCTL_BACKEND": "parse", "AUTHCTL_APP_ID": "shop",
            "AUTHCTL_SERVER": server.url("/parse"),
        ]
        #expect(try world.run("whoami", environment: environment).exitCode == 0)
        let count = server.requests.count
        let other = try ScriptedServer([:])
        let elsewhere = try world.run("whoami", "--server", other.url("/parse"), environment: environment)
        #expect(elsewhere.exitCode == 2)
        let alone = try world.start(
            ["whoami"] + server.options, environment: ["AUTHCTL_TOKEN": "r:canary-environment"]
        ).wait()
        #expect(alone.exitCode == 2, "the token belongs to the profile, and the options name a server")
        #expect(other.connections() == 0)
        #expect(server.requests.count == count)
    }

    @Test func `a token from the environment is used for local accounts if nothing names a server`() throws {
        try world.signUp("ada")
        let token = try world.token()
        try world.run("logout", "--offline")
        let whoami = try world.run("whoami", "--json", environment: ["AUTHCTL_TOKEN": token])
        #expect(whoami.exitCode == 0)
        #expect(try whoami.document().string("source") == "environment")
    }
}
