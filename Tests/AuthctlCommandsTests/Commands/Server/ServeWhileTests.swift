import AuthClient
import CommandTestSupport
import Foundation
import Platform
import Synchronization

@testable import AuthctlCommands

/// `serve -- COMMAND`, with a fake server.
@Suite struct ServeWhileTests {
    private static let server = RunningServer(
        urls: ServerURLs(parse: "http://127.0.0.1:4711/parse", controls: nil), mailFolder: "/tmp/x/mail",
        configurationFolder: "/tmp/x/config")
    private static let variables: [String: String?] = [
        "AUTHCTL_BACKEND": "parse", "AUTHCTL_SERVER": "http://127.0.0.1:4711/parse", "AUTHCTL_APP_ID": "local",
        "AUTHCTL_CLIENT_KEY": nil, "AUTHCTL_MAIL_DIR": "/tmp/x/mail", "AUTHCTL_CONFIG_DIR": "/tmp/x/config",
        "AUTHCTL_CLIENT_KEY_FILE": nil, "AUTHCTL_ADMIN_KEY_FILE": nil, "AUTHCTL_TOKEN": nil,
        "AUTHCTL_TOKEN_FILE": nil, "AUTHCTL_SETTINGS": nil, "AUTHCTL_AS": nil, "AUTHCTL_PROFILE": nil,
    ]

    private let world = TestContext()
    private let run = Run()

    /// The `ServeRequest` that started the fake server, and the environment variables of the command.
    private final class Run: Sendable {
        private let state = Mutex<(request: ServeRequest?, variables: [String: String?])>((nil, [:]))

        var request: ServeRequest? { state.withLock { $0.request } }
        var variables: [String: String?] { state.withLock { $0.variables } }

        func set(_ request: ServeRequest, _ variables: [String: String?]) {
            state.withLock { $0 = (request, variables) }
        }
    }

    private func serve(_ words: String..., ending: CommandEnding = .exited(0)) -> TestContext.Result {
        let run = run
        world.serveWhile = { request, isReady throws(AuthError) in
            run.set(request, try isReady(Self.server))
            return ending
        }
        return world.run(words: ["serve"] + words)
    }

    @Test func `serve -- COMMAND listens on a free port and sets the AUTHCTL_ variables for the command`() {
        let result = serve("--", "npm", "test", "--", "--port", "9")
        expect(result.exitCode, 0)
        expect(run.request?.options.command, ["npm", "test", "--", "--port", "9"])
        expect(run.request?.port, 0)
        expect(run.variables, Self.variables)
    }

    @Test func `serve -- COMMAND uses the given port and passes the client key to the command`() {
        world.files = ["/run/key": "rest-key\n"]
        _ = serve("--port", "4711", "--client-key-file", "/run/key", "--app-id", "shop", "--", "true")
        expect(run.request?.port, 4711)
        let expected: [String: String?] = ["AUTHCTL_CLIENT_KEY": "rest-key", "AUTHCTL_APP_ID": "shop"]
        expect(run.variables, Self.variables.merging(expected) { $1 })
    }

    @Test func `serve -- COMMAND on a non-loopback address sets AUTHCTL_ALLOW_HTTP for the command`() {
        world.files = ["/run/key": "rest-key\n"]
        _ = serve("--listen", "0.0.0.0", "--client-key-file", "/run/key", "--", "true")
        expect(run.variables["AUTHCTL_ALLOW_HTTP"], "1")
    }

    @Test func `serve -- COMMAND prints its URL on standard error, even with --quiet`() {
        let result = serve("--", "npm")
        result.expectTranscript(in: "serve")
        expect(serve("--quiet", "--", "npm").stderr, result.stderr)
    }

    @Test func `serve --json -- COMMAND prints its URL in a JSON document on standard error`() throws {
        let result = serve("--json", "--", "npm")
        expect(result.stdout, "")
        #expect(result.stderr.hasPrefix(#"{"v":1,"kind":"serve","url":"http://127.0.0.1:4711/parse","appId":"local","#))
        #expect(result.stderr.hasSuffix("}\n") && result.stderr.split(separator: "\n").count == 1)
    }

    @Test(arguments: [0, 1, 3, 126, 127, 137, 143, 255] as [Int32])
    func `serve -- COMMAND exits with the exit code of the command`(code: Int32) {
        expect(serve("--", "npm", ending: .exited(code)).exitCode, code)
    }

    @Test(arguments: [(ENOENT, 127), (EACCES, 126), (ENOEXEC, 126)] as [(Int32, Int32)])
    func `serve -- COMMAND exits with 126 or 127 if the command cannot be run`(failure: Int32, code: Int32) {
        let result = serve("--", "npm", ending: .notStarted(Errno(failure)))
        expect(result.exitCode, code)
        if failure == ENOENT { result.expectTranscript(in: "serve") }
    }

    @Test func `serve -- COMMAND sets the environment variables given with --set`() {
        _ = serve("--set", "URL=url", "--set=APP=app-id", "--set", "KEY=client-key", "--", "true")
        let expected: [String: String?] = ["URL": Self.server.urls.parse, "APP": "local", "KEY": nil]
        expect(run.variables, Self.variables.merging(expected) { $1 })
    }

    @Test func `serve --set NAME=control-url passes the URL of the test controls to the command`() {
        let urls = ServerURLs(parse: Self.server.urls.parse, controls: Secret("http://127.0.0.1:4711/5ec2e7"))
        world.serveWhile = { [run] request, isReady throws(AuthError) in
            let server = RunningServer(urls: urls, mailFolder: "/tmp/x/mail", configurationFolder: "/tmp/x/config")
            run.set(request, try isReady(server))
            return .exited(0)
        }
        let result = world.run("serve", "--ephemeral", "--test-controls", "--set", "CONTROLS=control-url", "--", "true")
        expect(result.exitCode, 0)
        expect(run.variables["CONTROLS"], "http://127.0.0.1:4711/5ec2e7")
        #expect(!result.stderr.contains("5ec2e7"))
    }

    @Test func `serve rejects an invalid --set or COMMAND before it starts the server`() {
        let lines = [
            ["--set", "URL=control-url", "--", "true"], ["--set", "URL=port", "--", "true"], ["true"], ["--"],
        ]
        world.expectErrors(in: "serve", of: lines.map { ["serve"] + $0 })
    }

    // MARK: - Seeds

    @Test func `serve --seed passes the accounts in the file to the server`() {
        world.files = ["users.csv": "username,password,plan\nada,correct horse,pro\nbob,correct horse,\n"]
        _ = serve("--seed", "users.csv", "--", "true")
        expect(run.request?.seed?.rows.map(\.username), ["ada", "bob"])
        expect(run.request?.seed?.rows.map(\.fields), [["plan": "pro"], [:]])
    }

    @Test func `a seed follows the rules of the server, not those of signup`() {
        world.files = ["a": #"[{"username":"x","password":"y"},{"authData":{"apple":{"id":"1"}},"objectId":"abc"}]"#]
        _ = serve("--seed", "a", "--", "true")
        expect(run.request?.seed?.rows.map(\.id), [nil, "abc"])
    }

    @Test(arguments: [
        ("username,password\nada,correct horse\n,\"a\nb\"\n", "two faults"),
        (#"{"username":"ada","password":"a\rb"}"#, "a carriage return"),
        ("username,Password\nada,correct horse\n", "a wrong name"),
        ("{\"username\":\"ada\",\"password\":\"correct horse\"}\nnot json\n", "not JSON"),
        ("username,password\nada,correct horse\n\nADA,correct horse\n", "a repeated username"),
        ("username,password\n,correct horse\nada,\nbob,c\nBOB,d\n", "three rows"),
    ])
    func `serve --seed names the invalid rows of the file and starts no server`(text: String, situation: String) {
        world.files = ["users": text]
        world.run("serve", "--seed", "users", "--", "true").expectErrors(in: "serve", situation, exitCode: 7)
    }

    @Test func `serve --seed keeps the state of local accounts, and what they lack must be dropped`() {
        world.files = ["a": #"{"username":"ada","password":"y","email":"a@b.c","emailVerified":true,"disabled":true}"#]
        let refusal = world.run("serve", "--seed", "a", "--", "true")
        #expect(refusal.exitCode == 7 && refusal.stderr.contains("the server cannot keep 'disabled'"))
        _ = serve("--seed", "a", "--drop", "disabled", "--", "true")
        let row = run.request?.seed?.rows.first
        #expect(row?.state.emailVerified == true && row?.state.disabled == nil)
    }

    @Test func `serve --seed with a missing file is a usage error`() {
        expect(world.run("serve", "--seed", "nowhere.csv", "--", "true").exitCode, 2)
    }
}
