import AuthClient
import AuthModel
import CommandTestSupport
import Platform
import Synchronization
import Testing

@testable import AuthctlCommands

@Suite struct ExecCommandTests {
    static let ada: [String: String?] = [
        "AUTHCTL_TOKEN": Exchange.adaToken, "AUTHCTL_BACKEND": "local", "AUTHCTL_SERVER": nil, "AUTHCTL_APP_ID": nil,
        "AUTHCTL_USERNAME": "ada", "AUTHCTL_TOKEN_FILE": nil, "AUTHCTL_PASSWORD": nil, "AUTHCTL_NEW_PASSWORD": nil,
    ]

    @Test func `gives the command its words, and the session in its environment`() {
        let (world, run) = Self.world()
        _ = world.run("exec", "--", "npm", "test", "--", "-p", "x")
        #expect(run.command == ["npm", "test", "--", "-p", "x"])
        #expect(run.environment == Self.ada)
    }

    @Test(arguments: [
        (["--set", "API=token"], ["API": Exchange.adaToken] as [String: String?]),
        (["--set", "API=token", "--set=USER=username"], ["API": Exchange.adaToken, "USER": "ada"]),
        // What is not known is taken out: an old value would be that of another session.
        (["--set", "URL=server", "--set", "APP=app-id"], ["URL": nil, "APP": nil]),
        (["--set", "A=token", "--set", "A=username"], ["A": "ada"]),
    ])
    func `sets further variables`(words: [String], more: [String: String?]) {
        let (world, run) = Self.world()
        _ = world.run(words: ["exec"] + words + ["--", "true"])
        #expect(run.environment == Self.ada.merging(more) { $1 })
    }

    @Test(arguments: [
        ("API", "'API' is not NAME=WHAT (option '--set')"),
        ("=token", "'=token' is not NAME=WHAT (option '--set')"),
        ("", "'' is not NAME=WHAT (option '--set')"),
        ("API=password", "'password' is not one of token, server, app-id, username (option '--set')"),
        ("API=", "'' is not one of token, server, app-id, username (option '--set')"),
        ("API=a=b", "'a=b' is not one of token, server, app-id, username (option '--set')"),
    ])
    func `runs nothing when it does not know what to set`(word: String, message: String) {
        let world = TestContext()
        world.sessions.put(.ada)
        let result = world.run("exec", "--set", word, "--", "true")
        #expect(result.stderr.hasPrefix("authctl: error: \(message)\n"))
        #expect(result.exitCode == 2)
    }

    @Test func `gives a session of the environment by value, and no name that it does not know`() {
        let (world, run) = Self.world(stored: .ada)
        world.environment = ["AUTHCTL_TOKEN_FILE": "/run/token", "AUTHCTL_BACKEND": "local"]
        world.files = ["/run/token": "env\n"]
        _ = world.run("exec", "--", "true")
        var expected = Self.ada
        expected["AUTHCTL_TOKEN"] = "env"
        expected["AUTHCTL_USERNAME"] = .some(nil)
        #expect(run.environment == expected)
    }

    @Test(
        arguments: [
            (.noSuchFile, 127, "no such file or directory"), (Errno(13), 126, "permission denied"),
            (Errno(8), 126, "exec format error"), (Errno(20), 126, "not a directory"),
        ] as [(Errno, Int32, String)])
    func `fails as a shell does when the command cannot be run`(failure: Errno, exitCode: Int32, words: String) {
        let (world, _) = Self.world(failure: failure)
        let hint = exitCode == 127 ? "is it installed, and is its name right?" : "may it be executed?"
        let text = world.run("exec", "--", "nope\u{1B}")
        #expect(text.stdout == "")
        #expect(
            text.stderr == """
                authctl: error: cannot run 'nope\\u{1b}': \(words)
                authctl: hint: \(hint)

                """)
        #expect(text.exitCode == exitCode)
        let json = world.run("exec", "--json", "--", "nope")
        #expect(json.stdout == "")
        #expect(
            json.stderr == """
                {"v":1,"kind":"error","error":{"code":"usage","exit":\(exitCode),"reason":"usage",\
                "message":"cannot run 'nope': \(words)","hint":"\(hint)","hints":["\(hint)"],\
                "http":null,"backend":null,"fields":{},"retryable":false,"retryAfter":null},"warnings":[]}

                """)
        #expect(json.exitCode == exitCode)
    }

    @Test func `runs nothing where nobody is logged in, or the session has run out`() {
        #expect(TestContext().run("exec", "--", "true").exitCode == 3)
        let world = TestContext()
        world.sessions.put(.ada)
        world.now = .sampleEnd
        #expect(world.run("exec", "--", "true").exitCode == 4)
    }

    @Test(arguments: [["exec"], ["exec", "--"], ["exec", "--set", "A=token"]])
    func `needs a command`(words: [String]) {
        let world = TestContext()
        world.sessions.put(.ada)
        let result = world.run(words: words)
        #expect(result.stdout == "")
        #expect(result.exitCode == 2)
    }

    @Test func `leaves words behind the dashes to the command`() {
        let (world, run) = Self.world()
        _ = world.run("exec", "--", "printf", "%s", "--help")
        #expect(run.command == ["printf", "%s", "--help"])
    }

    /// What the command was, once it was run.
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
