import Foundation
import TestSupport
import Testing

/// Of what was typed, or was not.
@Suite struct CommandLineErrorMessageTests: ErrorMessages {
    let world: Sandbox

    init() throws {
        world = try Sandbox()
    }

    @Test func `a command that is misspelt`() throws {
        try expect(
            2,
            """
            authctl: error: unknown command 'logni'
            authctl: hint: did you mean 'login'?
            authctl: hint: see 'authctl --help'

            """,
            of: ["logni"])
    }

    @Test func `an option that is misspelt`() throws {
        try expect(
            2,
            """
            authctl: error: unknown option '--pasword-stdin'
            authctl: hint: did you mean '--password-stdin'?
            authctl: hint: see 'authctl login --help'

            """,
            of: ["login", "ada", "--pasword-stdin"])
    }

    @Test func `an option without its value`() throws {
        try expect(
            2,
            """
            authctl: error: option '--profile' needs a value: NAME
            authctl: hint: see 'authctl whoami --help'

            """,
            of: ["whoami", "--profile"])
    }

    @Test func `a password in the command line`() throws {
        try expect(
            2,
            """
            authctl: error: there is no option '--password'
            authctl: hint: a password in a command line can be seen by others; leave it out to be asked, or use --password-stdin, --password-file FILE or AUTHCTL_PASSWORD

            """,
            of: ["login", "ada", "--password", "secret"])
    }

    @Test func `a profile that there is not`() throws {
        try expect(
            2,
            """
            authctl: error: there is no profile 'work' (from --profile)
            authctl: hint: list the profiles: authctl profile list
            authctl: hint: create it: authctl profile add work --backend local

            """,
            of: ["whoami", "-p", "work"])
    }

    @Test func `no terminal to ask at`() throws {
        try expect(
            2,
            """
            authctl: error: a password is missing, and nobody can be asked: standard input is no terminal
            authctl: hint: give it with --password-stdin, --password-file FILE or AUTHCTL_PASSWORD

            """,
            of: ["login", "ada"])
    }

    @Test func `a job without a password`() throws {
        world.set("CI", to: "true")
        try expect(
            2,
            """
            authctl: error: a password is missing, and nobody can be asked: CI is set
            authctl: hint: give it with --password-stdin, --password-file FILE or AUTHCTL_PASSWORD

            """,
            of: ["login", "ada"])
    }
}
