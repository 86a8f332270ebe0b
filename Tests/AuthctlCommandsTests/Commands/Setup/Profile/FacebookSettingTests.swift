import AuthClient
import CommandTestSupport

@testable import AuthctlCommands

/// The Facebook app that a profile or the environment sets.
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
            expect(set(key, value).exitCode, 0)
        }
    }

    @Test func `profile set saves the Facebook client token itself instead of the path of its file`() {
        setAll()
        #expect(
            settings == [
                "backend": "local", "facebookAppId": "1000", "facebookClientToken": "abc",
                "facebookGraphVersion": "v22.0",
            ])
    }

    @Test func `profile show and profile list do not print the client token of the Facebook app`() {
        setAll()
        world.run("profile", "show").expectTranscript(in: "profile")
        for words in [["show"], ["list"]] {
            let json = world.run(words: ["profile"] + words + ["--json"]).stdout
            #expect(json.contains(#""settings":{"facebookAppId":"1000","facebookGraphVersion":"v22.0"}"#))
            #expect(!json.contains("abc"))
        }
        #expect(!world.run("profile", "list").stdout.contains("abc"))
    }

    @Test(arguments: [
        ("facebookAppId", "10 00"), ("facebookGraphVersion", "21.0"), ("facebookClientTokenFile", "/run/whole"),
    ])
    func `profile set rejects an invalid Facebook setting`(key: String, value: String) {
        world.files["/run/whole"] = "1000|abc"
        let result = set(key, value)
        result.expectErrors(in: "profile", key)
        #expect(!result.stderr.contains("abc"))
        expect(settings, ["backend": "local"])
    }

    @Test(arguments: ["v21", "v21.", "v.0", "v21.0.0", "V21.0", "v12345.0", "v2١.0", "v21.0/..", ""])
    func `a malformed Facebook Graph API version is rejected`(version: String) throws {
        let error = try #require(rejection(of: .facebookGraphVersion, version))
        expect(error.reason, .usage)
        expect(rejection(of: .facebookGraphVersion, "v21.0"), nil)
    }

    private func rejection(of setting: BackendSetting, _ value: String) -> AuthError? {
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
        // An empty variable counts as unset.
        (["AUTHCTL_FACEBOOK_APP_ID": ""], "1000%7Cabc"),
    ])
    func `environment variables override the Facebook app of the profile`(variables: [String: String], app: String) {
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
        expect(world.run("login", "--facebook").exitCode, 5)
    }

    @Test(arguments: [
        ("AUTHCTL_FACEBOOK_APP_ID", "1 0"), ("AUTHCTL_FACEBOOK_CLIENT_TOKEN", "1000|s3cret"),
        ("AUTHCTL_FACEBOOK_GRAPH_URL", "http://graph.example"), ("AUTHCTL_FACEBOOK_GRAPH_URL", "graph"),
    ])
    func `an invalid Facebook variable is an error only for commands that use Facebook`(
        variable: String, value: String
    ) {
        world.sessions.put(.ada)
        setVariable(variable, value)
        world.server.expect(.currentUser())
        let whoami = world.run("whoami")
        expect(whoami.stderr, "")
        expect(whoami.exitCode, 0)
        // link-facebook checks the session before it uses Facebook.
        world.server.expect(.currentUser())
        let link = world.run("link-facebook")
        #expect(link.stderr.contains(variable))
        #expect(!link.stderr.contains("s3cret"))
        expect(link.exitCode, 2)
    }

    private func setVariable(_ name: String, _ value: String) {
        let valid = ["AUTHCTL_FACEBOOK_APP_ID": "1000", "AUTHCTL_FACEBOOK_CLIENT_TOKEN": "abc"]
        world.environment = valid.merging([name: value]) { _, own in own }
    }
}
