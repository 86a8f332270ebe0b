import AuthClient
import CommandTestSupport
import Platform
import Synchronization

@testable import AuthctlCommands

@Suite struct ExecCommandTests {
    static let ada: [String: String?] = [
        "AUTHCTL_TOKEN": Exchange.adaToken, "AUTHCTL_BACKEND": "local", "AUTHCTL_SERVER": nil, "AUTHCTL_APP_ID": nil,
        "AUTHCTL_USERNAME": "ada", "AUTHCTL_TOKEN_FILE": nil, "AUTHCTL_PASSWORD": nil, "AUTHCTL_NEW_PASSWORD": nil,
        "AUTHCTL_PASSWORD_FILE": nil,
        "AUTHCTL_AS": nil, "AUTHCTL_PROFILE": nil, "AUTHCTL_AUTH_HEADER": "X-Parse-Session-Token: \(Exchange.adaToken)",
        "AUTHCTL_CLIENT_KEY": nil, "AUTHCTL_CLIENT_KEY_FILE": nil, "AUTHCTL_ADMIN_KEY_FILE": nil,
        "AUTHCTL_API_URL": nil, "AUTHCTL_CA_CERT": nil, "AUTHCTL_SETTINGS": #"{"backend":"local","server":null}"#,
    ]

    @Test(arguments: [["npm", "test", "--", "-p", "x"], ["printf", "%s", "--help"]])
    func `exec runs the command with its arguments and the session in its environment`(command: [String]) {
        let (world, run) = Self.world()
        _ = world.run(words: ["exec", "--"] + command)
        expect(run.command, command)
        expect(run.environment, Self.ada)
    }

    @Test(arguments: [
        (["--set", "API=token"], ["API": Exchange.adaToken] as [String: String?]),
        (["--set", "API=token", "--set=USER=username"], ["API": Exchange.adaToken, "USER": "ada"]),
        // Local accounts have no URL or app id. `exec` unsets URL and APP, as inherited values may name another server.
        (["--set", "URL=server", "--set", "APP=app-id"], ["URL": nil, "APP": nil]),
        (["--set", "A=token", "--set", "A=username"], ["A": "ada"]),
        (["--set", "H=header"], ["H": "X-Parse-Session-Token: \(Exchange.adaToken)"]),
    ])
    func `exec sets the environment variables given with --set`(words: [String], more: [String: String?]) {
        let (world, run) = Self.world()
        _ = world.run(words: ["exec"] + words + ["--", "true"])
        expect(run.environment, Self.ada.merging(more) { $1 })
    }

    @Test func `exec with a malformed --set runs no command`() {
        let world = TestContext()
        world.sessions.put(.ada)
        let values = ["API", "=token", "API=password", "API=a=b"]
        world.expectErrors(in: "exec", of: values.map { ["exec", "--set", $0, "--", "true"] })
    }

    @Test func `exec runs no command if the username contains a NUL character`() {
        let (world, run) = Self.world()
        world.sessions.put(.sample(user: User(id: "u1", username: "ada\0admin")))
        world.run("exec", "--", "true").expectTranscript(in: "exec")
        expect(run.command, [])
    }

    @Test func `a login inside exec does not suggest AUTHCTL_PASSWORD, which exec unsets`() {
        let world = TestContext()
        world.environment = ["AUTHCTL_AUTH_HEADER": "X-Parse-Session-Token: t"]
        world.run("login", "ada").expectTranscript(in: "exec")
    }

    @Test func `exec with AUTHCTL_TOKEN_FILE sets AUTHCTL_TOKEN to the token and unsets AUTHCTL_USERNAME`() {
        let (world, run) = Self.world(stored: .ada)
        world.environment = ["AUTHCTL_TOKEN_FILE": "/run/token", "AUTHCTL_BACKEND": "local"]
        world.files = ["/run/token": "env\n"]
        _ = world.run("exec", "--", "true")
        var expected = Self.ada
        expected["AUTHCTL_TOKEN"] = "env"
        expected["AUTHCTL_AUTH_HEADER"] = "X-Parse-Session-Token: env"
        expected["AUTHCTL_USERNAME"] = .some(nil)
        expect(run.environment, expected)
    }

    @Test func `exec passes the server, the client key, the API URL and --allow-http in environment variables`() {
        let connection = Connection(backend: "parse", server: "http://a.example/parse", appID: "shop")
        let (world, run) = Self.world(stored: .sample(connection: connection))
        world.environment = [
            "AUTHCTL_BACKEND": "parse", "AUTHCTL_SERVER": "http://a.example/parse", "AUTHCTL_APP_ID": "shop",
            "AUTHCTL_API_URL": "https://api.example/v1/",
            "AUTHCTL_SETTINGS":
                #"{"backend":"parse","server":"http://a.example/parse","linkOrigin":"https://l.example"}"#,
        ]
        world.files = ["/key": "k3y\n"]
        let options = ["--allow-http", "--client-key-file", "/key", "--ca-cert", "/ca.pem", "--set", "KEY=app-id"]
        _ = world.run(words: ["exec"] + options + ["--", "true"])
        var expected = Self.ada
        expected["AUTHCTL_BACKEND"] = "parse"
        expected["AUTHCTL_SERVER"] = "http://a.example/parse"
        expected["AUTHCTL_APP_ID"] = "shop"
        expected["AUTHCTL_CLIENT_KEY"] = "k3y"
        expected["AUTHCTL_API_URL"] = "https://api.example/v1"
        expected["AUTHCTL_ALLOW_HTTP"] = "1"
        expected["AUTHCTL_CA_CERT"] = "/ca.pem"
        expected["AUTHCTL_SETTINGS"] =
            #"{"backend":"parse","server":"http://a.example/parse","apiURL":"https://api.example/v1/","caCert":"/ca.pem","#
            + #""linkOrigin":"https://l.example"}"#
        expected["KEY"] = "shop"
        expect(run.environment, expected)
    }

    @Test(
        arguments: [
            (.noSuchFile, 127, "no such file"), (Errno(13), 126, "permission denied"),
        ] as [(Errno, Int32, String)])
    func `exec exits with 126 or 127, like a shell, if the command cannot be run`(
        failure: Errno, exitCode: Int32, situation: String
    ) {
        let (world, _) = Self.world(failure: failure)
        let text = world.run("exec", "--", "nope\u{1B}")
        text.expectErrors(in: "exec", situation, exitCode: exitCode)
        let json = world.run("exec", "--json", "--", "nope")
        expect(json.stdout, "")
        #expect(json.stderr.contains(#""code":"usage","exit":\#(exitCode),"#))
        expect(json.exitCode, exitCode)
    }

    @Test func `exec runs no command without a valid session`() {
        expect(TestContext().run("exec", "--", "true").exitCode, 3)
        let world = TestContext()
        world.sessions.put(.ada)
        world.now = .sampleEnd
        expect(world.run("exec", "--", "true").exitCode, 4)
    }

    @Test(arguments: [["exec"], ["exec", "--"], ["exec", "--set", "A=token"]])
    func `exec without a command is a usage error`(words: [String]) {
        let world = TestContext()
        world.sessions.put(.ada)
        let result = world.run(words: words)
        expect(result.stdout, "")
        expect(result.exitCode, 2)
    }

    /// The command that `exec` ran, with its environment variables.
    final class Run: Sendable {
        private let state = Mutex<([String], [String: String?])>(([], [:]))

        var command: [String] { state.withLock { $0.0 } }
        var environment: [String: String?] { state.withLock { $0.1 } }

        func record(_ command: [String], _ environment: [String: String?]) {
            state.withLock { $0 = (command, environment) }
        }
    }

    private static func world(stored: StoredSession = .ada, failure: Errno = .noSuchFile) -> (TestContext, Run) {
        let (world, run) = (TestContext(), Run())
        world.sessions.put(stored)
        world.execute = { command, environment in
            run.record(command, environment)
            return failure
        }
        return (world, run)
    }
}
