import CommandTestSupport
import Platform

@testable import AuthClient

@Suite struct BackendSettingTests {
    static let path = BackendSetting("loginPath", .path, standard: "login/", summary: "where to log in")
    static let backends = BackendKinds([
        { BackendDescriptor(kind: "local", .checksNewAccounts) },
        {
            BackendDescriptor(
                kind: "site", .takesServer,
                aliases: [BackendDescriptor.Alias("hosted", server: "https://hosted.example")], settings: [path])
        },
        {
            BackendDescriptor(
                kind: "other", .takesServer, settings: [path])
        },
    ])

    static func settings(
        _ profile: JSONObject, _ options: SettingsResolver.Options = .init(), _ environment: [String: String] = [:]
    ) throws(AuthError) -> Settings {
        try SettingsResolver(options: options, environment: .fixed(environment), backends: backends)
            .settings(in: Configuration(profiles: [Profile(name: "default", settings: profile)]))
    }

    static let profile: JSONObject = ["backend": "site", "server": "https://a.example", "loginPath": "in/"]

    // MARK: - Paths

    @Test(arguments: ["login/", "x", "a/b.c/d", "a/...", "fb~1/(x)/@y:z", "a%C3%A4/", "a//b/"])
    func `a path setting accepts a path below the base URL`(path: String) {
        #expect(throws: Never.self) { try Self.path.require(Setting(path, from: .builtIn)) }
    }

    @Test(arguments: [
        ("/", true), ("/auth/v1", true), ("/x/", true), ("auth/v1", false), ("", false), ("//x", false), ("/..", false),
    ])
    func `the path of a mounted server begins with a slash`(path: String, isValid: Bool) {
        let setting = BackendSetting("authPath", .mount, summary: "")
        expect(((try? setting.require(Setting(path, from: .builtIn))) != nil), isValid)
    }

    static let unusablePaths = [
        "", "/login", "//evil.example/", "https://evil.example/", "mailto:x", "..", "a/../../b", "./a", "a/.",
        "%2e%2E/x", ".%2e/x", "a/..%2fb", "a%5Cb", "a%0Ab", "a%", "a%zz", "a[b]", "a?b", "a#b", #"a\b"#, "a b",
        "a\r\nX: 1", "a\u{7F}", "ä",
    ]

    @Test func `the error about an invalid path setting names the problem`() throws {
        let lines = try Self.unusablePaths.map { path in
            let error = try failure { try Self.path.require(Setting(path, from: .profile("ci"))) }
            expect(error.reason, .usage)
            expect(error.hints.count, 1)
            return String(error.message.visible.dropFirst().dropLast())
        }
        MessageFile("use-cases/settings").expect(lines.joined(separator: "\n"))
    }

    @Test(
        arguments: [
            (.mailFolder, "/srv/mails", nil),
            (.mailFolder, "mails", "'mails' (from profile 'ci') is not an absolute path"),
            (.mailpit, "http://mail:8025", nil),
            (.mailpit, "mail:8025", "'mail:8025' (from profile 'ci') has no scheme"),
            (
                .mailpit, "http://ada:pw@mail:8025",
                "'http://<redacted>@mail:8025' (from profile 'ci') contains a username or password"
            ),
        ] as [(BackendSetting, String, String?)])
    func `the mail folder must be an absolute path, and the Mailpit URL needs a scheme and no credentials`(
        setting: BackendSetting, value: String, problem: String?
    ) throws {
        var message: String?
        do throws(AuthError) {
            try setting.require(Setting(value, from: .profile("ci")))
        } catch {
            message = error.message
        }
        expect(message, problem.map { "invalid setting '\(setting.key)': \($0)" })
    }

    // MARK: - Scope

    @Test(arguments: ["https://a.example", "https://A.example:443/", "https://a.example/other"])
    func `a profile's settings apply to every spelling of its server URL but to no other path`(server: String) throws {
        let isOwn = server != "https://a.example/other"
        let named = try Self.settings(Self.profile, .init(), ["AUTHCTL_BACKEND": "site", "AUTHCTL_SERVER": server])
        expect(named.serverSettings, (isOwn ? ["loginPath": "in/"] : [:]))
        try expect(Self.settings(Self.profile, .init(server: server)).serverSettings, named.serverSettings)
    }

    @Test func `a profile's settings apply to its own server`() throws {
        try expect(Self.settings(Self.profile).serverSettings, ["loginPath": "in/"])
        try expect(Self.settings(["backend": "hosted", "loginPath": "in/"]).serverSettings, ["loginPath": "in/"])
        try expect(Self.settings(Self.profile, .init(backend: "site")).serverSettings, ["loginPath": "in/"])
    }

    @Test(arguments: [
        (SettingsResolver.Options(server: "https://b.example"), [:]),
        (.init(backend: "hosted"), [:]), (.init(backend: "local"), [:]),
        (.init(), ["AUTHCTL_SERVER": "https://b.example"]),
        (.init(backend: "other", server: "https://a.example"), [:]),
    ])
    func `a profile's settings apply to no other server or backend`(
        options: SettingsResolver.Options, environment: [String: String]
    ) throws {
        try expect(Self.settings(Self.profile, options, environment).serverSettings, [:])
    }

    @Test func `a setting that is null has its default, and an unknown setting is ignored`() throws {
        let profile: JSONObject = [
            "backend": "site", "server": "https://a.example", "loginPath": nil, "logoutPath": "/x",
        ]
        try expect(Self.settings(profile).serverSettings, [:])
    }

    @Test(arguments: [
        (JSONValue.string("/x"), "an absolute path"), (.integer(5), "a value of another type"),
        (.array([]), "a value of another type"),
    ])
    func `an invalid profile setting is an error only if the profile's own server is used`(
        value: JSONValue, situation: String
    ) throws {
        var profile = Self.profile
        profile["loginPath"] = value
        try failure { try Self.settings(profile) }.expectMessage(in: "use-cases/settings", situation)
        #expect(throws: Never.self) { try Self.settings(profile, .init(server: "https://b.example")) }
    }

    @Test func `the hint about a missing server omits --app-id for a backend without applications`() throws {
        try failure { try Self.settings(["backend": "site"]) }.expectMessage(in: "use-cases/settings")
    }
}
