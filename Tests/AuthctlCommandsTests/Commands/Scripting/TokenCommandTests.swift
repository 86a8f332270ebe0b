import AuthModel
import CommandTestSupport
import Platform
import Testing

@testable import AuthctlCommands

@Suite struct TokenCommandTests {
    @Test func `token prints the session token and nothing else`() {
        let world = TestContext()
        world.sessions.put(.ada)
        #expect(world.run("token") == .init(stdout: "\(Exchange.adaToken)\n", stderr: "", ending: .exit(0)))
    }

    @Test func `token prints JSON with --json only, not with AUTHCTL_OUTPUT`() {
        let world = TestContext()
        world.sessions.put(.ada)
        world.environment = ["AUTHCTL_OUTPUT": "json"]
        #expect(world.run("token").stdout == "\(Exchange.adaToken)\n")
        world.run("token", "--json").expectTranscript(in: "token")
    }

    @Test func `token prints nothing without a login`() {
        let result = TestContext().run("token")
        result.expectTranscript(in: "token")
        #expect(result.stdout == "")
        #expect(result.exitCode == 3)
    }

    @Test func `token prints nothing of an expired session`() {
        let world = TestContext()
        world.sessions.put(.ada)
        world.now = .sampleEnd
        let result = world.run("token")
        result.expectTranscript(in: "token")
        #expect(result.stdout == "")
        #expect(!result.stderr.contains(Exchange.adaToken))
        #expect(result.exitCode == 4)
    }

    @Test func `token prints AUTHCTL_TOKEN instead of the saved session`() {
        let world = TestContext()
        world.sessions.put(.ada)
        world.environment = ["AUTHCTL_TOKEN": "env", "AUTHCTL_BACKEND": "local"]
        #expect(world.run("token").stdout == "env\n")
    }

    @Test func `token needs no storage with a session from the environment`() {
        let world = TestContext()
        world.environment = ["AUTHCTL_TOKEN_FILE": "/run/token", "AUTHCTL_BACKEND": "local"]
        world.files = ["/run/token": "env\r\n"]
        world.storageFailure = AuthError(.unreadable, "no storage")
        let result = world.run("token")
        #expect(result.stdout == "env\n")
        #expect(result.exitCode == 0)
    }

    @Test func `token fails if standard output cannot be written`() {
        let world = TestContext()
        world.sessions.put(.ada)
        world.outputFailure = Errno(28)
        let result = world.run("token")
        result.expectTranscript(in: "token")
        #expect(result.exitCode == 12)
    }

    @Test func `token ends silently on a broken pipe`() {
        let world = TestContext()
        world.sessions.put(.ada)
        world.outputFailure = .brokenPipe
        #expect(world.run("token") == .init(stdout: "", stderr: "", ending: .brokenPipe))
    }
}
