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
        #expect(
            world.run("serve", "--app-id", "my-app")
                == .init(
                    stdout:
                        "serving the accounts at \(Self.url)  (application id 'my-app'; end it with Ctrl-C)\n",
                    stderr: "", ending: .exit(0)))
    }

    @Test func `tells it in JSON, in one document`() {
        let world = TestContext()
        world.serve = Self.ready
        let process = ProcessInfo.processInfo.processIdentifier
        #expect(
            world.run("serve", "--json")
                == .init(
                    stdout: #"{"v":1,"kind":"serve","url":"\#(Self.url)","appId":"local","pid":\#(process)}"# + "\n",
                    stderr: "", ending: .exit(0)))
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
            (AuthError(.usage, "cannot listen on port 1337: in use", hint: "choose another"), 2),
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
        #expect(world.run("serve") == .init(stdout: "", stderr: "", ending: .brokenPipe))
        #expect(world.run("serve", "--json") == .init(stdout: "", stderr: "", ending: .brokenPipe))
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

    private static let ready: TestContext.Serve = { _, isReady throws(AuthError) in try isReady(url) }

    private static let readyAndRunning: TestContext.Serve = { _, isReady throws(AuthError) in
        try isReady(url)
        Issue.record("it goes on without having told its URL")
    }
}
