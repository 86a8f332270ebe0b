import AuthClient
import AuthModel
import CommandTestSupport
import JSON
import Testing

@testable import AuthctlCommands

/// What is said of a Facebook app, by a profile and by variables.
@Suite struct FacebookSettingTests {
    let world = TestContext()

    init() {
        world.configuration.put(profiles: "default")
        world.files = ["/run/token": "abc\n"]
    }

    private var settings: JSONObject? { world.configuration.current["default"]?.settings }

    private func set(_ key: String, _ value: String) -> TestContext.Result {
        world.run("profile", "set", "default", key, value)
    }

    private func setAll() {
        for (key, value) in [
            ("facebookAppId", "1000"), ("facebookClientTokenFile", "/run/token"), ("facebookGraphVersion", "v22.0"),
        ] {
            #expect(set(key, value).exitCode == 0)
        }
    }

    @Test func `is kept in the profile, the client token out of its file`() {
        setAll()
        #expect(
            settings == [
                "backend": "local", "facebookAppId": "1000", "facebookClientToken": "abc",
                "facebookGraphVersion": "v22.0",
            ])
    }

    @Test func `goes when it is set to nothing`() {
        setAll()
        for key in ["facebookAppId", "facebookClientTokenFile", "facebookGraphVersion"] {
            #expect(set(key, "").exitCode == 0)
        }
        #expect(settings == ["backend": "local"])
    }

    @Test func `is shown, but for the client token`() {
        setAll()
        let text = world.run("profile", "show").stdout
        #expect(
            text == """
                name:    default (in use)
                backend: local
                facebookClientToken: kept in the configuration
                facebookAppId: 1000
                facebookGraphVersion: v22.0
                user:    nobody is logged in

                """)
        for words in [["show"], ["list"]] {
            let json = world.run(words: ["profile"] + words + ["--json"]).stdout
            #expect(json.contains(#""settings":{"facebookAppId":"1000","facebookGraphVersion":"v22.0"}"#))
            #expect(!json.contains("abc"))
        }
        #expect(!world.run("profile", "list").stdout.contains("abc"))
    }

    @Test(arguments: [
        (
            "facebookAppId", "10 00",
            "'10 00' cannot be 'facebookAppId': it holds a space, a control character or a letter beyond ASCII",
            "copy it from where it is shown: letters, digits and marks, no spaces"
        ),
        (
            "facebookGraphVersion", "21.0",
            "'21.0' cannot be 'facebookGraphVersion': it is not a 'v', a number, a dot and a number",
            "give a version of Facebook's Graph, such as v21.0"
        ),
        (
            "facebookClientTokenFile", "/run/whole",
            "what is given cannot be 'facebookClientToken': it is not one word without '|'",
            "copy it alone, from where the app is set up"
        ),
    ])
    func `is refused where it cannot be right`(key: String, value: String, message: String, hint: String) {
        world.files["/run/whole"] = "1000|abc"
        let result = set(key, value)
        #expect(result.stderr == "authctl: error: \(message)\nauthctl: hint: \(hint)\n")
        #expect(result.exitCode == 2)
        #expect(settings == ["backend": "local"])
    }

    @Test(arguments: ["v21", "v21.", "v.0", "v21.0.0", "V21.0", "v12345.0", "v2١.0", "v21.0/..", ""])
    func `has no such version of the Graph`(version: String) {
        let error = refusal(of: .facebookGraphVersion, version)
        #expect(error?.message.hasPrefix("'\(version)' (from X) cannot be 'facebookGraphVersion': it is ") == true)
        #expect(refusal(of: .facebookGraphVersion, "v21.0") == nil)
    }

    private func refusal(of setting: BackendSetting, _ value: String) -> AuthError? {
        do throws(AuthError) {
            try setting.require(Setting(value, from: .environment("X")))
            return nil
        } catch {
            return error
        }
    }

    // MARK: - Variables

    @Test(arguments: [
        (["AUTHCTL_FACEBOOK_APP_ID": "2000", "AUTHCTL_FACEBOOK_CLIENT_TOKEN": "def"], "2000%7Cdef"),
        // An empty one is as good as none.
        (["AUTHCTL_FACEBOOK_APP_ID": ""], "1000%7Cabc"),
    ])
    func `comes from variables before the profile`(variables: [String: String], app: String) {
        setAll()
        world.environment = variables
        world.network.expect(
            Exchange(
                """
                POST https://graph.facebook.com/v22.0/device/login
                Accept: application/json
                Content-Type: application/x-www-form-urlencoded

                access_token=\(app)&scope=public_profile%2Cemail
                """, 400, #"{"error":{"code":101}}"#))
        #expect(world.run("login", "--facebook").exitCode == 5)
    }

    @Test(arguments: [
        (
            "AUTHCTL_FACEBOOK_APP_ID", "1 0",
            "'1 0' (from AUTHCTL_FACEBOOK_APP_ID) cannot be 'facebookAppId': it holds a space, "
        ),
        (
            "AUTHCTL_FACEBOOK_CLIENT_TOKEN", "1000|s3cret",
            "what is given (from AUTHCTL_FACEBOOK_CLIENT_TOKEN) cannot be 'facebookClientToken': it is not one word"
        ),
    ])
    func `is refused with the name of its variable`(variable: String, value: String, message: String) {
        world.environment = ["AUTHCTL_FACEBOOK_APP_ID": "1000"].merging([variable: value]) { _, own in own }
        let result = world.run("login", "--facebook")
        #expect(result.stderr.hasPrefix("authctl: error: \(message)"))
        #expect(!result.stderr.contains("s3cret"))
        #expect(result.exitCode == 2)
    }

    @Test(arguments: [
        ("AUTHCTL_FACEBOOK_APP_ID", "1 0"), ("AUTHCTL_FACEBOOK_CLIENT_TOKEN", "1000|s3cret"),
        ("AUTHCTL_FACEBOOK_GRAPH_URL", "http://graph.example"), ("AUTHCTL_FACEBOOK_GRAPH_URL", "graph"),
    ])
    func `breaks only what has to do with Facebook`(variable: String, value: String) {
        world.sessions.put(.ada)
        let others = ["AUTHCTL_FACEBOOK_APP_ID": "1000", "AUTHCTL_FACEBOOK_CLIENT_TOKEN": "abc"]
        world.environment = others.merging([variable: value]) { _, own in own }
        world.server.expect(.currentUser())
        let whoami = world.run("whoami")
        #expect(whoami.stderr == "")
        #expect(whoami.exitCode == 0)
        // The session is asked after before Facebook is.
        world.server.expect(.currentUser())
        let link = world.run("link-facebook")
        #expect(link.stderr.contains("(from \(variable))"))
        #expect(!link.stderr.contains("s3cret"))
        #expect(link.exitCode == 2)
        guard variable != "AUTHCTL_FACEBOOK_CLIENT_TOKEN" else { return }
        let given = world.run("link-facebook", "--token-stdin", "--facebook-id", "1003", stdin: "EAAB")
        #expect(given.stderr.hasPrefix("authctl: error: "))
        #expect(given.stderr.contains("(from \(variable))"))
        #expect(given.exitCode == 2)
    }
}
