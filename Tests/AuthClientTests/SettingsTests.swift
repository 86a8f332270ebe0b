import AuthModel
import JSON
import Platform
import Testing

@testable import AuthClient

@Suite struct SettingsTests {
    static let backends = [
        BackendDescriptor(kind: "local", summary: "here", takesServer: false, checksNewAccounts: true),
        BackendDescriptor(kind: "parse", summary: "there", takesServer: true, checksNewAccounts: true),
        BackendDescriptor(kind: "kii", summary: "elsewhere", takesServer: true, checksNewAccounts: false),
    ]

    static let configuration = Configuration(
        current: "work",
        profiles: [
            Profile(name: "work", settings: ["backend": "parse", "server": "https://a.example", "appId": "x"]),
            Profile(name: "ci", settings: ["backend": "local"]),
            Profile(name: "bare", settings: [:]),
        ])

    struct Case: Sendable, CustomTestStringConvertible {
        var options = SettingsResolver.Options()
        var environment: [String: String] = [:]
        var configuration = SettingsTests.configuration

        func settings() throws(AuthError) -> Settings {
            try SettingsResolver(options: options, environment: .fixed(environment), backends: SettingsTests.backends)
                .settings(in: configuration)
        }

        var testDescription: String { "\(options) \(environment)" }
    }

    @Test(arguments: [
        (Case(configuration: Configuration()), Setting("default", from: .builtIn)),
        (Case(), Setting("work", from: .configuration)),
        (Case(environment: ["AUTHCTL_PROFILE": "ci"]), Setting("ci", from: .environment("AUTHCTL_PROFILE"))),
        (Case(environment: ["AUTHCTL_PROFILE": ""]), Setting("work", from: .configuration)),
        (
            Case(options: .init(profile: "bare"), environment: ["AUTHCTL_PROFILE": "ci"]),
            Setting("bare", from: .option("--profile"))
        ),
        (Case(options: .init(profile: "default")), Setting("default", from: .option("--profile"))),
    ])
    func `take the profile from option, environment, configuration, in this order`(
        given: Case, expected: Setting<String>
    ) throws {
        #expect(try given.settings().profile == expected)
    }

    @Test(arguments: [
        (Case(configuration: Configuration()), "local", Origin.builtIn),
        (Case(options: .init(profile: "bare")), "local", .builtIn),
        (Case(), "parse", .profile("work")),
        (Case(environment: ["AUTHCTL_BACKEND": "kii"]), "kii", .environment("AUTHCTL_BACKEND")),
        (Case(environment: ["AUTHCTL_BACKEND": ""]), "parse", .profile("work")),
        (
            Case(options: .init(backend: "local"), environment: ["AUTHCTL_BACKEND": "kii"]), "local",
            .option("--backend")
        ),
    ])
    func `take the backend from option, environment, profile, in this order`(
        given: Case, kind: String, origin: Origin
    ) throws {
        let backend = try given.settings().backend
        #expect(backend.value.kind == kind)
        #expect(backend.origin == origin)
    }

    @Test func `bind to everything that the profile says`() throws {
        #expect(
            try Case().settings().connection
                == Connection(backend: "parse", server: "https://a.example", appID: "x"))
    }

    @Test(arguments: [
        (Case(options: .init(backend: "local")), Connection(backend: "local")),
        (Case(environment: ["AUTHCTL_BACKEND": "local"]), Connection(backend: "local")),
        (
            Case(options: .init(backend: "kii")), Connection(backend: "kii", server: "https://a.example", appID: "x")
        ),
    ])
    func `bind to the profile's server only a backend that has one`(given: Case, connection: Connection) throws {
        #expect(try given.settings().connection == connection)
    }

    @Test(arguments: [
        (
            Case(options: .init(profile: "nope")), AuthError.Reason.unknownProfile,
            "there is no profile 'nope' (from --profile)"
        ),
        (
            Case(environment: ["AUTHCTL_PROFILE": "nope"]), .unknownProfile,
            "there is no profile 'nope' (from AUTHCTL_PROFILE)"
        ),
        (
            Case(configuration: Configuration(current: "gone")), .unknownProfile,
            "there is no profile 'gone' (from 'authctl profile use')"
        ),
        (
            Case(options: .init(profile: "../x")), .usage,
            "'../x' (from --profile) cannot be the name of a profile"
        ),
        (
            Case(environment: ["AUTHCTL_PROFILE": "-x"]), .usage,
            "'-x' (from AUTHCTL_PROFILE) cannot be the name of a profile"
        ),
        (Case(options: .init(backend: "ftp")), .usage, "unknown backend 'ftp' (from --backend)"),
        (Case(options: .init(backend: "")), .usage, "unknown backend '' (from --backend)"),
        (Case(environment: ["AUTHCTL_BACKEND": "Local"]), .usage, "unknown backend 'Local' (from AUTHCTL_BACKEND)"),
        (
            Case(configuration: Configuration(profiles: [Profile(name: "default", settings: ["backend": "x"])])),
            .usage, "unknown backend 'x' (from profile 'default')"
        ),
        (
            Case(environment: ["AUTHCTL_SERVER": "https://b.example"], configuration: Configuration()), .usage,
            "server 'https://b.example' (from AUTHCTL_SERVER) does not go with backend 'local'"
        ),
    ])
    func `refuse what is wrong, naming where it came from`(
        given: Case, reason: AuthError.Reason, message: String
    ) throws {
        let error = try #require(throws: AuthError.self) { try given.settings() }
        #expect(error.reason == reason)
        #expect(error.message == message)
        #expect(error.hint != nil)
    }

    @Test(arguments: [
        ("ci", "see 'authctl profile list', or make it: authctl profile add ci --backend local"),
        ("x; rm -rf ~", "see 'authctl profile list'"),
    ])
    func `hint at making a profile only if it can be called so`(name: String, hint: String) {
        #expect(AuthError.unknownProfile(Setting(name, from: .builtIn)).hint == hint)
    }
}
