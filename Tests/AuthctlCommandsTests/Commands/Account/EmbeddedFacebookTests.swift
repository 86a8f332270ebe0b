import AuthBackends
import AuthClient
import AuthModel
import AuthctlCommands
import CommandTestSupport
import JSON
import Testing
import Transport

/// What the account server inside the program is told of Facebook.
@Suite struct EmbeddedFacebookTests {
    private let world = TestContext()

    /// Runs a command of a backend whose profile names that app.
    private func run(appID: String?, _ steps: FakeBackend.Step...) -> TestContext.Result {
        var settings: JSONObject = ["backend": "site", "server": "https://a.example"]
        if let appID { settings["facebookAppId"] = .string(appID) }
        world.configuration.put([Profile(name: "default", settings: settings)])
        let backend = FakeBackend(steps, journal: Journal())
        let descriptor = BackendDescriptor(
            kind: "site", summary: "there", takesServer: true,
            settings: [BackendSetting("facebookAppId", .path, standard: "", summary: "the app")],
            checksNewAccounts: false)
        world.backends = BackendRegistry([
            BackendRegistration(descriptor: descriptor) { _, transports throws(AuthError) in
                _ = try transports.embedded()
                return backend
            }
        ])
        return world.run("password", "reset", "x@example.org")
    }

    @Test func `takes no Facebook where no app is named`() {
        #expect(run(appID: nil, .resetPassword(.success(()))).exitCode == 0)
        #expect(world.facebook.settings.map { $0?.appIDs } == [nil])
        #expect(world.networkSettings.settings.isEmpty)
    }

    @Test func `takes the app of the profile, and asks as requests to hosts are sent`() {
        world.environment = ["AUTHCTL_FACEBOOK_GRAPH_URL": "http://127.0.0.1:4000/", "AUTHCTL_TIMEOUT": "7"]
        #expect(run(appID: "1234", .resetPassword(.success(()))).exitCode == 0)
        let facebook = world.facebook.settings.first ?? nil
        #expect(facebook?.appIDs == ["1234"] && facebook?.appSecret == nil)
        #expect(facebook?.graphURL == "http://127.0.0.1:4000")
        #expect(facebook?.timeLimit == .seconds(7))
        #expect(world.networkSettings.settings.map(\.timeLimit) == [.seconds(7)])
    }

    /// Whoever has to do with Facebook is told of it: see `FacebookSettingTests`.
    @Test(arguments: ["http://graph.example", "graph"])
    func `takes no Facebook where its URL is none to which a token should go`(url: String) {
        world.environment = ["AUTHCTL_FACEBOOK_GRAPH_URL": url]
        let result = run(appID: "1234", .resetPassword(.success(())))
        #expect(result.stderr == "")
        #expect(result.exitCode == 0)
        #expect(world.facebook.settings.map { $0?.appIDs } == [nil])
    }
}
