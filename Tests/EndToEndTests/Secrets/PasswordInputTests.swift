import Foundation
import TestSupport
import Testing

/// Passwords from files, standard input and the environment of a real process.
@Suite(.keepsInvariants) struct PasswordInputTests {
    private let world: Sandbox

    init() throws {
        world = try Sandbox()
    }

    @Test func `a password is read from a file`() throws {
        try world.write("\(Sandbox.password)\n", to: "\(world.home)/password")
        #expect(try world.run("signup", "ada", "--password-file", "password").exitCode == 0)
        #expect(try world.logIn("ada").exitCode == 0)
    }

    @Test(arguments: [0o600, 0o640, 0o644, 0o602, 0o666] as [mode_t])
    func `a password file that other users can read or change is used with one warning`(mode: mode_t) throws {
        let path = "\(world.home)/password"
        try world.write("\(Sandbox.password)\n", to: path)
        chmod(path, mode)
        let result = try world.run("signup", "ada", "--password-file", "password")
        #expect(result.exitCode == 0)
        #expect(result.warnings.count == (mode == 0o600 ? 0 : 1), "\(result.stderr)")
        guard let command = result.warnings.first?.firstMatch(of: /chmod .*/)?.output else { return }
        try world.runScript("cd ~ && \(command)")
        #expect(try world.run("login", "ada", "--password-file", "password").warnings.isEmpty)
    }

    @Test func `a password from a pipe is read without a warning`() throws {
        let result = try world.runScript(
            #""$A" signup ada --password-file <(echo '\#(Sandbox.password)')"#)
        #expect(result.exitCode == 0)
        #expect(result.warnings.isEmpty)
    }

    @Test func `--password-file - reads standard input`() throws {
        #expect(try world.run("signup", "ada", "--password-file", "-", input: .password).exitCode == 0)
        #expect(try world.run("login", "ada", "--password-file=-", input: .password).exitCode == 0)
    }

    @Test func `a missing password file is named`() throws {
        let result = try world.run("signup", "ada", "--password-file", "nowhere")
        #expect(result.exitCode == 2)
        #expect(result.stderr.contains("'nowhere'"))
        #expect(world.contents(of: world.home) == [])
    }

    @Test func `AUTHCTL_PASSWORD provides the password`() throws {
        let environment = ["AUTHCTL_PASSWORD": Sandbox.password]
        #expect(try world.run("signup", "ada", environment: environment).exitCode == 0)
        #expect(try world.logIn("ada").exitCode == 0)
    }

    @Test func `an AUTHCTL_PASSWORD that is not UTF-8 is rejected`() throws {
        let under: [String] = .shell(#"export AUTHCTL_PASSWORD=$'correct caf\xe9'"#)
        #expect(try world.run("signup", "ada", under: under).exitCode == 2)
        #expect(world.contents(of: world.home) == [])
    }

    @Test func `a closed standard input is not asked for a password`() throws {
        #expect(try world.run("login", "ada", under: .shell("exec <&-")).exitCode == 2)
        let result = try world.run("login", "ada", "--password-stdin", under: .shell("exec <&-"))
        #expect(result.exitCode == 2)
        #expect(result.stderr.contains("standard input"))
    }
}
