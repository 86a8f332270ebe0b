import CommandTestSupport

@testable import AuthctlCommands

@Suite struct LogoutCommandTests {
    let world = TestContext()

    @Test(arguments: [[], ["--json"]])
    func `logout revokes the session on the server and deletes the saved session`(words: [String]) {
        world.sessions.put(.ada)
        world.server.expect(.logOut())
        world.run(words: ["logout"] + words).expectTranscript(in: "logout", words.formatName)
        expect(world.sessions.current, nil)
    }

    @Test(arguments: [[], ["--json"]])
    func `logout without a saved session succeeds`(words: [String]) {
        world.run(words: ["logout"] + words).expectTranscript(in: "logout", words.formatName)
    }

    @Test func `logout with a failing server deletes the saved session but reports an error`() {
        world.sessions.put(.ada)
        world.server.expect(.logOut(500, #"{"code":1,"error":"x"}"#))
        world.run("logout").expectTranscript(in: "logout")
        expect(world.sessions.current, nil)
    }

    @Test func `logout --json prints its result document on standard output even if the server fails`() {
        world.sessions.put(.ada)
        world.server.expect(.logOut(404, "<html>"))
        world.run("logout", "--json").expectTranscript(in: "logout")
    }

    @Test func `logout --offline deletes the session without a request`() {
        world.sessions.put(.ada)
        world.run("logout", "--offline").expectTranscript(in: "logout")
        expect(world.sessions.current, nil)
    }

    @Test func `logout of all profiles continues after a profile that fails`() throws {
        world.configuration.put(profiles: "ci")
        world.sessions.put(.sample(profile: "ci", session: .sample("r:ci")))
        world.sessions.put(.ada)
        world.sessions.put(.sample(profile: "absent", session: .sample("r:absent")))
        world.server.expect(.logOut(token: "r:ci"), .logOut())
        world.run("logout", "--all-profiles").expectTranscript(in: "logout")
        try expect(world.sessions.profiles(), [])
    }

    @Test(arguments: [[], ["--offline"]])
    func `logout of all profiles deletes a session for a plain-HTTP server without sending its token`(words: [String])
        throws
    {
        let plain = Connection(backend: "parse", server: "http://shop.example/parse", appID: "shop")
        world.sessions.put(.sample(connection: plain))
        world.run(words: ["logout", "--all-profiles"] + words).expectTranscript(in: "logout", words.first ?? "online")
        try expect(world.sessions.profiles(), [])
    }

    @Test func `logout of all profiles names the server of each session`() throws {
        world.sessions.put(.ada)
        let shop = Connection(backend: "parse", server: "https://shop.example/parse", appID: "shop")
        world.sessions.put(.sample(connection: shop, session: .sample("r:shop")))
        let result = world.run("logout", "--all-profiles", "--offline", "--json")
        let servers = result.stdout.matches(of: /"server":("[^"]*"|null)/).map { String($0.1) }
        expect(Set(servers), ["null", #""https://shop.example/parse""#])
        expect(result.exitCode, 0)
    }

    @Test(arguments: [[], ["--offline"]])
    func `logout of a removed profile deletes the session, but succeeds only with --offline`(words: [String]) throws {
        world.sessions.put(.sample(profile: "gone"))
        world.run(words: ["logout", "--all-profiles"] + words).expectTranscript(in: "logout", words.first ?? "online")
        try expect(world.sessions.profiles(), [])
    }

    @Test func `logout of a removed profile deletes a session that cannot be read`() throws {
        world.sessions.put(.sample(profile: "gone"))
        world.sessions.fail(.read, with: AuthError(.corrupt, "damaged"))
        world.run("logout", "--all-profiles", "--json").expectTranscript(in: "logout")
        try expect(world.sessions.profiles(), [])
    }

    @Test func `logout of a removed profile fails if its session cannot be deleted`() {
        world.sessions.put(.sample(profile: "gone"))
        world.sessions.fail(.remove, with: AuthError(.notWritten, "the folder cannot be written"))
        let result = world.run("logout", "--all-profiles")
        expect(result.stdout, "")
        #expect(result.stderr.contains("the folder cannot be written"))
        expect(result.exitCode, 12)
    }

    @Test func `logout after a Facebook login reports that the login at Facebook remains`() {
        world.sessions.put(.sample(method: .identity(.facebook)))
        world.server.expect(.logOut())
        world.run("logout").expectTranscript(in: "logout")
    }

    @Test func `logout of all profiles reports only once that the login at Facebook remains`() {
        world.configuration.put(profiles: "ci")
        world.sessions.put(.sample(profile: "ci", session: .sample("r:ci"), method: .identity(.facebook)))
        world.sessions.put(.sample(method: .identity(.facebook)))
        world.server.expect(.logOut(token: "r:ci"), .logOut())
        let result = world.run("logout", "--all-profiles")
        result.expectTranscript(in: "logout")
        expect(result.stdout.split(separator: "\n").filter { $0.contains("Facebook") }.count, 1)
    }
}
