import AuthBackends
import AuthClient
import CommandTestSupport

@testable import AuthctlCommands

/// Profile settings that a kind of backend declares.
@Suite struct BackendSettingTests {
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

    @Test func `profile set saves a backend setting, and an empty value removes it`() {
        set("loginPath", "in/").expectTranscript(in: "profile")
        expect(settings, ["backend": "site", "server": "https://a.example", "loginPath": "in/"])
        expect(set("loginPath", "").exitCode, 0)
        expect(settings, ["backend": "site", "server": "https://a.example"])
        expect(set("loginPath", "").exitCode, 0)
    }

    @Test func `profile set --unset removes a setting, and a missing key or value is a usage error`() {
        expect(set("loginPath", "in/").exitCode, 0)
        expect(world.run("profile", "set", "a", "--unset", "loginPath").exitCode, 0)
        expect(settings, ["backend": "site", "server": "https://a.example"])
        for words in [[], ["loginPath"], ["loginPath", "in/", "--unset", "outPath"]] {
            expect(world.run(words: ["profile", "set", "a"] + words).exitCode, 2)
        }
    }

    @Test func `profile show and profile list print backend settings`() {
        expect(set("outPath", "bye").exitCode, 0)
        expect(set("loginPath", "in/").exitCode, 0)
        world.run("profile", "show", "a").expectTranscript(in: "profile", "text")
        world.run("profile", "show", "a", "--json").expectTranscript(in: "profile", "JSON")
        #expect(
            world.run("profile", "list", "--json").stdout.contains(#""settings":{"outPath":"bye","loginPath":"in/"},"#))
    }

    @Test func `profile show escapes hand-edited backend settings, and other commands reject them`() {
        world.configuration.put([
            Profile(
                name: "a",
                settings: [
                    "backend": "site", "server": "https://a.example", "loginPath": "\u{1B}[31m/x", "outPath": 5,
                    "cartPath": "x",
                ])
        ])
        let text = world.run("profile", "show", "a")
        text.expectTranscript(in: "profile", "profile show")
        #expect(text.stdout.contains(#"\u{1b}[31m/x"#))
        #expect(
            world.run("profile", "show", "a", "--json").stdout.hasSuffix(
                #""settings":{"loginPath":"\u001b[31m/x"},"otherSessions":[]}}"# + "\n"))
        world.run("whoami", "-p", "a").expectTranscript(in: "profile", "whoami")
    }

    @Test func `backend settings of a profile apply only to the profile's own server`() {
        world.backends = .withSites(
            .resetPassword(.success(nil)), .resetPassword(.success(nil)), .resetPassword(.success(nil)),
            journal: journal)
        expect(set("loginPath", "in/").exitCode, 0)
        for words in [["-p", "a"], ["-p", "a", "--server", "https://b.example"], ["-p", "a", "--backend", "hosted"]] {
            expect(world.run(words: ["password", "reset", "x@example.org"] + words).exitCode, 0)
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
    func `changing the server or the kind of backend removes the backend settings`(words: [String]) {
        expect(set("loginPath", "in/").exitCode, 0)
        expect(world.run(words: words).exitCode, 0)
        expect(settings?["loginPath"], nil)
    }

    @Test func `profile set and profile add --from keep the backend settings while the server stays the same`() {
        expect(set("loginPath", "in/").exitCode, 0)
        expect(set("server", "https://A.example/").exitCode, 0)
        expect(set("backend", "site").exitCode, 0)
        expect(world.run("profile", "add", "b", "--from", "a").exitCode, 0)
        expect(world.run("profile", "add", "c", "--from", "a", "--server", "https://c.example").exitCode, 0)
        expect(world.configuration.current["b"]?.settings["loginPath"], "in/")
        expect(world.configuration.current["c"]?.settings["loginPath"], nil)
    }

    @Test func `if the profile's backend lacks a setting, profile set rejects it and lists the available settings`() {
        let before = world.configuration.current
        let settings = [("a", "cartPath"), ("here", "loginPath"), ("a", "colour"), ("default", "colour")]
        world.expectErrors(in: "profile", of: settings.map { ["profile", "set", $0.0, $0.1, "x"] })
        expect(world.configuration.current, before)
    }

    @Test func `profile set rejects an invalid value of a setting and leaves the configuration unchanged`() {
        let before = world.configuration.current
        set("loginPath", "../x").expectTranscript(in: "profile")
        expect(world.configuration.current, before)
    }

    @Test func `profile add without required options suggests exactly the missing options`() {
        let lines = [
            ["--backend", "site"], ["--backend", "shop"], ["--backend", "shop", "--server", "https://a.example"],
            ["--backend", "shop", "--app-id", "x"],
        ]
        world.expectErrors(in: "profile", of: lines.map { ["profile", "add", "new"] + $0 })
    }

    @Test(arguments: [
        ("default", ["backend"]), ("work", ["backend", "server", "allowHttp", "loginPath", "outPath"]),
        ("alias", ["backend", "server", "allowHttp", "loginPath", "outPath"]),
        ("shopping", ["backend", "server", "appId", "clientKeyFile", "allowHttp", "loginPath", "cartPath"]),
        ("unknown", []), ("odd", []), ("", []),
    ])
    func `completion lists the settings of the profile's backend`(profile: String, keys: [String]) {
        let backends = [("work", "site"), ("alias", "hosted"), ("shopping", "shop"), ("odd", "none")]
        world.configuration.put(backends.map { Profile(name: $0.0, settings: ["backend": .string($0.1)]) })
        let list = world.run("__complete", "bash", "--", "profile", "set", profile, "").stdout
        expect(list, (keys.isEmpty ? "none\n" : keys.map { "\($0)\t\n" }.joined()))
    }
}
