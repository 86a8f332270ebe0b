import Foundation
import TestSupport
import Testing

/// Home folders as in containers, in CI jobs, and on systems with a group for each user.
@Suite(.keepsSecrets, .enabled(if: Host.canMount, "needs root and the right to mount")) struct ContainerHomeTests {
    private let world: Sandbox
    /// A folder like `/tmp`.
    private let shared: String
    private let program: String

    private static let user: uid_t = 1000

    init() throws {
        world = try Sandbox()
        shared = "\(world.root)/shared"
        program = "\(world.root)/authctl"
        // The build folder may be inaccessible to other users.
        try world.runScript("cp '\(BuiltBinary.path)' '\(program)' && chmod 755 '\(program)'")
        mkdir(shared, 0o700)
        chmod(shared, 0o1777)
    }

    // MARK: - Root in the home folder of another user

    @Test func `root in another user's home folder logs in with one warning`() throws {
        chown(world.home, 1001, 1001)
        for words in [["signup", "ada", "--password-stdin"], ["token"], ["whoami"], ["profile", "use", "default"]] {
            let result = try run(words, as: 0)
            #expect(result.exitCode == 0, "\(words): \(result.everything)")
            #expect(
                result.warnings == [
                    "authctl: warning: home folder '\(world.home)' belongs to another user (uid 1001), "
                        + "who can remove authctl's files"
                ], "\(words)")
        }
        let signup = try run(["signup", "bob", "--password-stdin", "--json"], as: 0)
        #expect(signup.stderr.isEmpty)
        #expect(try signup.document().strings("warnings")?.count == 1)
        for path in world.contents(of: world.home) {
            #expect(world.status(path)?.st_uid == 0)
            #expect(world.mode(path)! & 0o077 == 0)
        }
    }

    @Test func `root in another user's home folder does not use that user's files`() throws {
        try world.runScript("mkdir -p ~/.config/authctl ~/.local && chown -R 1001:1001 ~")
        for words in [["signup", "ada", "--password-stdin"], ["whoami"]] {
            let result = try run(words, as: 0)
            #expect(result.exitCode == 12)
            #expect(result.stderr.contains("'\(world.configurationFolder)' belongs to another user (uid 1001)"))
            try expectPastedHintWorks(result, as: 0)
        }
    }

    @Test func `root under sudo creates no files in another user's home folder`() throws {
        chown(world.home, 1001, 1001)
        for words in [["signup", "ada", "--password-stdin"], ["profile", "add", "ci", "--backend", "local"]] {
            let result = try run(words, as: 0, ["SUDO_UID": "1001"])
            #expect(result.exitCode == 12)
            result.expectTranscript(in: "files", words[0], of: world)
        }
        #expect(world.contents(of: world.home) == [])
    }

    // MARK: - A user without a home folder

    @Test func `a user whose home is the root folder is told which variables to set`() throws {
        #expect(try run(["whoami"], as: Self.user, ["HOME": "/"]).exitCode == 3)
        for words in [["signup", "ada", "--password-stdin"], ["profile", "add", "ci", "--backend", "local"]] {
            let result = try run(words, as: Self.user, ["HOME": "/"])
            #expect(result.exitCode == 12)
            #expect(result.stderr.contains("cannot write '/.config': permission denied"))
            try expectPastedHintWorks(result, as: Self.user, ["HOME": "/"])
        }
    }

    /// Runs in a copy of the root folder, whose entries are mounts of the real ones.
    @Test func `a user whose home is the root folder logs in where its folders belong to the user`() throws {
        let root = "\(world.root)/new-root"
        let script = """
            mkdir -p '\(root)' && for entry in /*; do
                if [ -L "$entry" ]; then cp -a "$entry" '\(root)'; continue; fi
                [ -d "$entry" ] && mkdir -p "\(root)$entry" && mount --rbind "$entry" "\(root)$entry"
            done
            mkdir '\(root)/.config' '\(root)/.local' && chown \(Self.user) '\(root)/.config' '\(root)/.local'
            cd / && for words in 'signup ada --password-stdin' whoami token; do
                HOME=/ chroot --userspec=\(Self.user):\(Self.user) '\(root)' '\(program)' $words \
                    <<<'\(Sandbox.password)' || exit 99
            done
            test -f '\(root)/.config/authctl/sessions/default~~\(Sandbox.localHash).json' -a -f '\(root)/.local/share/authctl/local.db'
            """
        let result = try world.start([], program: ["/usr/bin/unshare", "-m", "/bin/bash", "-c", script]).wait()
        #expect(result.exitCode == 0, "\(result.everything)")
        #expect(result.warnings.isEmpty)
    }

    @Test func `a user whose home is a shared folder with a sticky bit logs in`() throws {
        for words in [["signup", "ada", "--password-stdin"], ["whoami"], ["profile", "use", "default"]] {
            let result = try run(words, as: Self.user, ["HOME": shared])
            #expect(result.exitCode == 0, "\(words): \(result.everything)")
            #expect(result.warnings.isEmpty)
        }
        #expect(world.mode(shared) == 0o1777)
        #expect(world.mode("\(shared)/.config") == 0o700)
        let other = try run(["signup", "eve", "--password-stdin"], as: 1001, ["HOME": shared])
        #expect(other.exitCode == 12)
        try expectPastedHintWorks(other, as: 1001, ["HOME": shared])
    }

    @Test func `a user whose home belongs to root uses folders of its own there`() throws {
        chmod(world.home, 0o755)
        let result = try run(["signup", "ada", "--password-stdin"], as: Self.user)
        #expect(result.exitCode == 12)
        try expectPastedHintWorks(result, as: Self.user)
        try world.runScript("mkdir ~/.config ~/.local && chown \(Self.user) ~/.config ~/.local")
        #expect(try run(["signup", "bob", "--password-stdin"], as: Self.user).exitCode == 0)
        #expect(try run(["whoami"], as: Self.user).exitCode == 0)
    }

    // MARK: - A group for each user

    @Test func `folders and files that the user's private group can change work`() throws {
        try makeGroupWritable()
        let before = world.mode("\(world.home)/.config")
        let groups = [("ada:x:1000:1000::/:/bin/sh", "ada:x:1000:"), ("ada:x:1000:1000::/:/bin/sh", "ada:x:1000:ada")]
        for (user, group) in groups {
            for words in [["login", "ada", "--password-stdin"], ["whoami"], ["token"], ["profile", "use", "default"]] {
                let result = try run(words, as: Self.user, users: user, groups: group)
                #expect(result.exitCode == 0, "\(words): \(result.everything)")
            }
        }
        #expect(world.mode("\(world.home)/.config") == before)
    }

    @Test(arguments: [
        ("another member", "ada:x:1000:1000::/:/bin/sh", "ada:x:1000:bob"),
        ("another user", "ada:x:1000:1000::/:/bin/sh\nbob:x:1001:1000::/:/bin/sh", "ada:x:1000:"),
        ("another name", "ada:x:1000:1000::/:/bin/sh", "staff:x:1000:"),
        ("another primary group", "ada:x:1000:1001::/:/bin/sh", "ada:x:1000:"),
        ("no name", "", "ada:x:1000:"),
        ("users of a directory service", "ada:x:1000:1000::/:/bin/sh\n+::::::", "ada:x:1000:"),
    ])
    func `folders and files that a shared group can change are rejected`(
        situation: String, users: String, groups: String
    ) throws {
        try makeGroupWritable()
        for words in [["whoami"], ["token"], ["login", "ada", "--password-stdin"]] {
            let result = try run(words, as: Self.user, users: users, groups: groups)
            #expect(result.exitCode == 12, "\(situation), \(words): \(result.everything)")
            #expect(result.stderr.contains("is writable by other users"))
            #expect(result.stderr.contains("hint: run: chmod go-w '\(world.home)") || result.stderr.contains("go-w /"))
        }
    }

    @Test(.enabled(if: Host.canTrace, "needs strace"))
    func `the lists of users and groups are read only where a group can write`() throws {
        let trace = "\(world.root)/trace"
        for words in [["signup", "ada", "--password-stdin"], ["token"], ["whoami", "--offline"]] {
            let result = try world.start(words, input: .password, under: .strace("openat,open", into: trace)).wait()
            #expect(result.exitCode == 0)
            let text = try world.text(trace)
            #expect(!text.contains("/etc/passwd") && !text.contains("/etc/group") && !text.contains("nsswitch"))
        }
        chmod("\(world.home)/.config", 0o770)
        try world.run("token", under: .strace("openat,open", into: trace))
        #expect(try world.text(trace).contains("/etc/passwd"))
    }

    /// Gives the home of `ada` to the user, with the modes of umask 002.
    private func makeGroupWritable() throws {
        try world.signUp("ada")
        try world.runScript(
            """
            chown -R \(Self.user):1000 ~ && chmod -R g+rw ~ && chmod 775 ~ ~/.config ~/.config/authctl ~/.local \
                ~/.local/share ~/.local/share/authctl
            """)
    }

    // MARK: - A read-only home folder

    @Test func `a login with a read-only home folder names the variables to set, and reading works`() throws {
        try world.signUp("ada")
        let readOnly = "mount --bind '\(world.home)' '\(world.home)' && mount -o remount,ro,bind '\(world.home)'"
        for words in [["token"], ["whoami", "--offline"], ["profile", "list"]] {
            #expect(try run(words, as: 0, mounts: readOnly).exitCode == 0, "\(words)")
        }
        for words in [
            ["login", "ada", "--password-stdin"], ["signup", "bob", "--password-stdin"], ["profile", "use", "default"],
            ["profile", "add", "ci", "--backend", "local"],
        ] {
            let result = try run(words, as: 0, mounts: readOnly)
            #expect(result.exitCode == 12, "\(words): \(result.everything)")
            #expect(result.stderr.contains("read-only file system"))
            if words[0] == "login" { result.expectTranscript(in: "files", of: world) }
            try expectPastedHintWorks(result, as: 0, mounts: readOnly)
        }
    }

    @Test(arguments: [["login"], ["login", "ada"], ["signup"], ["signup", "ada", "--no-login"]])
    func `a terminal is not asked for anything if the home folder cannot be used`(words: [String]) throws {
        let readOnly = "mount --bind '\(world.home)' '\(world.home)' && mount -o remount,ro,bind '\(world.home)'"
        let terminal = try PseudoTerminal()
        let end = try world.start(
            words, under: ["/usr/bin/unshare", "-m"] + .shell(readOnly), terminal: terminal
        ).wait()
        #expect(end.exitCode == 12)
        #expect(terminal.waitFor("read-only file system"))
        #expect(!terminal.shown.contains(Prompt.username) && !terminal.shown.contains(Prompt.password))
    }

    // MARK: - Running

    /// Runs the program as another user.
    ///
    /// - Parameters:
    ///   - users: further lines of `/etc/passwd`, in a mount namespace.
    ///   - groups: further lines of `/etc/group`.
    ///   - mounts: a script that runs first, in a mount namespace.
    private func run(
        _ words: [String], as user: uid_t, _ environment: [String: String] = [:], users: String? = nil,
        groups: String = "", mounts: String = "true"
    ) throws -> Finished {
        var script = "\(mounts) || exit 99"
        if let users {
            try world.write("root:x:0:0:root:/root:/bin/sh\n\(users)\n", to: "\(world.root)/passwd")
            try world.write("root:x:0:\n\(groups)\n", to: "\(world.root)/group")
            for name in ["passwd", "group"] {
                chmod("\(world.root)/\(name)", 0o644)
                script += "\nmount --bind '\(world.root)/\(name)' /etc/\(name) || exit 99"
            }
        }
        let variables: [String: String?] = ["TMPDIR": shared]
        return try world.start(
            words, input: .password, environment: variables.merging(environment) { $1 },
            under: ["/usr/bin/unshare", "-m"] + .shell(script) + Self.identity(user), folder: "/", program: [program]
        ).wait()
    }

    /// Runs the variable assignment of the hint in a shell, then a signup and further commands.
    private func expectPastedHintWorks(
        _ result: Finished, as user: uid_t, _ environment: [String: String] = [:], mounts: String = "true"
    ) throws {
        let hint = try #require(result.stderr.firstMatch(of: /hint: .*: (export .*)\n/)?.1)
        #expect(hint.contains("AUTHCTL_CONFIG_DIR=") && hint.contains("AUTHCTL_DATA_DIR="))
        #expect(!result.stderr.contains("chmod") && !result.stderr.contains("chown"))
        let script = """
            \(hint)
            '\(program)' signup ada --password-stdin <<<'\(Sandbox.password)' && '\(program)' whoami
            """
        let variables: [String: String?] = ["TMPDIR": shared]
        let pasted = try world.start(
            [], environment: variables.merging(environment) { $1 },
            under: ["/usr/bin/unshare", "-m"] + .shell("\(mounts) || exit 99") + Self.identity(user), folder: "/",
            program: ["/bin/bash", "-c", script]
        ).wait()
        #expect(pasted.exitCode == 0, "\(pasted.everything)")
    }

    private static func identity(_ user: uid_t) -> [String] {
        user == 0
            ? [] : ["/usr/bin/setpriv", "--reuid", "\(user)", "--regid", "\(user)", "--clear-groups"]
    }
}
