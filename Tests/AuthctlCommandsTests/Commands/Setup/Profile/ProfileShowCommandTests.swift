import AuthClient
import CommandTestSupport

@testable import AuthctlCommands

@Suite struct ProfileShowCommandTests {
    let world = TestContext()

    @Test(arguments: [[], ["-p", "default"]])
    func `profile show describes the profile given with -p or, without -p, the current profile`(words: [String]) {
        world.configuration.put(profiles: "ci", current: "ci")
        world.sessions.put(.ada)
        world.run(words: ["profile", "show"] + words)
            .expectTranscript(in: "profile", words.isEmpty ? "current" : words.commandLine)
    }

    @Test(arguments: [
        ["profile", "show", "ci"], ["profile", "set", "ci", "backend", "local"], ["profile", "use", "ci"],
        ["profile", "add", "ci2", "--from", "ci"], ["profile", "add", "ci2", "--backend", "local"],
        ["profile", "remove", "ci"],
    ])
    func `a profile command with --json prints the profile as one JSON document`(words: [String]) {
        world.configuration.put(profiles: "ci")
        let result = world.run(words: words + ["--json"])
        let name = words[1] == "add" ? "ci2" : "ci"
        let state = words[1] == "add" ? #""added""# : "null"
        let current = ["add", "use"].contains(words[1]) ? name : "default"
        #expect(
            result.stdout == """
                {"v":1,"kind":"profile","state":\(state),"current":"\(current)","item":{"name":"\(name)",\
                "backend":"local","server":null,"appId":null,"username":null,"users":[],"origin":"configuration",\
                "settings":{},"otherSessions":[]}}

                """)
        expect(result.exitCode, 0)
    }

    @Test func `profile show prints the backend and server that a backend alias stands for`() {
        expect(world.run("profile", "add", "cloud", "--backend", "back4app", "--app-id", "x").exitCode, 0)
        let result = world.run("profile", "show", "cloud", "--json")
        #expect(result.stdout.contains(#""backend":"parse","server":"https://parseapi.back4app.com","appId":"x""#))
    }

    @Test func `profile show omits the user of the profile's previous server`() {
        expect(world.run(words: ["profile", "add", "live", "--backend", "back4app", "--app-id", "x"]).exitCode, 0)
        let connection = Connection(backend: "parse", server: "https://parseapi.back4app.com", appID: "x")
        world.sessions.put(.sample(profile: "live", connection: connection))
        #expect(world.run("profile", "show", "live", "--json").stdout.contains(#""username":"ada""#))
        expect(world.run("profile", "set", "live", "server", "https://b.example").exitCode, 0)
        #expect(world.run("profile", "show", "live", "--json").stdout.contains(#""username":null"#))
    }

    @Test(arguments: [["show", "ci"], ["show", "ci", "--json"], ["list"], ["remove", "ci"]])
    func `profile show, list and remove mention sessions of connections other than the profile's`(words: [String]) {
        world.configuration.put(profiles: "ci")
        let shop = Connection(backend: "parse", server: "https://shop.example/parse", appID: "shop")
        world.sessions.put(.sample(profile: "ci", connection: shop, session: .sample("r:shop")))
        world.run(words: ["profile"] + words).expectTranscript(in: "profile", words.commandLine)
        #expect(world.sessions["ci"] != nil)
    }
}
