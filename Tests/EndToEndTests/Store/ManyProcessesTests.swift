import Foundation
import TestSupport

/// Many concurrent processes in one home folder. No change is lost, and no process reads a partial write.
@Suite(.mostlyWaits, .keepsStore, .serialized) struct ManyProcessesTests {
    private let world = Sandbox()

    @Test func `forty concurrent signups create forty accounts`() throws {
        let names = (1...40).map { "user-\($0)" }
        let ends = try all(names.map { ["signup", $0, "--password-stdin", "--no-login"] })
        #expect(ends.allSatisfy { $0.exitCode == 0 }, "\(failures(ends))")
        try expect(world.integer("SELECT count(*) FROM users"), 40)
        try expect(world.logIn("user-17").exitCode, 0)
    }

    @Test func `forty concurrent signups with --if-not-exists create one account and forty sessions`() throws {
        let names = (1...40).map { "s\($0)" }
        let ends = try all(
            names.map { ["signup", "ada", "--if-not-exists", "--password-stdin", "--as", $0, "--json"] })
        #expect(ends.allSatisfy { $0.exitCode == 0 }, "\(failures(ends))")
        expect(ends.filter { $0.stdout.contains(#""created":true"#) }.count, 1)
        try expect(world.integer("SELECT count(*) FROM users"), 1)
        try expect(world.integer("SELECT count(*) FROM sessions"), 40)
    }

    @Test func `forty concurrent profile changes and logins are all saved`() throws {
        let names = (1...40).map { "p\($0)" }
        let adds = try all(names.map { ["profile", "add", $0, "--backend", "local", "--no-use"] })
        #expect(adds.allSatisfy { $0.exitCode == 0 }, "\(failures(adds))")
        let items = try world.run("profile", "list", "--json").document().objects("items")
        expect(Set(items.compactMap { $0.string("name") }), Set(names + ["default"]))
        try world.signUp("ada")
        let logIns = try all(names.map { ["login", "ada", "--password-stdin", "-p", $0] })
        #expect(logIns.allSatisfy { $0.exitCode == 0 }, "\(failures(logIns))")
        let tokens = try names.map(world.token)
        expect(Set(tokens).count, 40)
        try expect(world.sessionIDs().count, 41)
        let left = world.contents(of: world.sessionFolder).filter { !$0.hasSuffix(".json") && !world.isLock($0) }
        expect(left, [])
    }

    @Test func `token, whoami and profile list never read a partial write of another process`() throws {
        try world.signUp("ada")
        let script = """
            for i in {1..60}; do
                "$A" profile add "p$i" --backend local >/dev/null || exit 1
                ((i % 3)) || "$A" login ada --password-stdin -q <<<'\(Sandbox.password)' >/dev/null || exit 2
            done
            """
        let reader = """
            until [ -e ~/stop ]; do
                "$A" profile list --json >/dev/null || exit 1
                "$A" token >/dev/null || exit 2
                "$A" whoami --offline >/dev/null || exit 3
            done
            """
        let readers = try (1...3).map { _ in try start(reader) }
        let writer = try start(script).wait(atMost: .seconds(60))
        try world.write("", to: "\(world.home)/stop")
        let ends = readers.map { $0.wait() }
        expect(writer.exitCode, 0, "\(writer.stderr)")
        #expect(ends.allSatisfy { $0.exitCode == 0 }, "\(failures(ends))")
    }

    @Test func `a stale lock file of a killed process delays no other process`() throws {
        try world.signUp("ada")
        try world.write("999999\n", to: "\(world.sessionFolder)/.lock")
        try expect(world.logIn("ada").exitCode, 0)
        let holder = try holdLock()
        holder.send(SIGKILL)
        _ = holder.wait()
        try expect(world.logIn("ada").exitCode, 0)
    }

    @Test func `a login that waits too long for a lock fails and reports the process id of the lock holder`() throws {
        try world.signUp("ada")
        let holder = try holdLock()
        defer {
            holder.send(SIGKILL)
            _ = holder.wait()
        }
        let start = Date()
        let login = try world.start(["login", "ada", "--password-stdin", "--json"], input: .password)
        for words in [["token"], ["whoami"], ["whoami", "--offline"], ["sessions"], ["profile", "list"]] {
            try expect(world.start(words).wait(atMost: .seconds(5)).exitCode, 0, "\(words)")
        }
        #expect(Date().timeIntervalSince(start) < 8)
        let end = login.wait(atMost: .seconds(20))
        let waited = Date().timeIntervalSince(start)
        expect(end.exitCode, 12)
        #expect(9...15 ~= waited)
        let error = try end.error()
        expect(error.string("reason"), "locked")
        expect(error.flag("retryable"), true)
        expect(error.string("message")?.contains("process \(holder.process)"), true)
        try expect(world.sessionCount(), 1)
    }

    /// Starts a process that holds the lock of the sessions and has written its process id to the lock file.
    private func holdLock() throws -> RunningProgram {
        let terminal = PseudoTerminal()
        let script = """
            exec 9<>~/.config/authctl/sessions/.lock
            flock -x 9 && echo $$ >~/.config/authctl/sessions/.lock && echo "the lock is held"
            exec sleep 60 </dev/null >/dev/null 2>&1
            """
        let holder = try world.start([], terminal: terminal, program: ["/bin/bash", "-c", "trap '' HUP\n" + script])
        #expect(terminal.waitFor("the lock is held"))
        return holder
    }

    private func start(_ script: String) throws -> RunningProgram {
        try world.start([], environment: ["A": BuiltBinary.path], program: ["/bin/bash", "-c", script])
    }

    /// Starts all commands before waiting for the first one.
    private func all(_ commands: [[String]]) throws -> [Finished] {
        try commands.map { try world.start($0, input: .password) }.map { $0.wait(atMost: .seconds(60)) }
    }

    private func failures(_ ends: [Finished]) -> String {
        Set(ends.filter { $0.exitCode != 0 }.map { "\($0.exitCode ?? -1): \($0.stderr)" }).joined()
    }
}

/// `profile remove --force` while other processes log in to the profile.
@Suite(.mostlyWaits, .keepsSecrets) struct RemovedProfileTests {
    @Test func `concurrent logins during profile remove --force leave no session without a profile`() throws {
        let user = #""objectId":"g7y9tkhB7O","username":"ada""#
        let server = try ScriptedServer([
            "/parse/login": [.json(#"{\#(user),"sessionToken":"r:0123"}"#)], "/parse/logout": [.json("{}")],
        ])
        let world = Sandbox()
        let add = #""$A" profile add ci --backend parse --server '\#(server.url("/parse"))' --app-id shop >/dev/null"#
        let script = """
            \(add)
            for i in {1..10}; do
                for j in 1 2 3; do
                    "$A" login ada --password-stdin -p ci <<<'\(Sandbox.password)' >/dev/null 2>&1 &
                done
                "$A" profile remove ci --force >/dev/null 2>&1
                wait
                "$A" profile list | grep -q '^  *ci ' || ls ~/.config/authctl/sessions | grep '^ci'
                "$A" logout -p ci >/dev/null 2>&1
                \(add) 2>&1
            done
            """
        try expect(world.runScript(script).stdout, "")
        #expect(server.requests.contains { $0.target == "/parse/login" })
    }
}
