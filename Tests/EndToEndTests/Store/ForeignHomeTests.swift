import Foundation
import TestSupport

/// Home folders that belong to another user, are shared, or cannot be written, as in containers and CI jobs.
@Suite(.mostlyWaits, .keepsSecrets, .enabled(if: Host.canMount && Host.hasUtilLinux, "needs root, mounts and setpriv"))
struct ForeignHomeTests {
    private let world = Sandbox()
    /// A folder with the mode of `/tmp`: the working directory, the temporary folder, and in one test the home folder.
    private let shared: String
    private let program: String

    private static let user: uid_t = 1000

    init() throws {
        shared = "\(world.root)/shared"
        program = "\(world.root)/authctl"
        mkdir(shared, 0o700)
        chmod(shared, 0o1777)
        // The build folder may be inaccessible to other users.
        try world.runScript("cp '\(BuiltBinary.path)' '\(program)' && chmod 755 '\(program)'")
    }

    @Test func `root can sign up in another user's home folder, except under sudo`() throws {
        chown(world.home, 1001, 1001)
        let sudo = try run(["signup", "ada", "--password-stdin"], as: 0, ["SUDO_UID": "1001"])
        sudo.expectTranscript(in: "files", of: world)
        expect(world.contents(of: world.home), [])
        for words in [["signup", "ada", "--password-stdin"], ["whoami"]] {
            let result = try run(words, as: 0)
            expect(result.exitCode, 0, "\(words): \(result.everything)")
            #expect(result.warnings.isEmpty)
        }
    }

    @Test func `a shared home folder with a sticky bit works for the first user, and others get a hint`() throws {
        for words in [["signup", "ada", "--password-stdin"], ["whoami"]] {
            try expect(run(words, as: Self.user, ["HOME": shared]).exitCode, 0)
        }
        let other = try run(["signup", "eve", "--password-stdin"], as: 1001, ["HOME": shared])
        expect(other.exitCode, 12)
        try expectPastedHintWorks(other, as: 1001, ["HOME": shared])
    }

    // MARK: - A home folder that cannot be written

    @Test func `if the home folder is read-only, a login suggests environment variables, and whoami works`() throws {
        try world.signUp("ada")
        for words in [["token"], ["whoami"], ["profile", "list"]] {
            try expect(run(words, as: 0, mounts: readOnlyHome).exitCode, 0, "\(words)")
        }
        for words in [["login", "ada", "--password-stdin"], ["profile", "use", "default"]] {
            let result = try run(words, as: 0, mounts: readOnlyHome)
            expect(result.exitCode, 12, "\(words): \(result.everything)")
            if words[0] == "login" { result.expectTranscript(in: "files", of: world) }
            try expectPastedHintWorks(result, as: 0, mounts: readOnlyHome)
        }
    }

    @Test func `no hint for a read-only folder names another folder, which would lack the session and the profile`()
        throws
    {
        try world.runScript(
            """
            "$A" profile add live --backend local -q
            "$A" -p live signup ada --password-stdin -q <<<'\(Sandbox.password)'
            """)
        for words in [["login", "ada", "--password-stdin"], ["logout"]] {
            let result = try run(words + ["-p", "live"], as: 0, mounts: readOnlyHome)
            #expect(result.exitCode == 12 && result.stderr.contains("read-only"), "\(result.everything)")
            #expect(!result.stderr.contains("AUTHCTL_CONFIG_DIR"), "\(words): \(result.stderr)")
        }
    }

    @Test(arguments: [["login"], ["login", "ada"], ["signup"], ["signup", "ada", "--no-login"]])
    func `login and signup do not prompt at a terminal if the home folder is read-only`(words: [String]) throws {
        let terminal = PseudoTerminal()
        let end = try world.start(
            words, under: ["/usr/bin/unshare", "-m"] + .shell(readOnlyHome), terminal: terminal
        ).wait()
        expect(end.exitCode, 12)
        #expect(terminal.waitFor("read-only file system"))
        #expect(!terminal.shown.contains(Prompt.username) && !terminal.shown.contains(Prompt.password))
    }

    @Test func `read-only commands work without write permission, and a failed logout keeps the session`() throws {
        try world.signUp("ada")
        let token = try world.token()
        try world.runScript("chown -R 1000:1000 ~; chmod 500 ~/.config/authctl/sessions ~/.config/authctl")
        for words in [["token"], ["whoami", "--offline"], ["profile", "list"]] {
            try expect(run(words, as: Self.user).exitCode, 0, "\(words)")
        }
        for words in [
            ["login", "ada", "--password-stdin"], ["logout"], ["profile", "add", "ci", "--backend", "local"],
        ] {
            let result = try run(words, as: Self.user)
            #expect(result.exitCode == 12 && result.stderr.contains("permission denied"), "\(words)")
        }
        #expect(try world.text(world.sessionFile()).contains(token))
        expect(world.contents(of: shared), [])
    }

    // MARK: - Running

    private var readOnlyHome: String {
        "mount --bind '\(world.home)' '\(world.home)' && mount -o remount,ro,bind '\(world.home)' || exit 99"
    }

    /// Runs the program as `user` in a new mount namespace, in which root first runs the shell lines in `mounts`.
    private func run(
        _ words: [String], as user: uid_t, _ environment: [String: String] = [:], mounts: String = "true",
        program: [String]? = nil
    ) throws -> Finished {
        let variables: [String: String?] = ["TMPDIR": shared]
        let identity =
            user == 0 ? [] : ["/usr/bin/setpriv", "--reuid", "\(user)", "--regid", "\(user)", "--clear-groups"]
        return try world.start(
            words, input: .password, environment: variables.merging(environment) { $1 },
            under: ["/usr/bin/unshare", "-m"] + .shell(mounts) + identity, folder: shared,
            program: program ?? [self.program]
        ).wait()
    }

    /// Runs the variable assignment from the hint in a shell, then a signup and `whoami`.
    private func expectPastedHintWorks(
        _ result: Finished, as user: uid_t, _ environment: [String: String] = [:], mounts: String = "true"
    ) throws {
        let hint = try #require(result.stderr.firstMatch(of: /hint: .*: (export .*)\n/)?.1)
        #expect(!result.stderr.contains("chmod") && !result.stderr.contains("chown"))
        let script = """
            \(hint)
            '\(program)' signup ada --password-stdin <<<'\(Sandbox.password)' && '\(program)' whoami
            """
        let pasted = try run([], as: user, environment, mounts: mounts, program: ["/bin/bash", "-c", script])
        expect(pasted.exitCode, 0, "\(pasted.everything)")
    }
}
