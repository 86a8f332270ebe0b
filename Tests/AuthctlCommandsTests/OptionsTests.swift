import CommandLineKit
import Testing

@testable import AuthctlCommands

/// The options that each command parses.
@Suite struct OptionsTests {
    @Test(arguments: [
        ([], GlobalOptions()),
        (["--profile", "ci"], GlobalOptions { $0.profile = "ci" }),
        (["-p", "ci"], GlobalOptions { $0.profile = "ci" }),
        (["-pci"], GlobalOptions { $0.profile = "ci" }),
        (["-pci", "-p", "b"], GlobalOptions { $0.profile = "b" }),
        (["--profile=a", "-p", "b"], GlobalOptions { $0.profile = "b" }),
        (["--backend", "local"], GlobalOptions { $0.backend = "local" }),
        (["--json"], GlobalOptions { $0.format = .json }),
        (["--json", "--output", "text"], GlobalOptions { $0.format = .text }),
        (["-qv"], GlobalOptions { ($0.isQuiet, $0.isVerbose) = (true, true) }),
        (["--color=always"], GlobalOptions { $0.color = .always }),
        (["--no-input"], GlobalOptions { $0.allowsPrompts = false }),
    ])
    func `every command parses the global options`(words: [String], expected: GlobalOptions) throws {
        #expect(try GlobalOptions.spec.parse(words) == expected)
    }

    @Test(arguments: [
        ([], SignupCommand.Options()),
        (["ada", "--email", "a@b.c"], SignupCommand.Options { ($0.username, $0.email) = ("ada", "a@b.c") }),
        (["--", "--weird"], SignupCommand.Options { $0.username = "--weird" }),
        (["-"], SignupCommand.Options { $0.username = "-" }),
        (["--no-login", "--skip-checks"], SignupCommand.Options { ($0.keepsSession, $0.checks) = (false, false) }),
        (["--password-stdin"], SignupCommand.Options { $0.readsPassword = true }),
    ])
    func `signup parses its options`(words: [String], expected: SignupCommand.Options) throws {
        #expect(try SignupCommand.spec.parse(words) == expected)
    }

    @Test(arguments: [
        ([], LoginCommand.Options()),
        (["ada"], LoginCommand.Options { $0.username = "ada" }),
        (["--password-file", "-", "ada"], LoginCommand.Options { ($0.username, $0.passwordFile) = ("ada", "-") }),
        (["ada", "--password-stdin"], LoginCommand.Options { ($0.username, $0.readsPassword) = ("ada", true) }),
    ])
    func `login parses its options`(words: [String], expected: LoginCommand.Options) throws {
        #expect(try LoginCommand.spec.parse(words) == expected)
    }

    @Test(arguments: [
        ([], LogoutCommand.Options()),
        (["--all-profiles"], LogoutCommand.Options { $0.allProfiles = true }),
        (["--offline"], LogoutCommand.Options { $0.sendsRequest = false }),
    ])
    func `logout parses its options`(words: [String], expected: LogoutCommand.Options) throws {
        #expect(try LogoutCommand.spec.parse(words) == expected)
    }

    @Test(arguments: [
        ([], SessionsRevokeCommand.Options()),
        (["a", "b"], SessionsRevokeCommand.Options { $0.ids = ["a", "b"] }),
        (["--others"], SessionsRevokeCommand.Options { $0.others = true }),
        (["--all"], SessionsRevokeCommand.Options { $0.all = true }),
    ])
    func `sessions revoke parses its options`(words: [String], expected: SessionsRevokeCommand.Options) throws {
        #expect(try SessionsRevokeCommand.spec.parse(words) == expected)
    }

    @Test(arguments: [
        (["ci"], ProfileAddCommand.Options { $0.profile = "ci" }),
        (["ci", "--from", "a"], ProfileAddCommand.Options { ($0.profile, $0.template) = ("ci", "a") }),
    ])
    func `profile add parses its options`(words: [String], expected: ProfileAddCommand.Options) throws {
        #expect(try ProfileAddCommand.spec.parse(words) == expected)
    }

    @Test(arguments: [
        ([], LinkFacebookCommand.Options()),
        (
            ["--token-stdin", "--facebook-id", "1"],
            LinkFacebookCommand.Options { ($0.readsToken, $0.proof.id) = (true, "1") }
        ),
        (["--token-file", "-"], LinkFacebookCommand.Options { $0.tokenFile = "-" }),
        (
            ["--permission", "a", "--permission", "b", "--fill-user"],
            LinkFacebookCommand.Options { $0.facebook = FacebookOptions(permissions: ["a", "b"], fills: true) }
        ),
        (["--id-token-stdin"], LinkFacebookCommand.Options { $0.proof.readsIDToken = true }),
        (
            ["--unlink", "--force", "--revoke"],
            LinkFacebookCommand.Options { ($0.unlinks, $0.revokes, $0.force) = (true, true, true) }
        ),
        (["--status"], LinkFacebookCommand.Options { $0.showsStatus = true }),
    ])
    func `link-facebook parses its options`(words: [String], expected: LinkFacebookCommand.Options) throws {
        #expect(try LinkFacebookCommand.spec.parse(words) == expected)
    }

    @Test func `password, e-mail and exec commands parse their options`() throws {
        #expect(
            try LoginCommand.spec.parse(["--facebook", "--token-file=x"])
                == .init { ($0.usesFacebook, $0.tokenFile) = (true, "x") })
        #expect(
            try SignupCommand.spec.parse(["--field", "a=b", "--field-json", "c=1", "--field=d="])
                == .init { ($0.textFields, $0.jsonFields) = (["a=b", "d="], ["c=1"]) })
        #expect(
            try PasswordChangeCommand.spec.parse(["--password-file", "a", "--new-password-file", "b"])
                == .init { ($0.passwordFile, $0.newPasswordFile) = ("a", "b") })
        #expect(try PasswordResetCommand.spec.parse(["a@b.c"]) == .init { $0.email = "a@b.c" })
        #expect(try VerifyEmailCommand.spec.parse(["--email", "a@b.c"]) == .init { $0.email = "a@b.c" })
        #expect(
            try ExecCommand.spec.parse(["--set", "A=token", "--", "ls", "-l"])
                == .init { ($0.names, $0.command) = (["A=token"], ["ls", "-l"]) })
    }

    @Test func `profile commands and whoami parse their options`() throws {
        #expect(
            try ProfileSetCommand.spec.parse(["ci", "backend", "local"])
                == .init { ($0.profile, $0.key, $0.value) = ("ci", "backend", "local") })
        #expect(try ProfileUseCommand.spec.parse(["ci"]) == .init { $0.profile = "ci" })
        #expect(
            try ProfileRemoveCommand.spec.parse(["--force", "ci"]) == .init { ($0.profile, $0.force) = ("ci", true) })
        #expect(try ProfileShowCommand.spec.parse([]) == .init())
        #expect(try WhoamiCommand.spec.parse(["--offline"]) == .init { $0.sendsRequest = false })
    }
}

extension CommandOptions {
    /// The default options with a change.
    fileprivate init(_ change: (inout Self) -> Void) {
        self.init()
        change(&self)
    }
}
