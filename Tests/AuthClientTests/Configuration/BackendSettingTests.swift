import AuthModel
import JSON
import Platform
import Testing

@testable import AuthClient

@Suite struct BackendSettingTests {
    static let path = BackendSetting("loginPath", .path, standard: "login/", summary: "where to log in")
    static let backends = [
        BackendDescriptor(kind: "local", summary: "here", takesServer: false, checksNewAccounts: true),
        BackendDescriptor(
            kind: "site", aliases: [BackendDescriptor.Alias("hosted", server: "https://hosted.example")],
            summary: "there", takesServer: true, settings: [path], checksNewAccounts: false),
        BackendDescriptor(
            kind: "other", summary: "elsewhere", takesServer: true, settings: [path], checksNewAccounts: false),
    ]

    static func settings(
        _ profile: JSONObject, _ options: SettingsResolver.Options = .init(), _ environment: [String: String] = [:]
    ) throws(AuthError) -> Settings {
        try SettingsResolver(options: options, environment: .fixed(environment), backends: backends)
            .settings(in: Configuration(profiles: [Profile(name: "default", settings: profile)]))
    }

    static let profile: JSONObject = ["backend": "site", "server": "https://a.example", "loginPath": "in/"]

    // MARK: - Paths

    @Test(arguments: ["login/", "x", "a/b.c/d", "a/...", "fb~1/(x)/@y:z", "a%C3%A4/", "a//b/"])
    func `a path below the base URL is taken`(path: String) {
        #expect(throws: Never.self) { try Self.path.require(Setting(path, from: .builtIn)) }
    }

    @Test(arguments: [
        ("", "is empty"), ("/login", "begins with '/'"), ("//evil.example/", "begins with '/'"),
        ("https://evil.example/", "begins like a URL of its own"), ("mailto:x", "begins like a URL of its own"),
        ("..", "has a path with '.' or '..'"), ("a/../../b", "has a path with '.' or '..'"),
        ("./a", "has a path with '.' or '..'"), ("a/.", "has a path with '.' or '..'"),
        ("%2e%2E/x", "has a path with characters that no path has"),
        (".%2e/x", "has a path with characters that no path has"),
        ("a/..%2fb", "has a path with characters that no path has"),
        ("a%5Cb", "has a path with characters that no path has"),
        ("a%0Ab", "has a path with characters that no path has"), ("a%", "has a path with characters that no path has"),
        ("a%zz", "has a path with characters that no path has"),
        ("a[b]", "has a path with characters that no path has"),
        ("a?b", "has a query, a fragment or a backslash"), ("a#b", "has a query, a fragment or a backslash"),
        (#"a\b"#, "has a query, a fragment or a backslash"),
        ("a b", "holds a space, a control character or a letter beyond ASCII"),
        ("a\r\nX: 1", "holds a space, a control character or a letter beyond ASCII"),
        ("a\u{7F}", "holds a space, a control character or a letter beyond ASCII"),
        ("ä", "holds a space, a control character or a letter beyond ASCII"),
    ])
    func `what leads elsewhere, or is no path, is refused`(path: String, problem: String) throws {
        let error = try failure { try Self.path.require(Setting(path, from: .profile("ci"))) }
        #expect(error.reason == .usage)
        #expect(error.message == "'\(path)' (from profile 'ci') cannot be 'loginPath': it \(problem)")
        #expect(error.hints == ["give a path below the base URL of the server, such as login/"])
    }

    // MARK: - Use

    @Test(arguments: ["https://a.example", "https://A.example:443/", "https://a.example/other"])
    func `a profile's settings hold for its server whoever names it`(server: String) throws {
        let isOwn = server != "https://a.example/other"
        let named = try Self.settings(Self.profile, .init(), ["AUTHCTL_BACKEND": "site", "AUTHCTL_SERVER": server])
        #expect(named.serverSettings == (isOwn ? ["loginPath": "in/"] : [:]))
        #expect(try Self.settings(Self.profile, .init(server: server)).serverSettings == named.serverSettings)
    }

    @Test func `a profile's settings hold for its own server`() throws {
        #expect(try Self.settings(Self.profile).serverSettings == ["loginPath": "in/"])
        #expect(try Self.settings(["backend": "hosted", "loginPath": "in/"]).serverSettings == ["loginPath": "in/"])
        #expect(try Self.settings(Self.profile, .init(backend: "site")).serverSettings == ["loginPath": "in/"])
    }

    @Test(arguments: [
        (SettingsResolver.Options(server: "https://b.example"), [:]),
        (.init(backend: "hosted"), [:]), (.init(backend: "local"), [:]),
        (.init(), ["AUTHCTL_SERVER": "https://b.example"]),
        (.init(backend: "other", server: "https://a.example"), [:]),
    ])
    func `they hold for no other server, and for no other kind of backend`(
        options: SettingsResolver.Options, environment: [String: String]
    ) throws {
        #expect(try Self.settings(Self.profile, options, environment).serverSettings == [:])
    }

    @Test func `one that is missing or null has its standard, and keys of nobody are passed over`() throws {
        let profile: JSONObject = [
            "backend": "site", "server": "https://a.example", "loginPath": nil, "logoutPath": "/x",
        ]
        #expect(try Self.settings(profile).serverSettings == [:])
    }

    @Test(arguments: [
        (JSONValue.string("/x"), "'/x' (from profile 'default') cannot be 'loginPath': it begins with '/'"),
        (.string(""), "'' (from profile 'default') cannot be 'loginPath': it is empty"),
        (.integer(5), "'loginPath' of profile 'default' is no text"),
        (.array([]), "'loginPath' of profile 'default' is no text"),
    ])
    func `a bad value in the configuration is told when it is used`(value: JSONValue, message: String) throws {
        var profile = Self.profile
        profile["loginPath"] = value
        let error = try failure { _ = try Self.settings(profile) }
        #expect(error.reason == .usage)
        #expect(error.message == message)
        #expect(throws: Never.self) { try Self.settings(profile, .init(server: "https://b.example")) }
    }

    @Test func `the hint at a missing server names an application only where there are several`() throws {
        let error = try failure { _ = try Self.settings(["backend": "site"]) }
        #expect(
            error.hints == [
                "name it with --server URL or AUTHCTL_SERVER",
                "save it in a profile: authctl profile add NAME --backend site --server URL",
            ])
    }
}
