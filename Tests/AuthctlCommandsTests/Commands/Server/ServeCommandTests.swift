import AuthModel
import CommandTestSupport
import Foundation
import Platform
import Testing

@testable import AuthctlCommands

@Suite struct ServeCommandTests {
    static let url = "http://127.0.0.1:4711/parse"

    @Test(arguments: [
        ([], "1337 local - [] true"),
        (["--port", "0", "--app-id", "x", "--database", "a b.db"], "0 x a b.db [] true"),
        (["--port=65535"], "65535 local - [] true"),
        (
            ["--allow-origin", "http://a.example", "--allow-origin", "http://b.example"],
            #"1337 local - ["http://a.example", "http://b.example"] true"#
        ),
    ])
    func `asks for the server that the words describe`(words: [String], expected: String) {
        let world = TestContext()
        let journal = Journal()
        world.serve = { request, isReady throws(AuthError) in
            journal.add(
                "\(request.port) \(request.appID) \(request.database ?? "-") \(request.allowedOrigins) \(request.log == nil)"
            )
            try isReady(Self.url)
        }
        #expect(world.run(words: ["serve"] + words).exitCode == 0)
        #expect(journal.lines == [expected])
    }

    @Test func `tells its URL once, as soon as it is ready`() {
        let world = TestContext()
        world.serve = Self.ready
        world.run("serve", "--app-id", "my-app").expectTranscript(in: "serve")
    }

    @Test func `tells it in JSON, in one document`() {
        let world = TestContext()
        world.serve = Self.ready
        let process = ProcessInfo.processInfo.processIdentifier
        let result = world.run("serve", "--json")
        #expect(
            result.stdout
                == #"{"v":1,"kind":"serve","url":"\#(Self.url)","appId":"local","pid":\#(process)}"# + "\n")
        #expect(result.stderr == "")
    }

    @Test func `shows its requests only if asked to, a harmless line each`() {
        let world = TestContext()
        world.serve = { request, isReady throws(AuthError) in
            try isReady(Self.url)
            request.log?("POST /parse/login\u{1B} 200")
        }
        #expect(world.run("serve").stderr == "")
        #expect(world.run("serve", "-v").stderr == "authctl: POST /parse/login\\u{1b} 200\n")
    }

    @Test(
        arguments: [
            (AuthError(.usage, "cannot listen on port 1337: in use", next: "choose another"), 2),
            (AuthError(.corrupt, "'/x' is damaged"), 12), (AuthError(.internal, "no memory"), 1),
        ] as [(AuthError, Int32)])
    func `fails with nothing on standard output when there is no server`(error: AuthError, exitCode: Int32) {
        let world = TestContext()
        world.serve = { _, _ throws(AuthError) in throw error }
        for format in [[], ["--json"]] {
            let result = world.run(words: ["serve"] + format)
            #expect(result.stdout == "")
            #expect(result.stderr.contains(error.message))
            #expect(result.exitCode == exitCode)
        }
    }

    @Test func `fails after its announcement when the server does`() {
        let world = TestContext()
        world.serve = { _, isReady throws(AuthError) in
            try isReady(Self.url)
            throw AuthError(.internal, "the server stopped")
        }
        let result = world.run("serve", "--json")
        #expect(result.stdout.hasPrefix(#"{"v":1,"kind":"serve","#))
        #expect(result.stderr.contains(#""message":"the server stopped""#))
        #expect(result.exitCode == 1)
    }

    @Test func `serves nobody when its announcement cannot be written`() {
        let world = TestContext()
        world.outputFailure = Errno(28)
        world.serve = Self.readyAndRunning
        let result = world.run("serve")
        #expect(result.stderr.hasPrefix("authctl: error: cannot write to standard output: no space left on device\n"))
        #expect(result.exitCode == 12)
    }

    @Test func `ends without a word when nobody reads its announcement`() {
        let world = TestContext()
        world.outputFailure = .brokenPipe
        world.serve = Self.readyAndRunning
        for result in [world.run("serve"), world.run("serve", "--json")] {
            #expect(result.stdout == "" && result.stderr == "")
            #expect(result.ending == .brokenPipe)
        }
    }

    @Test func `refuses an application id that no header can hold`() {
        let result = TestContext().run("serve", "--app-id", "my\u{1B}app")
        #expect(result.stderr.hasPrefix("authctl: error: 'my\\u{1b}app' (from --app-id) cannot be an application id\n"))
        #expect(result.exitCode == 2)
    }

    @Test(arguments: ["-1", "65536", "http", ""])
    func `refuses what is no port`(port: String) {
        let result = TestContext().run("serve", "--port=\(port)")
        #expect(result.stderr.contains("'\(port)' is not a port"))
        #expect(result.exitCode == 2)
    }

    // MARK: - Facebook

    private let world = TestContext()

    /// What a server is asked for: app ids, secret, URL of the Graph, seconds.
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

    @Test func `takes nobody from Facebook unless an app is named`() {
        #expect(facebook() == "none")
        world.environment = ["AUTHCTL_FACEBOOK_APP_ID": "", "AUTHCTL_FACEBOOK_GRAPH_URL": "no URL"]
        #expect(facebook() == "none")
    }

    @Test func `takes tokens of the apps that are named`() {
        world.files = ["/run/secret": "fb-secret\n"]
        #expect(facebook("--facebook-app-id", "1234") == #"["1234"] - https://graph.facebook.com 10"#)
        #expect(
            facebook("--facebook-app-id", "12", "--facebook-app-id=a.b", "--facebook-app-secret-file", "/run/secret")
                == #"["12", "a.b"] fb-secret https://graph.facebook.com 10"#)
        #expect(
            facebook("--facebook-app-id", "12", "--facebook-app-secret-file", "-", stdin: "other\r\n")
                == #"["12"] other https://graph.facebook.com 10"#)
        world.environment = [
            "AUTHCTL_FACEBOOK_APP_ID": "77", "AUTHCTL_FACEBOOK_GRAPH_URL": "HTTP://LocalHost:4000/v1/",
            "AUTHCTL_TIMEOUT": "5",
        ]
        #expect(facebook() == #"["77"] - http://localhost:4000/v1 5"#)
        #expect(facebook("--facebook-app-id", "1", "--timeout=60") == #"["1"] - http://localhost:4000/v1 10"#)
    }

    @Test(arguments: ["", "1 2", "12,34", "a\u{1B}b", "é"])
    func `refuses what can be no Facebook app, whoever names it`(id: String) {
        let error = "authctl: error: '\(id.replacing("\u{1B}", with: "\\u{1b}"))' (from"
        #expect(facebook("--facebook-app-id", "12", "--facebook-app-id", id).hasPrefix("\(error) --facebook-app-id) "))
        world.environment = ["AUTHCTL_FACEBOOK_APP_ID": id]
        let named = facebook()
        #expect(id.isEmpty ? named == "none" : named.hasPrefix("\(error) AUTHCTL_FACEBOOK_APP_ID) "), "\(named)")
    }

    @Test func `a secret without an app is a mistake`() {
        world.files = ["/run/secret": "fb-secret\n"]
        let result = world.run("serve", "--facebook-app-secret-file", "/run/secret")
        #expect(
            result.stderr.hasPrefix("authctl: error: '--facebook-app-secret-file' goes with the id of a Facebook app"))
        #expect(result.exitCode == 2)
    }

    @Test(arguments: ["", "\n", "two words\n", "é"])
    func `refuses what is no secret`(content: String) {
        world.files = ["/run/secret": content]
        let result = world.run(
            "serve", "--facebook-app-id", "12", "--facebook-app-secret-file", "/run/secret")
        #expect(result.stderr.hasPrefix("authctl: error: the Facebook app secret from file '/run/secret' "))
        #expect(result.exitCode == 2)
    }

    @Test(arguments: [
        ("http://graph.example", "plain-http"), ("graph.facebook.com", "usage"), ("https://a@b.example", "usage"),
        ("https://graph.facebook.com?x=y", "usage"), ("ftp://localhost", "usage"),
    ])
    func `refuses a URL to which no token should go`(url: String, reason: String) {
        world.environment = ["AUTHCTL_FACEBOOK_GRAPH_URL": url]
        let result = world.run("serve", "--facebook-app-id", "12", "--json")
        #expect(result.stderr.contains("AUTHCTL_FACEBOOK_GRAPH_URL"))
        #expect(result.stderr.contains(#""reason":"\#(reason)""#))
        #expect(result.exitCode == 2)
    }

    private static let ready: TestContext.Serve = { _, isReady throws(AuthError) in try isReady(url) }

    private static let readyAndRunning: TestContext.Serve = { _, isReady throws(AuthError) in
        try isReady(url)
        Issue.record("it goes on without having told its URL")
    }
}
