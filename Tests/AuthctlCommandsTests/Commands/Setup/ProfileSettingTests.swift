import AuthBackends
import AuthClient
import AuthModel
import CommandTestSupport
import JSON
import Testing

@testable import AuthctlCommands

/// What a profile says of its kind of backend.
@Suite struct ProfileSettingTests {
    let world = TestContext()
    let journal = Journal()

    init() {
        world.backends = .withSites(journal: journal)
        world.configuration.put([
            Profile(name: "a", settings: ["backend": "site", "server": "https://a.example"]),
            Profile(name: "here", settings: ["backend": "local"]),
        ])
    }

    private func set(_ key: String, _ value: String, of profile: String = "a") -> TestContext.Result {
        world.run("profile", "set", profile, key, value)
    }

    private var settings: JSONObject? { world.configuration.current["a"]?.settings }

    @Test func `set keeps them under their keys, and an empty value takes them out`() {
        set("loginPath", "in/").expectTranscript(in: "profile")
        #expect(settings == ["backend": "site", "server": "https://a.example", "loginPath": "in/"])
        #expect(set("loginPath", "").exitCode == 0)
        #expect(settings == ["backend": "site", "server": "https://a.example"])
        #expect(set("loginPath", "").exitCode == 0)
    }

    @Test func `show and list tell them`() {
        #expect(set("outPath", "bye").exitCode == 0)
        #expect(set("loginPath", "in/").exitCode == 0)
        #expect(
            world.run("profile", "show", "a").stdout == """
                name:    a
                backend: site
                server:  https://a.example
                loginPath: in/
                outPath: bye
                user:    nobody is logged in

                """)
        let settings = #""settings":{"loginPath":"in/","outPath":"bye"}}"#
        #expect(world.run("profile", "show", "a", "--json").stdout.hasSuffix(settings + "}\n"))
        #expect(world.run("profile", "list", "--json").stdout.contains(settings + ","))
    }

    @Test func `show tells what was written by hand, harmlessly`() {
        world.configuration.put([
            Profile(
                name: "a",
                settings: [
                    "backend": "site", "server": "https://a.example", "loginPath": "\u{1B}[31m/x", "outPath": 5,
                    "cartPath": "x",
                ])
        ])
        let text = world.run("profile", "show", "a")
        #expect(text.stdout.contains("loginPath: \\u{1b}[31m/x\n"))
        #expect(text.exitCode == 0)
        #expect(
            world.run("profile", "show", "a", "--json").stdout.hasSuffix(
                #""settings":{"loginPath":"\u001b[31m/x"}}}"# + "\n"))
        let used = world.run("whoami", "-p", "a")
        #expect(used.stderr.contains("(from profile 'a') cannot be 'loginPath': it holds a space"))
        #expect(used.exitCode == 2)
    }

    @Test func `they reach the backend of the profile's own server alone`() {
        world.backends = .withSites(
            .resetPassword(.success(())), .resetPassword(.success(())), .resetPassword(.success(())), journal: journal)
        #expect(set("loginPath", "in/").exitCode == 0)
        for words in [["-p", "a"], ["-p", "a", "--server", "https://b.example"], ["-p", "a", "--backend", "hosted"]] {
            #expect(world.run(words: ["password", "reset", "x@example.org"] + words).exitCode == 0)
        }
        #expect(
            journal.lines.filter { $0.hasPrefix("made") } == [
                "made site [loginPath=in/]", "made site []", "made site []",
            ])
    }

    @Test(arguments: [
        ["profile", "set", "a", "server", "https://b.example"], ["profile", "set", "a", "backend", "hosted"],
        ["profile", "set", "a", "backend", "shop"], ["profile", "set", "a", "backend", "local"],
    ])
    func `another server or another kind of backend takes them out`(words: [String]) {
        #expect(set("loginPath", "in/").exitCode == 0)
        #expect(world.run(words: words).exitCode == 0)
        #expect(settings?["loginPath"] == nil)
    }

    @Test func `the same server and kind leave them, and a copy of the profile has them`() {
        #expect(set("loginPath", "in/").exitCode == 0)
        #expect(set("server", "https://A.example/").exitCode == 0)
        #expect(set("backend", "site").exitCode == 0)
        #expect(world.run("profile", "add", "b", "--from", "a").exitCode == 0)
        #expect(world.run("profile", "add", "c", "--from", "a", "--server", "https://c.example").exitCode == 0)
        #expect(world.configuration.current["b"]?.settings["loginPath"] == "in/")
        #expect(world.configuration.current["c"]?.settings["loginPath"] == nil)
    }

    @Test(arguments: [
        (
            "a", "cartPath", "'cartPath' is a setting of backend 'shop', and profile 'a' is for 'site'",
            ", loginPath, outPath"
        ),
        (
            "here", "loginPath",
            "'loginPath' is a setting of backend 'site', 'shop', and profile 'here' is for 'local'",
            ""
        ),
        ("a", "colour", "a profile has no setting 'colour'", ", loginPath, outPath"),
        ("default", "colour", "a profile has no setting 'colour'", ""),
    ])
    func `a key of another kind is refused, and the profile's own are named`(
        profile: String, key: String, message: String, own: String
    ) {
        let before = world.configuration.current
        let result = set(key, "x", of: profile)
        #expect(
            result.stderr == """
                authctl: error: \(message)
                authctl: hint: the settings of this profile are: backend, server, appId, clientKeyFile, allowHttp\(own)

                """)
        #expect(result.exitCode == 2)
        #expect(world.configuration.current == before)
    }

    @Test func `a bad value is refused, and changes nothing`() {
        let before = world.configuration.current
        let result = set("loginPath", "../x")
        #expect(
            result.stderr == """
                authctl: error: '../x' cannot be 'loginPath': it has a path with '.' or '..'
                authctl: hint: give a path below the base URL of the server, such as login/

                """)
        #expect(result.exitCode == 2)
        #expect(world.configuration.current == before)
    }

    @Test(arguments: [
        (["--backend", "site"], "--server URL"), (["--backend", "shop"], "--server URL and --app-id ID"),
        (["--backend", "shop", "--server", "https://a.example"], "--app-id ID"),
        (["--backend", "shop", "--app-id", "x"], "--server URL"),
    ])
    func `add names what is missing, and nothing else`(words: [String], missing: String) {
        let result = world.run(words: ["profile", "add", "new"] + words)
        #expect(result.stderr.hasSuffix("authctl: hint: give what is missing with \(missing)\n"))
        #expect(result.exitCode == 2)
    }

    @Test func `help names the keys of each kind with what holds without them`() {
        let help = ProfileSetCommand.discussion(world.backends.descriptors)
        #expect(
            help.hasSuffix(
                """


                Of backend `site`, in brackets what holds without it: loginPath: where to log in (`login/`); \
                outPath: where to log out (`logout/`).

                Of backend `shop`, in brackets what holds without it: loginPath: where to log in (`in/`); cartPath: \
                where the cart is (`cart/`).
                """))
    }

    @Test func `completion offers the keys of every registered kind, each once`() {
        #expect(world.backends.descriptors.settingWords == ["loginPath", "outPath", "cartPath"])
        let script = world.run("completion", "bash").stdout
        for key in ["allowHttp"] + BackendRegistry.standard.descriptors.settingWords { #expect(script.contains(key)) }
    }
}
