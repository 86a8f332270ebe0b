import CommandTestSupport
import Foundation
import Platform

@testable import AuthctlCommands

@Suite struct ServeCommandTests {
    private let world = TestContext()

    static let url = "http://127.0.0.1:4711/parse"
    static let urls = ServerURLs(parse: url, controls: nil)

    @Test(arguments: [
        ([], "1337 local local [] 256 true false"),
        (["--port", "0", "--app-id", "x", "--database", "a b.db"], #"0 x a b.db [] 256 true false"#),
        (["--port=65535", "--ephemeral", "--max-connections", "8"], "65535 local memory [] 8 true false"),
        (
            ["--allow-origin", "http://a.example", "--allow-origin", "capacitor://localhost"],
            #"1337 local local ["http://a.example", "capacitor://localhost"] 256 true false"#
        ),
    ])
    func `serve passes the values of its options to the server`(words: [String], expected: String) {
        let journal = Journal()
        world.serve = { request, isReady throws(AuthError) in
            let options = request.options
            journal.add(
                "\(request.port) \(request.appID) "
                    + "\(options.isEphemeral ? "memory" : options.database ?? "local") "
                    + "\(options.allowedOrigins) \(options.mostConnections) \(request.log == nil) "
                    + "\(options.hasTestControls || options.hasTestIdentities)"
            )
            try isReady(Self.urls)
        }
        expect(world.run(words: ["serve"] + words).exitCode, 0)
        expect(journal.lines, [expected])
    }

    @Test(arguments: [
        ([], "127.0.0.1 []"), (["--listen", "::1"], "::1 []"), (["--listen=127.0.0.2"], "127.0.0.2 []"),
        (
            [
                "--allow-host", "10.0.2.2", "--allow-host=Accounts", "--allow-host", "db:8080", "--allow-host",
                "fe80::1",
            ],
            #"127.0.0.1 ["10.0.2.2", "accounts", "db:8080", "[fe80::1]"]"#
        ),
    ])
    func `serve applies the address of --listen and the hosts of --allow-host`(words: [String], expected: String) {
        let journal = Journal()
        world.serve = { request, isReady throws(AuthError) in
            journal.add("\(request.options.address.text) \(request.options.allowedHosts)")
            try isReady(Self.urls)
        }
        let result = world.run(words: ["serve"] + words)
        #expect(result.exitCode == 0 && result.stderr == "")
        expect(journal.lines, [expected])
    }

    @Test func `serve on a non-loopback address requires a client key and prints a warning`() {
        world.run("serve", "--listen", "0.0.0.0").expectTranscript(in: "serve", "without a key")
        world.files = ["/run/key": "rest-key\n"]
        world.serve = Self.ready
        let result = world.run("serve", "--listen", "0.0.0.0", "--client-key-file", "/run/key")
        result.expectTranscript(in: "serve", "with a key")
        let named = world.run(
            "serve", "--listen", "0.0.0.0", "--allow-host", "db", "--client-key-file", "/run/key")
        #expect(named.stderr.contains("warning:") && !named.stderr.contains("hint:"))
        expect(world.run("serve", "--listen", "::").exitCode, 2)
    }

    @Test func `the error about an invalid serve option names the reason`() {
        world.files = ["/run/key": "rest-key\n"]
        let lines = [
            ["--listen=localhost"], ["--allow-host=http://a.test"], ["--max-connections=0"], ["--port=65536"],
            ["--app-id", "my\u{1B}app"], ["--facebook-app-id", "12", "--facebook-app-id", ""],
            ["--test-controls", "--ephemeral", "--listen", "0.0.0.0"],
            ["--test-identities", "--ephemeral", "--listen", "0.0.0.0", "--client-key-file", "/run/key"],
            ["--test-identities", "--ephemeral", "--listen", "::", "--", "true"],
            ["--require-verified-email", "--ephemeral"],
        ]
        world.expectErrors(in: "serve", of: lines.map { ["serve"] + $0 })
    }

    @Test(arguments: [
        ("--listen", ["127.1", "eth0", "", "[::1]"]),
        ("--allow-host", ["", "a b", "a/b", "user@a.test", "a.test:0", "*", "é", "a\u{1B}b", "a:b:c"]),
        ("--max-connections", ["-1", "65536", "many", ""]), ("--port", ["-1", "http", ""]),
    ])
    func `serve rejects invalid values of --listen, --allow-host, --max-connections and --port`(
        option: String, values: [String]
    ) {
        for value in values {
            let result = TestContext().run("serve", "\(option)=\(value)")
            #expect(result.exitCode == 2 && !result.stderr.contains("\u{1B}"), "\(option)=\(value)")
        }
    }

    @Test(arguments: [
        "*", "null", "", "localhost:3000", "http://localhost:3000/", "HTTP://LOCALHOST:3000", "http://", "http://a b",
        "a_b://localhost", "app:/localhost", "app://localhost/", "://localhost",
    ])
    func `serve rejects an invalid --allow-origin`(origin: String) {
        let result = TestContext().run("serve", "--allow-origin=\(origin)")
        #expect(result.exitCode == 2 && result.stderr.contains("'\(origin)' is not an origin"))
    }

    @Test func `serve prints its URL once, when it is ready for requests`() {
        world.serve = Self.ready
        world.run("serve", "--app-id", "my-app").expectTranscript(in: "serve")
    }

    @Test func `serve --json prints one JSON document with its URL and process id`() {
        world.serve = Self.ready
        let process = ProcessInfo.processInfo.processIdentifier
        let result = world.run("serve", "--json")
        expect(
            result.stdout,
            #"{"v":1,"kind":"serve","url":"\#(Self.url)","appId":"local","pid":\#(process),"#
                + #""controlUrl":null,"throttle":true}"#
                + "\n")
        expect(result.stderr, "")
    }

    @Test func `serve --no-throttle reports that logins, signups and e-mails are not throttled`() {
        let journal = Journal()
        world.serve = { request, isReady throws(AuthError) in
            journal.add("\(request.options.isThrottled)")
            try isReady(Self.urls)
        }
        #expect(
            world.run("serve", "--no-throttle").stdout.contains("no limits for logins, signups and e-mails"))
        #expect(world.run("serve", "--no-throttle", "--json").stdout.contains(#""throttle":false"#))
        #expect(!world.run("serve").stdout.contains("limits"))
        expect(journal.lines, ["false", "false", "true"])
    }

    // MARK: - Test controls

    private static let controlURLs = ServerURLs(parse: url, controls: Secret("http://127.0.0.1:4711/5ec2e7"))

    @Test(arguments: [["--ephemeral"], ["--database", "test.db"]])
    func `serve prints the URL of the test controls`(words: [String]) throws {
        world.serve = { request, isReady throws(AuthError) in
            #expect(request.options.hasTestControls)
            try isReady(Self.controlURLs)
        }
        let result = world.run(words: ["serve", "--test-controls"] + words)
        if words == ["--ephemeral"] { result.expectTranscript(in: "serve") }
        expect(result.exitCode, 0)
        #expect(result.stdout.hasSuffix("\ntest controls at http://127.0.0.1:4711/5ec2e7\n"))
        let json = world.run(words: ["serve", "--test-controls", "--json"] + words).stdout
        #expect(json.contains(#","controlUrl":"http://127.0.0.1:4711/5ec2e7","throttle":true}"#))
    }

    // MARK: - Test identities

    @Test(arguments: [[], ["--listen", "::1"], ["--", "true"]])
    func `serve --test-identities reports that the signatures of identity tokens are not verified`(words: [String]) {
        world.serve = { request, isReady throws(AuthError) in
            #expect(request.options.hasTestIdentities && request.options.isEphemeral)
            try isReady(Self.urls)
        }
        world.serveWhile = { request, isReady throws(AuthError) in
            #expect(request.options.hasTestIdentities && request.options.isEphemeral)
            _ = try isReady(RunningServer(urls: Self.urls, mailFolder: "/m", configurationFolder: "/c"))
            return .exited(0)
        }
        let result = world.run(words: ["serve", "--ephemeral", "--test-identities"] + words)
        if words.isEmpty { result.expectTranscript(in: "serve") }
        expect(result.exitCode, 0)
        #expect((result.stdout + result.stderr).contains("; test identities: no signature is verified; "))
    }

    @Test func `serve --verbose logs each request on one line with control characters escaped`() {
        world.serve = { request, isReady throws(AuthError) in
            try isReady(Self.urls)
            request.log?("POST /parse/login\u{1B} 200")
        }
        expect(world.run("serve").stderr, "")
        expect(world.run("serve", "-v").stderr, "authctl: POST /parse/login\\u{1b} 200\n")
    }

    @Test(
        arguments: [
            (AuthError(.usage, "cannot listen on port 1337: in use", next: "choose another"), 2),
            (AuthError(.corrupt, "'/x' is damaged"), 12), (AuthError(.internal, "no memory"), 1),
        ] as [(AuthError, Int32)])
    func `serve prints nothing on standard output if the server does not start`(error: AuthError, exitCode: Int32) {
        world.serve = { _, _ throws(AuthError) in throw error }
        for format in [[], ["--json"]] {
            let result = world.run(words: ["serve"] + format)
            expect(result.stdout, "")
            #expect(result.stderr.contains(error.message))
            expect(result.exitCode, exitCode)
        }
    }

    @Test func `serve fails if the server stops after the URL was printed`() {
        world.serve = { _, isReady throws(AuthError) in
            try isReady(Self.urls)
            throw AuthError(.internal, "the server stopped")
        }
        let result = world.run("serve", "--json")
        #expect(result.stdout.hasPrefix(#"{"v":1,"kind":"serve","#))
        #expect(result.stderr.contains(#""message":"the server stopped""#))
        expect(result.exitCode, 1)
    }

    @Test func `serve stops if it cannot print its URL`() {
        world.outputFailure = Errno(28)
        world.serve = Self.readyAndRunning
        world.run("serve").expectTranscript(in: "serve")
    }

    @Test func `serve ends silently on a broken pipe`() {
        world.outputFailure = .brokenPipe
        world.serve = Self.readyAndRunning
        for result in [world.run("serve"), world.run("serve", "--json")] {
            #expect(result.stdout == "" && result.stderr == "")
            expect(result.ending, .brokenPipe)
        }
    }

    // MARK: - Facebook

    /// Returns the Facebook settings with which `serve` starts the server: app ids, secret, Graph URL and timeout in
    /// seconds, or `none`. Returns the error output if no server starts.
    private func facebook(_ words: String..., stdin: String? = nil) -> String {
        let journal = Journal()
        world.serve = { request, _ throws(AuthError) in
            let facebook = request.facebook
            journal.add(
                facebook.map {
                    "\($0.appIDs) \($0.appSecret?.reveal() ?? "-") \($0.graphURL) \($0.timeLimit.components.seconds)"
                } ?? "none")
        }
        let result = world.run(words: ["serve"] + words, stdin: stdin)
        return journal.lines.first ?? result.stderr
    }

    @Test func `serve accepts no Facebook tokens without a Facebook app id`() {
        expect(facebook(), "none")
        world.environment = ["AUTHCTL_FACEBOOK_APP_ID": "", "AUTHCTL_FACEBOOK_GRAPH_URL": "no URL"]
        expect(facebook(), "none")
    }

    @Test func `serve reads the Facebook app ids, app secret and Graph URL from options and environment variables`() {
        world.files = ["/run/secret": "fb-secret\n"]
        expect(facebook("--facebook-app-id", "1234"), #"["1234"] - https://graph.facebook.com 10"#)
        expect(
            facebook("--facebook-app-id", "12", "--facebook-app-id=a.b", "--facebook-app-secret-file", "/run/secret"),
            #"["12", "a.b"] fb-secret https://graph.facebook.com 10"#)
        expect(
            facebook("--facebook-app-id", "12", "--facebook-app-secret-file", "-", stdin: "other\r\n"),
            #"["12"] other https://graph.facebook.com 10"#)
        world.environment = [
            "AUTHCTL_FACEBOOK_APP_ID": "77", "AUTHCTL_FACEBOOK_GRAPH_URL": "HTTP://LocalHost:4000/v1/",
            "AUTHCTL_TIMEOUT": "5",
        ]
        expect(facebook(), #"["77"] - http://localhost:4000/v1 5"#)
        expect(facebook("--facebook-app-id", "1", "--timeout=60"), #"["1"] - http://localhost:4000/v1 10"#)
    }

    @Test(arguments: ["1 2", "12,34", "a\u{1B}b", "é"])
    func `the error about an invalid Facebook app id names the option or variable that sets the id`(id: String) {
        let option = world.run("serve", "--facebook-app-id", "12", "--facebook-app-id", id)
        world.environment = ["AUTHCTL_FACEBOOK_APP_ID": id]
        let variable = world.run("serve")
        #expect(option.stderr.contains("(from --facebook-app-id)"))
        for result in [option, variable] { #expect(result.exitCode == 2 && !result.stderr.contains("\u{1B}")) }
        if id == "1 2" { variable.expectErrors(in: "serve", id) }
    }

    @Test func `serve rejects a malformed Facebook app secret`() {
        world.files = ["/run/secret": "two words\n"]
        world.expectErrors(
            in: "serve", of: [["serve", "--facebook-app-id", "12", "--facebook-app-secret-file", "/run/secret"]])
    }

    @Test(arguments: [
        ("http://graph.example", "plain-http"), ("graph.facebook.com", "usage"),
    ])
    func `serve rejects an unencrypted or malformed Graph URL`(url: String, reason: String) {
        world.environment = ["AUTHCTL_FACEBOOK_GRAPH_URL": url]
        world.run("serve", "--facebook-app-id", "12").expectErrors(in: "serve", url)
        let result = world.run("serve", "--facebook-app-id", "12", "--json")
        #expect(result.stderr.contains("AUTHCTL_FACEBOOK_GRAPH_URL"))
        #expect(result.stderr.contains(#""reason":"\#(reason)""#))
        expect(result.exitCode, 2)
    }

    private static let ready: TestContext.Serve = { _, isReady throws(AuthError) in try isReady(urls) }

    private static let readyAndRunning: TestContext.Serve = { _, isReady throws(AuthError) in
        try isReady(urls)
        Issue.record("the server runs although its URL was not written")
    }
}
