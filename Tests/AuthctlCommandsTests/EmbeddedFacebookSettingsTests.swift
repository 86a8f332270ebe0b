import AuthBackends
import AuthClient
import AuthctlCommands
import CommandTestSupport

/// The Facebook settings that the embedded account server receives.
@Suite struct EmbeddedFacebookSettingsTests {
    private let world = TestContext()

    /// Runs a command with a profile that has the Facebook app `appID`.
    private func run(appID: String?, _ steps: Step...) -> TestContext.Result {
        var settings: JSONObject = ["backend": "site"]
        if let appID { settings["facebookAppId"] = .string(appID) }
        world.configuration.put([Profile(name: "default", settings: settings)])
        let backend = FakeBackend(steps, journal: Journal())
        let descriptor = BackendDescriptor(
            kind: "site", [],
            settings: [BackendSetting("facebookAppId", .path, standard: "", summary: "the app")])
        world.backends = BackendRegistry([
            BackendRegistration(descriptor: descriptor, type: FakeBackend.self) { _, _ in backend }
        ])
        return world.run("password", "reset", "x@example.org")
    }

    @Test func `the embedded account server receives no Facebook settings if no Facebook app id is set`() {
        expect(run(appID: nil, .resetPassword(.success(nil))).exitCode, 0)
        expect(world.facebook.settings.map { $0?.appIDs }, [nil])
    }

    @Test func `the embedded account server receives the profile's Facebook app, the Graph URL and the time limit`() {
        world.environment = ["AUTHCTL_FACEBOOK_GRAPH_URL": "http://127.0.0.1:4000/", "AUTHCTL_TIMEOUT": "7"]
        expect(run(appID: "1234", .resetPassword(.success(nil))).exitCode, 0)
        let facebook = world.facebook.settings.first ?? nil
        expect(facebook?.appIDs, ["1234"])
        #expect(facebook != nil && facebook?.appSecret == nil)
        expect(facebook?.graphURL, "http://127.0.0.1:4000")
        expect(facebook?.timeLimit, .seconds(7))
        expect(world.networkSettings.settings.map(\.timeLimit), [.seconds(7), .seconds(7)])
    }

    /// Only commands that use Facebook report an invalid Graph URL: see `FacebookSettingTests`.
    @Test(arguments: ["http://graph.example", "graph"])
    func `the embedded account server receives no Facebook settings if the Graph URL is invalid`(url: String) {
        world.environment = ["AUTHCTL_FACEBOOK_GRAPH_URL": url]
        let result = run(appID: "1234", .resetPassword(.success(nil)))
        expect(result.stderr, "")
        expect(result.exitCode, 0)
        expect(world.facebook.settings.map { $0?.appIDs }, [nil])
    }
}
