import AuthModel
import CommandTestSupport
import Platform
import Testing

@testable import AuthctlCommands

@Suite struct TokenCommandTests {
    @Test func `prints the token and nothing else`() {
        let world = TestContext()
        world.sessions.put(.ada)
        #expect(world.run("token") == .init(stdout: "\(Exchange.adaToken)\n", stderr: "", ending: .exit(0)))
    }

    @Test func `prints it in JSON only if the option says so`() {
        let world = TestContext()
        world.sessions.put(.ada)
        world.environment = ["AUTHCTL_OUTPUT": "json"]
        #expect(world.run("token").stdout == "\(Exchange.adaToken)\n")
        #expect(
            world.run("token", "--json").stdout == """
                {"v":1,"kind":"token","profile":"default","token":"\(Exchange.adaToken)",\
                "expiresAt":"2027-01-02T03:04:05Z"}

                """)
    }

    @Test func `prints nothing where nobody is logged in`() {
        let result = TestContext().run("token")
        #expect(result.stdout == "")
        #expect(result.exitCode == 3)
    }

    @Test func `prints nothing of a session that has run out`() {
        let world = TestContext()
        world.sessions.put(.ada)
        world.now = .sampleEnd
        let result = world.run("token")
        #expect(result.stdout == "")
        #expect(!result.stderr.contains(Exchange.adaToken))
        #expect(result.exitCode == 4)
    }

    @Test func `prints the environment's before the stored one`() {
        let world = TestContext()
        world.sessions.put(.ada)
        world.environment = ["AUTHCTL_TOKEN": "env", "AUTHCTL_BACKEND": "local"]
        #expect(world.run("token").stdout == "env\n")
    }

    @Test func `fails when it cannot be written`() {
        let world = TestContext()
        world.sessions.put(.ada)
        world.outputFailure = Errno(28)
        let result = world.run("token")
        #expect(
            result.stderr == """
                authctl: error: cannot write to standard output: no space left on device

                """)
        #expect(result.exitCode == 12)
    }

    @Test func `ends without a word when nobody reads any more`() {
        let world = TestContext()
        world.sessions.put(.ada)
        world.outputFailure = .brokenPipe
        #expect(world.run("token") == .init(stdout: "", stderr: "", ending: .brokenPipe))
    }
}
