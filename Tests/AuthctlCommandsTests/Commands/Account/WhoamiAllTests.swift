import AuthClient
import CommandTestSupport

@testable import AuthctlCommands

@Suite struct WhoamiAllTests {
    private let world = TestContext()

    init() {
        world.sessions.put(.ada)
        world.sessions.put(.sample(as: "bob", session: .sample("r:b", expiresAt: nil), user: User(username: "bob")))
        world.sessions.put(
            .sample(
                profile: "live", connection: Connection(backend: "allauth", server: "https://a.example"),
                session: .sample("s", expiresAt: .sampleStart)))
    }

    @Test(arguments: [[], ["--json"], ["--as", "bob"]])
    func `whoami --all lists the sessions of all profiles without a request`(words: [String]) {
        world.run(words: ["whoami", "--all"] + words).expectTranscript(in: "whoami-all", words.commandLine)
    }

    @Test(arguments: [[], ["--json"]])
    func `whoami --all without a saved session fails with exit code 3`(words: [String]) {
        TestContext().run(words: ["whoami", "--all"] + words).expectTranscript(in: "whoami-all", words.formatName)
    }

    @Test(arguments: [["whoami", "--check"], ["whoami", "--all", "--offline"]])
    func `whoami --check requires --all, which excludes --offline`(words: [String]) {
        expect(world.run(words: words).exitCode, 2)
    }

    @Test func `whoami --all --check names the first session that is not valid, with the hint for its profile`() {
        let world = TestContext()
        world.hostileNetwork = Rejecting()
        world.environment = ["AUTHCTL_TOKEN": "r:of-another-session"]
        for session in ["live", "old"] {
            let connection = Connection(backend: "parse", server: "https://p.example/\(session)", appID: "x")
            world.sessions.put(.sample(profile: "default", as: session, connection: connection))
        }
        let result = world.run("whoami", "--all", "--check", "--json")
        #expect(result.stdout.contains(#""state":"rejected","current":false"#), "\(result.stdout)")
        #expect(result.stdout.contains("authctl login -p default --as live --backend parse"), "\(result.stdout)")
        expect(result.exitCode, 4)
    }
}

/// A Parse server that knows no session.
private struct Rejecting: HTTPTransport {
    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        HTTPResponse(
            status: 400, headers: ["Content-Type": "application/json"],
            body: Array(#"{"code":209,"error":"Invalid session token"}"#.utf8))
    }
}
