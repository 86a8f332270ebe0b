import TestSupport
import Testing

/// A session goes to the server that gave it, and nowhere else.
@Suite struct HostConventionTests {
    private let world: Sandbox

    init() throws {
        world = try Sandbox()
    }

    @Test(arguments: ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"])
    func `a redirect to another server takes the session nowhere`(status: String) throws {
        let other = try ScriptedServer("/users/me", "200 OK", "{}")
        let server = try ScriptedServer(
            "/users/me", status, "", ["Location: \(other.url("/parse/users/me"))"])
        let result = try world.start(
            ["whoami", "--json"] + server.options, environment: ["AUTHCTL_TOKEN": "r:canary"]
        ).wait()
        #expect(result.exitCode == 8)
        #expect(try result.document().object("error").string("reason") == "redirect")
        #expect(server.requests.first?.head.contains("r:canary") == true)
        #expect(other.connections() == 0)
        #expect(!result.everything.contains("canary"))
    }

    @Test(arguments: ["login", "signup", "whoami", "token"])
    func `plain http to another machine is refused before it is looked up`(command: String) throws {
        let words = command == "login" || command == "signup" ? [command, "ada", "--password-stdin"] : [command]
        let result = try world.start(
            words + ["--json", "--backend", "parse", "--app-id", "shop", "--server", "http://no-such.invalid/parse"],
            input: .password
        ).wait()
        #expect(result.exitCode == 2)
        #expect(try result.error().string("reason") == "plain-http")
        #expect(try result.error().strings("hints")?.contains { $0.contains("--allow-http") } == true)
    }

    @Test func `plain http that was allowed is warned of`() throws {
        let result = try world.start(
            [
                "login", "ada", "--password-stdin", "--allow-http", "--timeout", "5", "--backend", "parse", "--app-id",
                "shop", "--server", "http://no-such.invalid/parse",
            ], input: .password
        ).wait()
        #expect(result.exitCode == 8)
        #expect(result.warnings.count == 1)
    }
}
