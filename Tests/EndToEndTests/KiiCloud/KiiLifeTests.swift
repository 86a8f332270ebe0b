import TestSupport
import Testing

@Suite struct KiiLifeTests {
    @Test func `an account at a fake of Kii Cloud works from signup to logout`() throws {
        let server = try KiiServer()
        let world = try Sandbox()
        let added = try world.run(
            "profile", "add", "site", "--backend", "kii", "--server", server.url, "--app-id", KiiServer.appID)
        #expect(added.exitCode == 0, "\(added.everything)")
        try world.run("profile", "use", "site")
        try AccountStory(world: world, backend: "kii", server: server.url).run()
    }
}
