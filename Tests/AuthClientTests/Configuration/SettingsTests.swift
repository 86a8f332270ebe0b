import CommandTestSupport
import Platform

@testable import AuthClient

@Suite struct SettingsTests {
    static let backends = BackendKinds([
        { BackendDescriptor(kind: "local", .checksNewAccounts) },
        {
            BackendDescriptor(
                kind: "parse", [.takesServer, .takesApplication, .checksNewAccounts],
                aliases: [BackendDescriptor.Alias("hosted", server: "https://hosted.example")])
        },
        { BackendDescriptor(kind: "kii", .takesServer, settings: [.collection, .authorities, .facebookClientToken]) },
        { BackendDescriptor(kind: "firebase", .takesServer, emulatorVariable: "EMULATOR") },
    ])

    static let configuration = Configuration(
        current: "work",
        profiles: [
            Profile(name: "work", settings: ["backend": "parse", "server": "https://a.example", "appId": "x"]),
            Profile(name: "ci", settings: ["backend": "local"]),
            Profile(
                name: "lan",
                settings: [
                    "backend": "parse", "server": "http://10.0.0.1:1337/parse", "appId": "y", "clientKey": "k",
                    "allowHttp": true,
                ]),
            Profile(name: "cloud", settings: ["backend": "hosted", "appId": "z"]),
            Profile(name: "bare", settings: [:]),
            Profile(name: "own", settings: ["backend": "kii", "server": "https://k.example", "collection": "staff"]),
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
    func `--profile takes precedence over AUTHCTL_PROFILE, which takes precedence over the current profile`(
        given: Case, expected: Setting<String>
    ) throws {
        try expect(given.settings().profile, expected)
    }

    @Test(arguments: [
        (Case(), nil), (Case(environment: ["AUTHCTL_AS": ""]), nil),
        (Case(environment: ["AUTHCTL_AS": "ada"]), Setting("ada", from: .environment("AUTHCTL_AS"))),
        (
            Case(environment: ["AUTHCTL_AS": "ada", "AUTHCTL_TOKEN_FILE": ""]),
            Setting("ada", from: .environment("AUTHCTL_AS"))
        ),
        (
            Case(options: .init(sessionName: "bob"), environment: ["AUTHCTL_AS": "ada"]),
            Setting("bob", from: .option("--as"))
        ),
        (Case(options: .init(sessionName: ""), environment: ["AUTHCTL_AS": "ada"]), nil),
        (Case(options: .init(sessionName: ""), environment: ["AUTHCTL_AS": "ada", "AUTHCTL_TOKEN": "t"]), nil),
        (
            Case(options: .init(sessionName: "bob"), environment: ["AUTHCTL_AS": "a b", "AUTHCTL_TOKEN": "t"]),
            Setting("bob", from: .option("--as"))
        ),
    ])
    func `--as takes precedence over AUTHCTL_AS for the session name`(given: Case, expected: Setting<String>?) throws {
        try expect(given.settings().sessionName, expected)
    }

    @Test func `an invalid session name is rejected, and so is AUTHCTL_AS together with AUTHCTL_TOKEN`() throws {
        try expectErrors(of: [
            Case(options: .init(sessionName: "a b")), Case(environment: ["AUTHCTL_AS": "-ada"]),
            Case(environment: ["AUTHCTL_AS": "ada", "AUTHCTL_TOKEN": "t"]),
            Case(environment: ["AUTHCTL_AS": "ada", "AUTHCTL_TOKEN_FILE": "/t"]),
        ])
    }

    @Test(arguments: [
        (Case(configuration: Configuration()), "local", Origin.builtIn),
        (Case(options: .init(profile: "bare")), "local", .builtIn),
        (Case(), "parse", .profile("work")),
        (
            Case(environment: ["AUTHCTL_BACKEND": "kii", "AUTHCTL_SERVER": "https://k.example"]), "kii",
            .environment("AUTHCTL_BACKEND")
        ),
        (Case(environment: ["AUTHCTL_BACKEND": ""]), "parse", .profile("work")),
        (
            Case(options: .init(backend: "local"), environment: ["AUTHCTL_BACKEND": "kii"]), "local",
            .option("--backend")
        ),
    ])
    func `--backend takes precedence over AUTHCTL_BACKEND, which takes precedence over the profile`(
        given: Case, kind: String, origin: Origin
    ) throws {
        let backend = try given.settings().backend
        expect(backend.value.kind, kind)
        expect(backend.origin, origin)
    }

    @Test func `a profile sets the backend, the server and the application id`() throws {
        try expect(
            Case().settings().connection, Connection(backend: "parse", server: "https://a.example", appID: "x"))
    }

    @Test(arguments: [
        (Case(options: .init(backend: "local")), Connection(backend: "local")),
        (Case(environment: ["AUTHCTL_BACKEND": "local"]), Connection(backend: "local")),
        (Case(options: .init(profile: "cloud")), .parse("https://hosted.example", "z")),
        (
            Case(options: .init(profile: "lan", backend: "hosted", allowsHTTP: true)),
            .parse("https://hosted.example", "y")
        ),
        (
            Case(options: .init(server: "HTTPS://B.example:443/x//", appID: "b"), environment: Self.elsewhere),
            .parse("https://b.example/x", "b")
        ),
        (Case(environment: Self.elsewhere), .parse("https://c.example", "c")),
        (Case(options: .init(backend: "parse")), .parse("https://a.example", "x")),
    ])
    func `--server and --app-id override AUTHCTL_SERVER and AUTHCTL_APP_ID, which override the profile`(
        given: Case, connection: Connection
    )
        throws
    {
        try expect(given.settings().connection, connection)
    }

    static let elsewhere = ["AUTHCTL_SERVER": "https://c.example", "AUTHCTL_APP_ID": "c"]

    @Test(arguments: [
        (Case(options: .init(profile: "lan")), Setting(ClientKey.text(Secret("k")), from: .profile("lan"))),
        (
            Case(options: .init(profile: "lan", clientKeyFile: "f"), environment: ["AUTHCTL_CLIENT_KEY": "e"]),
            Setting(.file("f"), from: .option("--client-key-file"))
        ),
        (
            Case(options: .init(profile: "lan"), environment: ["AUTHCTL_CLIENT_KEY": "e"]),
            Setting(.text(Secret("e")), from: .environment("AUTHCTL_CLIENT_KEY"))
        ),
        (
            Case(environment: ["AUTHCTL_CLIENT_KEY_FILE": "g"]),
            Setting(.file("g"), from: .environment("AUTHCTL_CLIENT_KEY_FILE"))
        ),
        (Case(options: .init(profile: "lan", server: "https://b.example")), nil),
        (Case(options: .init(profile: "ci", clientKeyFile: "f")), nil),
    ])
    func `a profile's client key applies only to the profile's server; an option or variable overrides the key`(
        given: Case, key: Setting<ClientKey>?
    ) throws {
        try expect(given.settings().clientKey, key)
    }

    @Test(arguments: [
        (Case(options: .init(profile: "lan")), true),
        (Case(options: .init(profile: "lan", server: "http://b.example", allowsHTTP: true)), true),
        (Case(options: .init(server: "http://b.example"), environment: ["AUTHCTL_ALLOW_HTTP": "1"]), true),
        (Case(options: .init(server: "http://127.0.0.1:1337/parse")), false),
        (Case(options: .init(allowsHTTP: true)), false),
    ])
    func `an unencrypted connection to a non-loopback host is marked as exposed`(given: Case, isExposed: Bool) throws {
        try expect(given.settings().isExposed, isExposed)
    }

    @Test func `plain HTTP to a non-loopback host is rejected unless it is allowed for that host`() throws {
        try expectErrors(of: [
            Case(options: .init(server: "http://b.example")),
            Case(options: .init(profile: "lan", server: "http://b.example")),
            Case(environment: ["AUTHCTL_SERVER": "http://b.example", "AUTHCTL_ALLOW_HTTP": "0"]),
        ])
    }

    @Test func `the error about an invalid setting names the option, variable or profile it comes from`() throws {
        try expectErrors(of: [
            Case(options: .init(profile: "nope")), Case(configuration: Configuration(current: "gone")),
            Case(options: .init(profile: "../x")), Case(options: .init(backend: "ftp")),
            Case(environment: ["AUTHCTL_BACKEND": "Local"]),
            Case(configuration: Configuration(profiles: [Profile(name: "default", settings: ["backend": "x"])])),
            Case(environment: ["AUTHCTL_SERVER": "https://b.example"], configuration: Configuration()),
            Case(options: .init(profile: "ci", server: "https://a:b@c.example")),
            Case(options: .init(profile: "ci", backend: "parse")), Case(options: .init(backend: "kii")),
            Case(options: .init(profile: "ci", backend: "hosted")), Case(environment: ["AUTHCTL_SERVER": "b.example"]),
            Case(options: .init(appID: "a\r\nX-Evil: 1")),
            Case(options: .init(backend: "firebase"), environment: ["EMULATOR": "http://127.0.0.1:9099"]),
        ])
    }

    /// Compares the errors, one per line, with the running test's section of `Tests/Messages/use-cases/settings.txt`.
    private func expectErrors(of cases: [Case]) throws {
        let lines = try cases.map { given in
            try failure { try given.settings() }.snapshotLine.visible.dropFirst().dropLast()
        }
        MessageFile("use-cases/settings").expect(lines.joined(separator: "\n"))
    }

    @Test(arguments: [("ci", true), ("x; rm -rf ~", false)])
    func `the error about an unknown profile suggests adding the profile only if the name is valid`(
        name: String, isValid: Bool
    ) {
        let error = AuthError.unknownProfile(Setting(name, from: .builtIn))
        expect(error.hints.contains { $0.contains("authctl profile add \(name)") }, isValid)
        expect(error.hints.count, (isValid ? 2 : 1))
    }

    @Test func `the settings record which profile or variable the server URL comes from`() throws {
        try expect(Case().settings().serverOrigin, .profile("work"))
        let named = Case(environment: ["AUTHCTL_SERVER": "https://b.example"])
        try expect(named.settings().serverOrigin, .environment("AUTHCTL_SERVER"))
    }

    // MARK: - AUTHCTL_SETTINGS

    private static func handed(_ more: String, server: String = "https://k.example", profile: String? = nil) -> Case {
        Case(
            options: .init(profile: profile, backend: "kii", server: "https://K.example/"),
            environment: ["AUTHCTL_SETTINGS": #"{"backend":"kii","server":"\#(server)"\#(more)}"#])
    }

    @Test(
        arguments: [
            (handed(""), [:], false), (handed(#","collection":"members""#), ["collection": "members"], false),
            (handed(#","collection":null,"caCert":"/ca.pem""#), ["caCert": "/ca.pem"], false),
            (handed(#","collection":"members""#, server: "https://other.example"), [:], true),
            // An option that selects a profile selects its settings, too.
            (handed(#","collection":"members""#, profile: "own"), ["collection": "staff"], true),
            (handed(#","collection":"staff""#, profile: "own"), ["collection": "staff"], false),
            // Settings of another kind of backend are not checked.
            (
                Case(environment: ["AUTHCTL_SETTINGS": #"{"backend":"kii","server":"https://a.example","x":1}"#]), [:],
                true
            ),
            (Case(options: .init(profile: "ci")), [:], false),
        ] as [(Case, [String: String], Bool)])
    func `AUTHCTL_SETTINGS replaces the profile's settings if it names the connection in use, and is ignored otherwise`(
        given: Case, expected: [String: String], isIgnored: Bool
    ) throws {
        let settings = try given.settings()
        expect(settings.serverSettings, expected)
        expect(settings.ignoresHandedSettings, isIgnored)
    }

    @Test(arguments: [
        "{", "[]", "{}", #"{"backend":"kii","server":"https://k.example","colection":"a"}"#,
        #"{"backend":"kii","server":"https://k.example","collection":7}"#,
        #"{"backend":"kii","server":"https://k.example","caCert":"ca.pem"}"#,
    ])
    func `AUTHCTL_SETTINGS that is not valid for the connection in use is a usage error`(text: String) throws {
        var given = Self.handed("")
        given.environment = ["AUTHCTL_SETTINGS": text]
        let error = try failure { _ = try given.settings() }
        #expect(error.reason == .usage && error.message.contains("AUTHCTL_SETTINGS"), "\(error.message)")
    }

    @Test func `the settings in force are handed down without secrets`() throws {
        var settings = try Self.handed(#","collection":"members""#).settings()
        settings.serverSettings[BackendSetting.facebookClientToken.key] = "s3cret"
        expect(
            HandedSettings.text(settings, ["caCert": "/ca.pem"]),
            #"{"backend":"kii","server":"https://k.example","caCert":"/ca.pem","collection":"members"}"#)
    }
}

extension Connection {
    fileprivate static func parse(_ server: String, _ appID: String) -> Connection {
        Connection(backend: "parse", server: server, appID: appID)
    }
}
