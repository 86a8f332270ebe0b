import AuthClient
import AuthModel
import CommandTestSupport
import Testing

@testable import AuthctlCommands

@Suite struct ProfileSetCommandTests {
    let world = TestContext()

    @Test func `profile set with a different server removes the client key and allowHttp but keeps the app id`() {
        world.files["key"] = "k3y"
        let lan = ["--backend", "parse", "--server", "http://10.0.0.1", "--app-id", "x", "--allow-http"]
        #expect(world.run(words: ["profile", "add", "lan"] + lan).exitCode == 0)
        #expect(world.run("profile", "set", "lan", "clientKeyFile", "key").exitCode == 0)
        #expect(world.run("profile", "set", "lan", "appId", "y").exitCode == 0)
        #expect(
            world.configuration.current["lan"]?.settings == [
                "backend": "parse", "server": "http://10.0.0.1", "appId": "y", "allowHttp": true, "clientKey": "k3y",
            ])
        #expect(world.run("profile", "set", "lan", "server", "https://b.example/").exitCode == 0)
        #expect(
            world.configuration.current["lan"]?.settings
                == ["backend": "parse", "server": "https://b.example", "appId": "y"])
        #expect(world.run("profile", "set", "lan", "allowHttp", "false").exitCode == 0)
        #expect(world.configuration.current["lan"]?.isOn(.allowsHTTP) == false)
    }

    @Test func `profile set warns of a plain-HTTP server, and setting a backend alias replaces the server`() {
        #expect(
            world.run("profile", "add", "x", "--backend", "parse", "--server", "https://a.example", "--app-id", "y")
                .exitCode == 0)
        let exposed = world.run("profile", "set", "x", "server", "http://10.0.0.1")
        exposed.expectTranscript(in: "profile")
        #expect(exposed.exitCode == 0)
        #expect(world.run("profile", "set", "x", "backend", "back4app").stderr == "")
        #expect(world.run("profile", "show", "x").stdout.contains("https://parseapi.back4app.com\n"))
    }

    @Test func `profile set configures the built-in profile`() {
        #expect(world.run("profile", "set", "default", "backend", "local").exitCode == 0)
        #expect(world.configuration.current["default"]?.settings == ["backend": "local"])
    }
}
