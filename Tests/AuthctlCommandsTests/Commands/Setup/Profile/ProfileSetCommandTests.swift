import AuthClient
import CommandTestSupport

@testable import AuthctlCommands

@Suite struct ProfileSetCommandTests {
    let world = TestContext()

    @Test func `profile set with a different server removes the client key and allowHttp but keeps the app id`() {
        world.files["key"] = "k3y"
        let lan = ["--backend", "parse", "--server", "http://10.0.0.1", "--app-id", "x", "--allow-http"]
        expect(world.run(words: ["profile", "add", "lan"] + lan).exitCode, 0)
        expect(world.run("profile", "set", "lan", "clientKeyFile", "key").exitCode, 0)
        expect(world.run("profile", "set", "lan", "appId", "y").exitCode, 0)
        #expect(
            world.configuration.current["lan"]?.settings == [
                "backend": "parse", "server": "http://10.0.0.1", "appId": "y", "allowHttp": true, "clientKey": "k3y",
            ])
        expect(world.run("profile", "set", "lan", "server", "https://b.example/").exitCode, 0)
        #expect(
            world.configuration.current["lan"]?.settings
                == ["backend": "parse", "server": "https://b.example", "appId": "y"])
        expect(world.run("profile", "set", "lan", "allowHttp", "false").exitCode, 0)
        expect(world.configuration.current["lan"]?.isOn(.allowsHTTP), false)
    }

    @Test func `profile set with a different server keeps the e-mails and certificates, and names what it removed`() {
        expect(
            world.run("profile", "add", "x", "--backend", "rest-auth", "--server", "https://a.example").exitCode, 0)
        let settings = [
            ("mailDir", "/m"), ("caCert", "/c.pem"), ("apiURL", "https://api.example"), ("loginPath", "in/"),
        ]
        for (key, value) in settings { expect(world.run("profile", "set", "x", key, value).exitCode, 0) }
        world.run("profile", "set", "x", "server", "https://b.example").expectTranscript(in: "profile")
        #expect(
            world.configuration.current["x"]?.settings == [
                "backend": "rest-auth", "server": "https://b.example", "mailDir": "/m", "caCert": "/c.pem",
            ])
    }

    @Test func `profile set warns of a plain-HTTP server, and setting a backend alias replaces the server`() {
        expect(
            world.run("profile", "add", "x", "--backend", "parse", "--server", "https://a.example", "--app-id", "y")
                .exitCode, 0)
        world.run("profile", "set", "x", "server", "http://10.0.0.1").expectTranscript(in: "profile")
        expect(world.run("profile", "set", "x", "backend", "back4app").stderr, "")
        let mailpit = world.run("profile", "set", "x", "mailpit", "http://10.0.0.2")
        #expect(mailpit.exitCode == 0 && mailpit.stderr.contains("would send e-mails unencrypted"))
        #expect(world.run("profile", "show", "x").stdout.contains("https://parseapi.back4app.com\n"))
    }

    @Test func `profile set configures the built-in profile`() {
        expect(world.run("profile", "set", "default", "backend", "local").exitCode, 0)
        expect(world.configuration.current["default"]?.settings, ["backend": "local"])
    }
}

@Suite struct ProfileUseCommandTests {
    @Test func `profile use sets the current profile, and -p overrides it`() {
        let world = TestContext()
        world.configuration.put(profiles: "ci")
        world.run("profile", "use", "ci").expectTranscript(in: "profile")
        #expect(world.run("whoami", "--json").stdout.contains(#""profile":"ci""#))
        #expect(world.run("whoami", "-p", "default", "--json").stdout.contains(#""profile":"default""#))
    }
}

@Suite struct ProfileListCommandTests {
    let world = TestContext()

    @Test func `profile list without a configuration shows the built-in profile`() {
        world.sessions.put(.ada)
        world.run("profile", "list").expectTranscript(in: "profile")
    }

    @Test func `profile list marks the current profile`() {
        world.configuration.put(profiles: "zeta", "ci", current: "ci")
        world.sessions.put(.sample(profile: "ci", user: User(username: "日本")))
        world.run("profile", "list").expectTranscript(in: "profile", "text")
        world.run("profile", "list", "--json").expectTranscript(in: "profile", "JSON")
    }

    @Test(arguments: [[], ["--json"]])
    func `profile list warns if the sessions cannot be read, and still shows the profiles`(words: [String]) {
        world.sessions.fail(.load, with: AuthError(.corrupt, "damaged"))
        let result = world.run(words: ["profile", "list"] + words)
        result.expectTranscript(in: "profile", words.formatName)
        #expect(result.stdout.contains("default"))
    }

    @Test(arguments: [["show", "odd"], ["list"], ["list", "--json"]])
    func `profile show and profile list escape control characters and redact passwords in hand-edited settings`(
        words: [String]
    ) {
        world.configuration.put([
            Profile(name: "odd", settings: ["backend": "\u{1B}[31mx\n", "server": "https://u:s3cret@a.example"])
        ])
        let result = world.run(words: ["profile"] + words)
        result.expectTranscript(in: "profile", words.commandLine)
        #expect(!result.stdout.contains("\u{1B}"))
        #expect(!result.stdout.contains("s3cret"))
    }
}
