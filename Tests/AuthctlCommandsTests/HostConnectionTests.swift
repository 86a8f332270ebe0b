import AuthClient
import CommandTestSupport
import Platform

@testable import AuthctlCommands
@testable import Transport

/// Commands that connect to a Parse Server.
@Suite struct HostConnectionTests {
    let world = TestContext()

    static let place = ["--backend", "parse", "--server", "https://a.example/parse", "--app-id", "shop"]
    static let connection = Connection(backend: "parse", server: "https://a.example/parse", appID: "shop")

    @Test func `a login saves the backend, server and application id with the session`() {
        world.network.expect(Self.logIn())
        let result = world.run(words: ["login", "ada", "--password-stdin"] + Self.place, stdin: "correct horse")
        result.expectTranscript(in: "login")
        expect(world.sessions["default"]?.connection, Self.connection)
        expect(world.sessions["default"]?.session, Session(token: Secret(Exchange.adaToken)))
    }

    @Test func `a token from the environment is not used with the profile of another server`() {
        let shop: JSONObject = ["backend": "parse", "server": "https://a.example/parse", "appId": "shop"]
        world.configuration.put([
            Profile(name: "live", settings: ["backend": "parse", "server": "https://b.example", "appId": "x"]),
            Profile(name: "shop", settings: shop),
        ])
        world.environment = [
            "AUTHCTL_TOKEN": Exchange.adaToken, "AUTHCTL_BACKEND": "parse",
            "AUTHCTL_SERVER": "https://a.example/parse", "AUTHCTL_APP_ID": "shop",
        ]
        world.run("token", "-p", "live").expectErrors(in: "token", "another server")
        expect(world.run("token", "-p", "shop").exitCode, 0)
    }

    @Test(arguments: [["--ca-cert", "/ca file.pem"], []])
    func `--ca-cert and AUTHCTL_CA_CERT are rejected on macOS, where libcurl always trusts the keychain`(
        words: [String]
    ) {
        let world = TestContext()
        world.alwaysTrustsSystem = true
        if words.isEmpty { world.environment = ["AUTHCTL_CA_CERT": "/ca.pem"] }
        let result = world.run(
            words: ["login", "ada", "--password-stdin"] + Self.place + words, stdin: "correct horse")
        result.expectTranscript(in: "login", words.commandLine)
    }

    @Test func `the client key is sent with every request`() {
        world.files["key"] = "k3y\n"
        world.sessions.put(.sample(connection: Self.connection))
        world.network.expect(
            Self.currentUser(key: "k3y"), Self.currentSession(key: "k3y"), Self.currentUser(key: "from-env"),
            Self.currentSession(key: "from-env"))
        expect(world.run(words: ["whoami", "--client-key-file", "key"] + Self.place).exitCode, 0)
        world.environment["AUTHCTL_CLIENT_KEY"] = "from-env"
        expect(world.run(words: ["whoami"] + Self.place).exitCode, 0)
    }

    @Test func `a login over plain HTTP to a non-loopback address prints a warning`() {
        let exposed = ["--server", "http://a.example/parse", "--allow-http"]
        world.network.expect(Self.logIn("http://a.example/parse"), Self.logIn("http://127.0.0.1:1337/parse"))
        world.run(words: ["login", "ada", "--password-stdin"] + Self.place + exposed, stdin: "correct horse")
            .expectTranscript(in: "login")
        let loopback = world.run(
            words: ["login", "ada", "--password-stdin", "-q"] + Self.place + [
                "--server", "http://127.0.0.1:1337/parse",
            ],
            stdin: "correct horse")
        expect(loopback.stderr, "")
    }

    @Test(
        arguments: [
            ([], [:], NetworkSettings(timeLimit: .seconds(30))),
            (
                ["--timeout", "1.5", "--connect-timeout=2", "--ca-cert", "ca.pem", "--proxy", "http://p:8080"], [:],
                NetworkSettings(
                    timeLimit: .milliseconds(1500), connectLimit: .seconds(2), authorities: "ca.pem",
                    proxy: "http://p:8080")
            ),
            (
                [],
                [
                    "AUTHCTL_TIMEOUT": "5", "AUTHCTL_CA_CERT": "env.pem", "HTTPS_PROXY": "http://u:p@q:1",
                    "NO_PROXY": ".example",
                ],
                NetworkSettings(
                    timeLimit: .seconds(5), authorities: "env.pem", proxy: "http://u:p@q:1",
                    hostsWithoutProxy: ".example")
            ),
            (
                ["--timeout", "7", "--proxy", ""],
                ["AUTHCTL_TIMEOUT": "5", "https_proxy": "http://q", "no_proxy": "*"],
                NetworkSettings(timeLimit: .seconds(7), hostsWithoutProxy: "*")
            ),
            (
                [], ["SSL_CERT_FILE": "/f", "SSL_CERT_DIR": "/d"],
                NetworkSettings(authorities: "/f", authorityFolder: "/d")
            ),
            ([], ["SSL_CERT_DIR": "/d", "AUTHCTL_CA_CERT": "c.pem"], NetworkSettings(authorities: "c.pem")),
            (
                [], ["https_proxy": "http://small", "HTTPS_PROXY": "http://large"],
                NetworkSettings(proxy: "http://small")
            ),
        ] as [([String], [String: String], NetworkSettings)])
    func `options and environment variables set the time limits, CA certificates and proxy`(
        words: [String], environment: [String: String], expected: NetworkSettings
    ) {
        world.environment = environment
        world.sessions.put(.sample(connection: Self.connection))
        world.network.expect(Self.currentUser(), Self.currentSession())
        expect(world.run(words: ["whoami"] + Self.place + words).exitCode, 0)
        expect(world.networkSettings.settings, [expected])
    }

    @Test(arguments: [
        ["--timeout", "0"], ["--timeout", "-1"], ["--timeout", "soon"], ["--timeout", "nan"], ["--timeout", "1e9"],
        ["--connect-timeout", "inf"], ["--timeout", ""],
    ])
    func `an invalid time limit in --timeout or --connect-timeout is rejected`(words: [String]) {
        let result = world.run(words: ["whoami"] + Self.place + words)
        #expect(result.stderr.contains(words[0].prefix { $0 != "=" }))
        expect(result.exitCode, 2)
    }

    @Test(arguments: ["soon", "0x10", "0x1p4", "1e1", "inf", "nan", ".", "-1", "+5", " 5", "1.2.3"])
    func `the error about an invalid AUTHCTL_TIMEOUT contains its value`(value: String) {
        world.environment["AUTHCTL_TIMEOUT"] = value
        world.sessions.put(.sample(connection: Self.connection))
        let result = world.run(words: ["whoami"] + Self.place)
        if value == "soon" { result.expectTranscript(in: "global-options") }
        #expect(result.stderr.contains("'\(value)' is not a number of seconds"))
        expect(result.exitCode, 2)
    }

    @Test func `a proxy password on the command line is rejected and not shown`() {
        world.sessions.put(.sample(connection: Self.connection))
        let result = world.run(words: ["whoami", "--proxy", "http://ada:s3cret@p:1"] + Self.place)
        MessageFile("commands/global-options").expect(result.stderr)
        expect(result.exitCode, 2)
        #expect(!result.stderr.contains("s3cret"))
        #expect(result.stderr.contains("HTTPS_PROXY"))
    }

    @Test func `logout of all profiles uses the server of each profile, not AUTHCTL_SERVER`() {
        world.configuration.put([
            Profile(name: "live", settings: ["backend": "parse", "server": "https://a.example/parse", "appId": "shop"])
        ])
        world.sessions.put(.sample(profile: "live", connection: Self.connection))
        world.environment = ["AUTHCTL_SERVER": "https://evil.example", "AUTHCTL_BACKEND": "parse"]
        world.network.expect(Self.logOut())
        expect(world.run("logout", "--all-profiles").exitCode, 0)
        expect(world.sessions["live"], nil)
    }

    @Test(arguments: [["--client-key-file", "key"], []])
    func `logout --all-profiles sends the client key of --client-key-file or AUTHCTL_CLIENT_KEY`(words: [String]) {
        world.files["key"] = "k3y\n"
        if words.isEmpty { world.environment = ["AUTHCTL_CLIENT_KEY": "k3y"] }
        world.configuration.put([
            Profile(name: "live", settings: ["backend": "parse", "server": "https://a.example/parse", "appId": "shop"])
        ])
        let other = Connection(backend: "parse", server: "https://b.example/parse", appID: "shop")
        world.sessions.put(.sample(profile: "live", connection: Self.connection))
        world.sessions.put(.sample(profile: "live", connection: other))
        world.network.expect(Self.logOut(key: "k3y"), Self.logOut("https://b.example/parse", key: "k3y"))
        expect(world.run(words: ["logout", "--all-profiles"] + words).exitCode, 0)
    }

    // MARK: - Sessions that the server extends

    private static let expired = Session.sample(Exchange.adaToken, id: "s1", expiresAt: .sampleNow)

    @Test(
        arguments: [
            (extended, 0), (currentSession(400, #"{"code":209,"error":"Session token is expired."}"#), 4),
            (currentSession(503, "{}"), 9), (currentSession(200, "<html>"), 8),
        ] as [(Exchange, Int32)])
    func `token asks the server before it reports that a Parse session has expired`(answer: Exchange, exitCode: Int32) {
        world.sessions.put(.sample(connection: Self.connection, session: Self.expired))
        // authctl retries the request twice after status 503.
        world.network.expect(answer)
        if exitCode == 9 { world.network.expect(answer, answer) }
        let result = world.run(words: ["token"] + Self.place)
        expect(result.exitCode, exitCode, "\(result.stderr)")
        expect(result.stdout.isEmpty, (exitCode != 0))
    }

    @Test func `token prints a Parse session token without a saved expiry even if the server does not report one`() {
        let session = Session(token: Secret(Exchange.adaToken))
        world.sessions.put(.sample(connection: Self.connection, session: session))
        world.network.expect(Self.currentSession(200, "<html>"))
        let result = world.run(words: ["token"] + Self.place)
        #expect(result.exitCode == 0 && result.stderr.isEmpty)
        expect(result.stdout, "\(Exchange.adaToken)\n")
    }

    @Test(arguments: [["whoami"], ["api", "/users/me"]])
    func `whoami and api save the expiry time of a Parse session that the server has extended`(words: [String]) {
        world.sessions.put(.sample(connection: Self.connection, session: Self.expired))
        var user = Self.currentUser()
        if words[0] == "api" {
            let request = user.request.split(separator: "\n")
            user = Exchange(
                (request.prefix(1) + ["Accept: */*"] + request.dropFirst()).joined(separator: "\n"), 200,
                Exchange.adaUser)
        }
        world.network.expect(user, Self.extended)
        expect(world.run(words: words + Self.place).exitCode, 0)
        expect(world.sessions["default"]?.session.expiresAt, .sampleEnd)
        expect(world.run(words: ["token"] + Self.place).exitCode, 0)
    }

    @Test func `whoami --offline reports that the server may have extended an expired Parse session`() {
        world.sessions.put(.sample(connection: Self.connection, session: Self.expired))
        world.run(words: ["whoami", "--offline"] + Self.place).expectTranscript(in: "whoami")
    }

    // MARK: - Exchanges

    private static func head(
        _ method: String, _ path: String, _ base: String = "https://a.example/parse", key: String? = nil
    ) -> [String] {
        ["\(method) \(base)/\(path)", "X-Parse-Application-Id: shop"]
            + (key.map { ["X-Parse-REST-API-Key: \($0)"] } ?? [])
    }

    private static func logIn(_ base: String = "https://a.example/parse") -> Exchange {
        let lines =
            head("POST", "login", base) + [
                "Content-Type: application/json", "X-Parse-Revocable-Session: 1", "",
                #"{"username":"ada","password":"correct horse"}"#,
            ]
        return Exchange(
            lines.joined(separator: "\n"), 200,
            #"{"sessionToken":"\#(Exchange.adaToken)",\#(Exchange.adaUser.dropFirst())"#)
    }

    @Test(arguments: [[], ["--json"]])
    func `link-facebook --status reports an unknown state if the server may not list all identities`(words: [String]) {
        world.sessions.put(.sample(connection: Self.connection))
        world.network.expect(Self.currentUser())
        let result = world.run(words: ["link-facebook", "--status"] + Self.place + words)
        result.expectTranscript(in: "link-facebook", words.formatName)
        expect(world.sessions.current?.user.providers, nil)
    }

    private static func currentUser(key: String? = nil) -> Exchange {
        let lines = head("GET", "users/me", key: key) + ["X-Parse-Session-Token: \(Exchange.adaToken)"]
        return Exchange(lines.joined(separator: "\n"), 200, Exchange.adaUser)
    }

    private static func currentSession(
        _ status: Int = 200, _ body: String = #"{"objectId":"s1"}"#, key: String? = nil
    ) -> Exchange {
        let lines = head("GET", "sessions/me", key: key) + ["X-Parse-Session-Token: \(Exchange.adaToken)"]
        return Exchange(lines.joined(separator: "\n"), status, body)
    }

    private static let extended = currentSession(
        200, #"{"objectId":"s1","expiresAt":{"__type":"Date","iso":"\#(Instant.sampleEnd.text)"}}"#)

    private static func logOut(_ base: String = "https://a.example/parse", key: String? = nil) -> Exchange {
        let lines =
            head("POST", "logout", base, key: key) + [
                "X-Parse-Session-Token: \(Exchange.adaToken)", "Content-Type: application/json", "", "{}",
            ]
        return Exchange(lines.joined(separator: "\n"), 200, "{}")
    }
}
