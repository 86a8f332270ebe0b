import AuthClient
import AuthModel
import CommandTestSupport
import Testing

@testable import AuthctlCommands

@Suite struct ProfileCommandTests {
    let world = TestContext()

    @Test func `list shows what is built in while nothing is configured`() {
        world.sessions.put(.ada)
        #expect(
            world.run("profile", "list").stdout == """
                   NAME     BACKEND  SERVER  USER
                *  default  local            ada

                """)
    }

    @Test func `list shows all, the one in use marked`() {
        world.configuration.put(profiles: "zeta", "ci", current: "ci")
        world.sessions.put(.sample(profile: "ci", user: User(username: "日本")))
        #expect(
            world.run("profile", "list").stdout == """
                   NAME     BACKEND  SERVER  USER
                *  ci       local            日本
                   default  local
                   zeta     local

                """)
    }

    @Test func `list shows them in JSON`() {
        world.configuration.put(profiles: "ci", current: "ci")
        world.sessions.put(.ada)
        #expect(
            world.run("profile", "list", "--json").stdout == """
                {"v":1,"kind":"profiles","current":"ci","items":[\
                {"name":"ci","backend":"local","server":null,"appId":null,"username":null,"origin":"configuration",\
                "settings":{}},\
                {"name":"default","backend":"local","server":null,"appId":null,"username":"ada","origin":"built-in",\
                "settings":{}}]}

                """)
    }

    @Test func `list warns of a session that cannot be read, and hides no profile`() {
        world.sessions.fail(.load, with: AuthError(.corrupt, "damaged"))
        let text = world.run("profile", "list")
        #expect(text.stdout.contains("default"))
        #expect(text.stderr == "authctl: warning: damaged\n")
        #expect(text.exitCode == 0)
        let json = world.run("profile", "list", "--json")
        #expect(json.stderr == "{\"v\":1,\"kind\":\"warning\",\"message\":\"damaged\"}\n")
    }

    @Test func `show tells of the one in use, or of another`() {
        world.configuration.put(profiles: "ci", current: "ci")
        world.sessions.put(.ada)
        #expect(
            world.run("profile", "show").stdout
                == "name:    ci (in use)\nbackend: local\nuser:    nobody is logged in\n")
        #expect(world.run("profile", "show", "default").stdout == "name:    default\nbackend: local\nuser:    ada\n")
        #expect(world.run("profile", "show", "-p", "default").stdout.hasPrefix("name:    default"))
    }

    @Test(arguments: [
        ["profile", "show", "ci"], ["profile", "set", "ci", "backend", "local"], ["profile", "use", "ci"],
        ["profile", "add", "ci2", "--from", "ci"], ["profile", "add", "ci2", "--backend", "local"],
        ["profile", "remove", "ci"],
    ])
    func `end with one item in JSON`(words: [String]) {
        world.configuration.put(profiles: "ci")
        let result = world.run(words: words + ["--json"])
        let name = words[1] == "add" ? "ci2" : "ci"
        #expect(
            result.stdout == """
                {"v":1,"kind":"profile","item":{"name":"\(name)","backend":"local","server":null,"appId":null,\
                "username":null,"origin":"configuration","settings":{}}}

                """)
        #expect(result.exitCode == 0)
    }

    @Test func `add makes a profile, once`() {
        #expect(world.run("profile", "add", "ci", "--backend", "local").stdout == "added profile 'ci'\n")
        #expect(world.configuration.current["ci"] == Profile(name: "ci", settings: ["backend": "local"]))
        let again = world.run("profile", "add", "ci", "--backend", "local")
        #expect(again.stderr.hasPrefix("authctl: error: there is a profile 'ci' already\n"))
        #expect(again.exitCode == 2)
    }

    static let live = [
        "--backend", "parse", "--server", "HTTPS://A.example:443/parse/", "--app-id", "shop", "--client-key-file",
        "key",
    ]

    @Test func `add keeps all that leads to a host, the key in the place of its file`() {
        world.files["key"] = "k3y\n"
        let result = world.run(words: ["profile", "add", "live", "--json"] + Self.live)
        #expect(
            result.stdout == """
                {"v":1,"kind":"profile","item":{"name":"live","backend":"parse","server":"https://a.example/parse",\
                "appId":"shop","username":null,"origin":"configuration","settings":{}}}

                """)
        #expect(
            world.configuration.current["live"]?.settings
                == ["backend": "parse", "server": "https://a.example/parse", "appId": "shop", "clientKey": "k3y"])
        #expect(
            world.run("profile", "show", "live").stdout == """
                name:    live
                backend: parse
                server:  https://a.example/parse
                app id:  shop
                key:     kept in the configuration
                user:    nobody is logged in

                """)
    }

    @Test func `add takes over from another profile all but what belongs to its server`() {
        world.files["key"] = "k3y"
        #expect(world.run(words: ["profile", "add", "live"] + Self.live).exitCode == 0)
        #expect(world.run("profile", "add", "same", "--from", "live").exitCode == 0)
        #expect(world.configuration.current["same"]?.text(.clientKey) == "k3y")
        #expect(
            world.run("profile", "add", "other", "--from", "live", "--server", "https://b.example").exitCode == 0)
        #expect(
            world.configuration.current["other"]?.settings
                == ["backend": "parse", "server": "https://b.example", "appId": "shop"])
    }

    @Test func `an alias is shown by its kind and its server`() {
        #expect(world.run("profile", "add", "cloud", "--backend", "back4app", "--app-id", "x").exitCode == 0)
        let result = world.run("profile", "show", "cloud", "--json")
        #expect(result.stdout.contains(#""backend":"parse","server":"https://parseapi.back4app.com","appId":"x""#))
    }

    @Test func `set changes each setting, and another server takes out what belonged to the one before`() {
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

    @Test func `a profile that was led elsewhere since has nobody logged in`() {
        #expect(world.run(words: ["profile", "add", "live", "--backend", "back4app", "--app-id", "x"]).exitCode == 0)
        let connection = Connection(backend: "parse", server: "https://parseapi.back4app.com", appID: "x")
        world.sessions.put(.sample(profile: "live", connection: connection))
        #expect(world.run("profile", "show", "live").stdout.hasSuffix("user:    ada\n"))
        #expect(world.run("profile", "set", "live", "server", "https://b.example").exitCode == 0)
        #expect(world.run("profile", "show", "live").stdout.hasSuffix("user:    nobody is logged in\n"))
    }

    @Test func `set warns of what cannot be used, and takes the server of a word that means one`() {
        #expect(
            world.run("profile", "add", "x", "--backend", "parse", "--server", "https://a.example", "--app-id", "y")
                .exitCode == 0)
        let exposed = world.run("profile", "set", "x", "server", "http://10.0.0.1")
        #expect(exposed.exitCode == 0)
        #expect(
            exposed.stderr.hasPrefix("authctl: warning: profile 'x' cannot be used like this: server 'http://10.0.0.1'")
        )
        #expect(world.run("profile", "set", "x", "backend", "back4app").stderr == "")
        #expect(world.run("profile", "show", "x").stdout.contains("server:  https://parseapi.back4app.com\n"))
    }

    @Test func `what was put into the configuration by hand does nothing to a terminal, and shows no password`() {
        world.configuration.put([
            Profile(name: "odd", settings: ["backend": "\u{1B}[31mx\n", "server": "https://u:s3cret@a.example"])
        ])
        for words in [["profile", "show", "odd"], ["profile", "list"], ["profile", "list", "--json"]] {
            let result = world.run(words: words)
            #expect(!result.stdout.contains("\u{1B}") && !result.stdout.contains("s3cret"))
        }
    }

    @Test func `use chooses the profile of later commands`() {
        world.configuration.put(profiles: "ci")
        #expect(world.run("profile", "use", "ci").stdout == "using profile 'ci'\n")
        #expect(world.run("whoami").stdout.contains("(profile 'ci', "))
        #expect(world.run("whoami", "-p", "default").stdout.contains("(profile 'default', "))
    }

    @Test func `set configures the profile that is built in`() {
        #expect(world.run("profile", "set", "default", "backend", "local").exitCode == 0)
        #expect(world.configuration.current["default"]?.settings == ["backend": "local"])
    }

    @Test func `remove takes a profile away, and the choice of it`() {
        world.configuration.put(profiles: "ci", current: "ci")
        #expect(world.run("profile", "remove", "ci").stdout == "removed profile 'ci'\n")
        #expect(world.configuration.current == Configuration())
    }

    @Test func `remove refuses while a session is stored, unless forced`() {
        world.configuration.put(profiles: "ci")
        world.sessions.put(.sample(profile: "ci"))
        let refused = world.run("profile", "remove", "ci")
        #expect(
            refused.stderr == """
                authctl: error: profile 'ci' still has a session
                authctl: hint: end it: authctl logout -p ci
                authctl: hint: forget it with --force

                """)
        #expect(refused.exitCode == 2)
        #expect(world.configuration.current["ci"] != nil)
        let forced = world.run("profile", "remove", "ci", "--force")
        #expect(
            forced.stderr
                == "authctl: warning: the session of profile 'ci' was forgotten; it may still be alive at the server\n")
        #expect(forced.exitCode == 0)
        #expect(world.sessions["ci"] == nil)
        #expect(world.configuration.current["ci"] == nil)
    }

    @Test func `remove forgets a session that cannot be read, if forced`() {
        world.configuration.put(profiles: "ci")
        world.sessions.put(.sample(profile: "ci"))
        world.sessions.fail(.read, with: AuthError(.corrupt, "damaged"))
        #expect(world.run("profile", "remove", "ci").exitCode == 2)
        #expect(world.sessions["ci"] != nil)
        let forced = world.run("profile", "remove", "ci", "--force")
        #expect(forced.stdout == "removed profile 'ci'\n")
        #expect(
            forced.stderr.hasSuffix(
                "authctl: warning: the session of profile 'ci' was forgotten; it may still be alive at the server\n"))
        #expect(forced.exitCode == 0)
        #expect(world.sessions["ci"] == nil)
        #expect(world.configuration.current["ci"] == nil)
    }

    @Test func `remove keeps the profile whose session could not be forgotten`() {
        world.configuration.put(profiles: "ci")
        world.sessions.put(.sample(profile: "ci"))
        world.sessions.fail(.remove, with: AuthError(.notWritten, "the folder cannot be written"))
        #expect(world.run("profile", "remove", "ci", "--force").exitCode == 12)
        #expect(world.configuration.current["ci"] != nil)
    }

    @Test(arguments: [
        (["show", "nope"], "there is no profile 'nope'"),
        (["use", "nope"], "there is no profile 'nope'"),
        (["set", "nope", "backend", "local"], "there is no profile 'nope'"),
        (["remove", "nope"], "there is no profile 'nope'"),
        (["remove", "default"], "profile 'default' is built in and cannot be removed"),
        (["add", "x", "--from", "nope"], "there is no profile 'nope' (from --from)"),
        (["add", "x"], "profile 'x' has no backend"),
        (["add", "-p", "y", "--backend", "local", "--", "-x"], "'-x' cannot be the name of a profile"),
        (["add", "../x", "--backend", "local"], "'../x' cannot be the name of a profile"),
        (["add", "x", "--backend", "ftp"], "unknown backend 'ftp' (from --backend)"),
        (["set", "default", "backend", "ftp"], "unknown backend 'ftp'"),
        (["set", "default", "colour", "red"], "a profile has no setting 'colour'"),
        (["set", "default", "allowHttp", "yes"], "'yes' is neither true nor false"),
        (["set", "default", "server", "a.example"], "server 'a.example' has no scheme"),
        (["set", "default", "appId", "a b"], "'a b' cannot be an application id"),
        (["add", "x", "--backend", "parse"], "backend 'parse' (from profile 'x') needs a server, and none is named"),
        (
            ["add", "x", "--backend", "parse", "--server", "https://a.example"],
            "backend 'parse' needs an application id, and none is named"
        ),
        (
            ["add", "x", "--backend", "parse", "--server", "http://a.example", "--app-id", "x"],
            "server 'http://a.example' (from profile 'x') would get passwords unencrypted over the network"
        ),
        (
            ["add", "x", "--backend", "local", "--server", "https://a.example"],
            "server 'https://a.example' does not go with backend 'local'"
        ),
        (
            ["add", "x", "--backend", "local", "--server", "https://u:p@a.example"],
            "server 'https://<redacted>@a.example' (from --server) holds a user or a password"
        ),
    ])
    func `refuse what makes no sense, and change nothing`(words: [String], message: String) {
        let result = world.run(words: ["profile"] + words)
        #expect(result.stderr.hasPrefix("authctl: error: \(message)\n"))
        #expect(result.stdout == "")
        #expect(result.exitCode == 2)
        #expect(world.configuration.current == Configuration())
    }
}
