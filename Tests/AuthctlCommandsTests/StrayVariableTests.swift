import AuthClient
import CommandTestSupport
import JSON

@testable import AuthctlCommands

/// Options and variables of a connection that the backend in use cannot use.
@Suite struct StrayVariableTests {
    private let world = TestContext()

    private static let commands = [["whoami"], ["api", "/users/me"], ["mail"], ["users", "list"], ["check", "t"]]

    @Test(arguments: ["AUTHCTL_APP_ID", "AUTHCTL_CLIENT_KEY", "AUTHCTL_CLIENT_KEY_FILE"], commands)
    func `a variable that local accounts cannot use is refused, and its value is not shown`(
        variable: String, words: [String]
    ) {
        world.environment = [variable: "k3y"]
        world.files["t"] = "request me\nGET / yes\n"
        let result = world.run(words: words)
        expect(result.exitCode, 2)
        #expect(result.stderr.contains("(from \(variable)) cannot be used with backend 'local'"), "\(result.stderr)")
        #expect(result.stderr.contains("--backend firebase; or unset \(variable)"))
        #expect(variable == "AUTHCTL_APP_ID" || !result.stderr.contains("k3y"))
    }

    @Test(arguments: [["version"], ["help"], ["completion", "bash"], ["profile", "list"], ["doctor"]])
    func `a command that uses no connection works in spite of such a variable, and doctor reports it`(words: [String]) {
        world.environment = ["AUTHCTL_APP_ID": "shop"]
        let result = world.run(words: words)
        expect(result.exitCode, 0)
        expect(
            result.stdout.contains("warning  profile.settings: application id 'shop' (from AUTHCTL_APP_ID)"),
            words == ["doctor"])
    }

    @Test func `a profile chosen by name ignores such a variable, and an option is refused`() {
        let settings: JSONObject = ["backend": "pocketbase", "server": "https://p.example"]
        world.configuration.put([Profile(name: "pb", settings: settings)])
        world.environment = ["AUTHCTL_APP_ID": "shop", "AUTHCTL_CLIENT_KEY": "k"]
        for profile in ["pb", "default"] { expect(world.run("whoami", "-p", profile).exitCode, 3) }
        let doctor = world.run("doctor", "-p", "pb").stdout
        #expect(doctor.contains("AUTHCTL_APP_ID cannot be used with backend 'pocketbase'"))
        #expect(!doctor.contains("overrides"))
        let option = world.run("whoami", "-p", "pb", "--app-id", "x")
        #expect(option.exitCode == 2 && option.stderr.contains("hint: remove --app-id\n"), "\(option.stderr)")
        world.environment["AUTHCTL_BACKEND"] = "pocketbase"
        let variable = world.run("whoami", "-p", "pb")
        #expect(variable.exitCode == 2 && variable.stderr.contains("unset AUTHCTL_APP_ID\n"), "\(variable.stderr)")
    }

    @Test(arguments: [
        ([], [:], true), (["--app-id", "shop"], [:], true), ([], ["AUTHCTL_APP_ID": "shop"], true),
        (["-p", "default"], [:], false), ([], ["AUTHCTL_PROFILE": "default"], false),
        (["--backend", "local"], [:], false), ([], ["AUTHCTL_BACKEND": "local"], false),
    ])
    func `the variable of Firebase's emulator chooses Firebase if nothing else names a connection`(
        words: [String], more: [String: String], isChosen: Bool
    ) {
        world.environment = more.merging(["FIREBASE_AUTH_EMULATOR_HOST": "127.0.0.1:9099"]) { $1 }
        let result = world.run(words: ["doctor", "--json"] + words)
        expect(result.stdout.contains("(backend 'firebase'"), isChosen, "\(result.stdout)")
        world.configuration.put([Profile(name: "default", settings: ["backend": "local"])])
        #expect(!world.run(words: ["doctor", "--json"] + words).stdout.contains("(backend 'firebase'"))
    }

    @Test(arguments: [
        (["--backend", "pocketbase", "--server", "https://p.example", "--app-id", "x"], "appId"),
        (["--backend", "rest-auth", "--server", "https://p.example", "--client-key-file", "key"], "clientKeyFile"),
        (["--backend", "local", "--server", "https://p.example"], "server"),
        (["--backend", "local", "--allow-http"], "allowHttp"),
    ])
    func `profile add refuses an option that the kind of server does not have`(words: [String], setting: String) {
        world.files["key"] = "k3y"
        let result = world.run(words: ["profile", "add", "x"] + words)
        #expect(result.exitCode == 2 && result.stderr.contains("has no setting '\(setting)'"), "\(result.stderr)")
        expect(world.configuration.current["x"], nil)
    }

    @Test func `profile set removes settings with --unset, and those that another kind of server does not have`() {
        world.files["key"] = "k3y"
        let parse = ["--backend", "parse", "--server", "https://p.example", "--app-id", "x"]
        expect(world.run(words: ["profile", "add", "x", "--client-key-file", "key"] + parse).exitCode, 0)
        expect(world.run("profile", "set", "x", "--unset", "clientKeyFile").exitCode, 0)
        #expect(world.configuration.current["x"]?.text(.clientKey) == nil)
        #expect(world.run("profile", "set", "x", "backend", "pocketbase").stderr.contains("'appId'"))
        #expect(
            world.configuration.current["x"]?.settings == ["backend": "pocketbase", "server": "https://p.example"])
    }
}
