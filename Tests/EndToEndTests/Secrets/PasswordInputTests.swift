import Foundation
import TestSupport
import Testing

/// Passwords that a real process reads from files, standard input and its environment.
@Suite(.keepsInvariants) struct PasswordInputTests {
    private let world: Sandbox

    init() throws {
        world = try Sandbox()
    }

    @Test func `a password file that is a pipe is read without a warning`() throws {
        let result = try world.runScript(
            #""$A" signup ada --password-file <(echo '\#(Sandbox.password)')"#)
        #expect(result.exitCode == 0)
        #expect(result.warnings.isEmpty)
    }

    @Test func `an AUTHCTL_PASSWORD that is not UTF-8 is rejected`() throws {
        let under: [String] = .shell(#"export AUTHCTL_PASSWORD=$'correct caf\xe9'"#)
        #expect(try world.run("signup", "ada", under: under).exitCode == 2)
        #expect(world.contents(of: world.home) == [])
    }

    @Test func `a login fails if standard input is closed, with or without --password-stdin`() throws {
        #expect(try world.run("login", "ada", under: .shell("exec <&-")).exitCode == 2)
        let result = try world.run("login", "ada", "--password-stdin", under: .shell("exec <&-"))
        #expect(result.exitCode == 2)
        #expect(result.stderr.contains("standard input"))
    }
}
