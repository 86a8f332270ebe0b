import AuthClient
import CommandTestSupport

@testable import AuthctlCommands

@Suite struct ProfileAddCommandTests {
    static let live = [
        "--backend", "parse", "--server", "HTTPS://A.example:443/parse/", "--app-id", "shop", "--client-key-file",
        "key",
    ]

    let world = TestContext()

    @Test func `profile add adds a profile`() {
        world.run("profile", "add", "ci", "--backend", "local").expectTranscript(in: "profile")
        expect(world.configuration.current["ci"], Profile(name: "ci", settings: ["backend": "local"]))
    }

    @Test func `profile add rejects the name of an existing profile`() {
        world.configuration.put(profiles: "ci")
        let before = world.configuration.current
        world.run("profile", "add", "ci", "--backend", "local", "--app-id", "x").expectTranscript(in: "profile")
        expect(world.configuration.current, before)
    }

    @Test func `profile add rejects a name that differs only in case from an existing name`() {
        world.configuration.put(profiles: "ci")
        world.expectErrors(in: "profile", of: ["CI", "Default"].map { ["profile", "add", $0, "--backend", "local"] })
        expect(world.configuration.current.profiles.map(\.name), ["ci"])
    }

    @Test func `profile add saves the client key itself instead of the path of its file`() {
        world.files["key"] = "k3y\n"
        world.run(words: ["profile", "add", "live", "--json"] + Self.live).expectTranscript(in: "profile", "add")
        #expect(
            world.configuration.current["live"]?.settings
                == ["backend": "parse", "server": "https://a.example/parse", "appId": "shop", "clientKey": "k3y"])
        let shown = world.run("profile", "show", "live")
        shown.expectTranscript(in: "profile", "show")
        #expect(!shown.stdout.contains("k3y"))
    }

    @Test func `profile add --from copies the client key only if the server is the same`() {
        world.files["key"] = "k3y"
        expect(world.run(words: ["profile", "add", "live"] + Self.live).exitCode, 0)
        expect(world.run("profile", "add", "same", "--from", "live").exitCode, 0)
        expect(world.configuration.current["same"]?.text(.clientKey), "k3y")
        expect(world.run("profile", "add", "other", "--from", "live", "--server", "https://b.example").exitCode, 0)
        #expect(
            world.configuration.current["other"]?.settings
                == ["backend": "parse", "server": "https://b.example", "appId": "shop"])
    }

    @Test func `a profile command with invalid arguments leaves the configuration unchanged`() {
        let lines = [
            ["remove", "nope"], ["remove", "default"], ["add", "x", "--from", "nope"], ["add", "x"],
            ["add", "-p", "y", "--backend", "local", "--", "-x"], ["add", "x", "--backend", "ftp"],
            ["set", "default", "backend", "ftp"], ["set", "default", "allowHttp", "yes"],
            ["set", "default", "server", "a.example"], ["set", "default", "appId", "a b"],
            ["add", "x", "--backend", "parse", "--server", "http://a.example", "--app-id", "x"],
            ["add", "x", "--backend", "local", "--server", "https://a.example"],
        ]
        world.expectErrors(in: "profile", of: lines.map { ["profile"] + $0 })
        expect(world.configuration.current, Configuration())
    }

    @Test(
        arguments: [
            (words: ["add"], answers: [.shown("ci"), .shown("")], settings: ["backend": "local"]),
            (
                ["add", "ci", "--backend", "parse"], [.shown("https://a.example/parse"), .shown("shop")],
                ["backend": "parse", "server": "https://a.example/parse", "appId": "shop"]
            ),
            (
                ["add", "ci"], [.shown("https://ref.supabase.co"), .hidden("sb_publishable_1")],
                ["backend": "supabase", "server": "https://ref.supabase.co", "clientKey": "sb_publishable_1"]
            ),
            (["add", "ci", "--backend", "firebase"], [.hidden("k3y")], ["backend": "firebase", "clientKey": "k3y"]),
            (["add", "ci", "--backend", "local"], [], ["backend": "local"]),
        ] as [(words: [String], answers: [StubTerminal.Answer], settings: JSONObject)])
    func `profile add asks at a terminal for a missing name, server, application id and required key`(
        words: [String], answers: [StubTerminal.Answer], settings: JSONObject
    ) {
        world.isInputTerminal = true
        for answer in answers { world.terminal.answer(answer) }
        expect(world.run(words: ["profile"] + words).exitCode, 0)
        expect(world.configuration.current["ci"]?.settings, settings)
    }

    @Test func `profile use asks at a terminal which profile to use`() {
        world.configuration.put(profiles: "ci", "live")
        world.isInputTerminal = true
        world.terminal.answer(.shown("live"))
        expect(world.run("profile", "use").exitCode, 0)
        expect(world.terminal.questions, ["Profile (ci, default, live): "])
        expect(world.configuration.current.current, "live")
    }

    @Test func `profile add and profile use without a name and a terminal are errors`() {
        world.expectErrors(in: "profile", of: [["profile", "add"], ["profile", "use"]])
    }

    @Test func `the name of an unknown profile that resembles another one is taken for a mistake`() {
        world.configuration.put(profiles: "live")
        world.expectErrors(
            in: "profile",
            of: [
                ["whoami", "-p", "lve"], ["profile", "show", "lve"], ["profile", "use", "lve"],
                ["profile", "remove", "lve"], ["profile", "add", "x", "--from", "lve"], ["profile", "show", "other"],
            ])
    }

    @Test(arguments: [["show", "nope"], ["use", "nope"], ["set", "nope", "backend", "local"]])
    func `a profile command with an unknown profile leaves the configuration unchanged`(words: [String]) {
        let result = world.run(words: ["profile"] + words)
        #expect(result.stderr.contains("unknown profile 'nope'"))
        expect(result.exitCode, 2)
        expect(world.configuration.current, Configuration())
    }
}
