import Foundation
import TestSupport
import Testing

/// Passwords and tokens appear only in their own files.
@Suite(.keepsInvariants) struct SecretTests {
    private let world: Sandbox
    private let password = "canary-pa55w\u{F6}rd \"quoted\""

    init() throws {
        world = try Sandbox()
    }

    @Test func `the commands of a local account put the password into no file and no output`() throws {
        var said = ""
        var tokens: Set<String> = []
        func run(_ words: String..., checksOutput: Bool = true) throws {
            let input: Input = "\(password)\n"
            let result = try world.start(words, input: input).wait()
            if checksOutput { said += result.everything }
            if let token = try? world.token(), !token.isEmpty { tokens.insert(token) }
        }
        try run("signup", "ada", "--password-stdin", "-v")
        try run("login", "ada", "--password-stdin", "-v", "--json")
        try run("whoami", "-v")
        try run("whoami", "-v", "--json")
        try run("sessions", "-v")
        try run("profile", "add", "ci", "--backend", "local", "-v")
        try run("login", "ada", "--password-stdin", "-p", "ci", "-v")
        try run("login", "ada", "--password-file", "-", "-v")
        try run("signup", "ada", "--password-stdin", "-v")
        try run("token", "-v", checksOutput: false)
        try run("profile", "list", "-v")
        try run("sessions", "revoke", "--others", "-v", "--json")
        #expect(tokens.count == 3)
        let everywhere = Data(said.utf8) + world.snapshot().values.reduce(Data()) { $0 + Data($1) }
        #expect(!SecretForms(password).isFound(in: everywhere))
        for token in tokens {
            #expect(!SecretForms(token).isFound(in: said))
        }
        let current = try world.token()
        for (path, bytes) in world.snapshot() where Data(bytes).range(of: Data(current.utf8)) != nil {
            #expect(path == world.sessionFile())
        }
        try run("logout", "-v")
        for (path, bytes) in world.snapshot() {
            #expect(!SecretForms(current).isFound(in: Data(bytes)), "\(path)")
        }
        #expect(!SecretForms(current).isFound(in: said))
    }

    @Test(.enabled(if: Host.canTrace, "needs strace"))
    func `no write to the database holds the password or the token`() throws {
        let trace = "\(world.root)/trace"
        let under = [
            "/usr/bin/strace", "-f", "-qq", "-s", "100000", "-xx", "-o", trace, "-e", "trace=write,pwrite64,pwritev",
        ]
        let words = ["signup", "ada", "--password-stdin"]
        #expect(try world.start(words, input: "\(password)\n", under: under).wait().exitCode == 0)
        func traced(_ text: String) -> String { text.utf8.map { "\\x" + hex([$0]) }.joined() }
        let lines = try world.text(trace).split(separator: "\n")
        #expect(lines.contains { $0.contains("pwrite64") && $0.contains(traced("ada")) })
        #expect(!lines.contains { $0.contains(traced(password)) })
        let token = traced(try world.token())
        // The only write of the session file.
        #expect(lines.filter { $0.contains(token) }.count == 1)
        #expect(lines.filter { $0.contains(token) }.allSatisfy { $0.contains(traced(#"{"v":1,"profile""#)) })
    }

    @Test func `a password is stored as argon2id hash with its own salt`() throws {
        try world.signUp("ada")
        try world.signUp("bob")
        let hashes = try world.text(world.database).matches(of: /\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([^$]+)\$/)
        let all = try world.runScript("cat ~/.local/share/authctl/local.db*").stdout
        #expect(!all.contains(Sandbox.password))
        #expect(hashes.count >= 2)
        #expect(hashes.allSatisfy { Int($0.1)! >= 19456 && Int($0.2)! >= 2 && $0.3.count >= 22 })
        #expect(Set(hashes.map(\.3)).count >= 2)
    }

    @Test(.enabled(if: Host.hasProc, "needs /proc"))
    func `the process list shows no secret of a login`() throws {
        let terminal = try PseudoTerminal()
        let login = try world.start(
            ["login", "ada"], environment: ["AUTHCTL_TOKEN": "canary", "AUTHCTL_BACKEND": "local"], terminal: terminal)
        #expect(terminal.waitFor(Prompt.password))
        let arguments = try world.text("/proc/\(login.process)/cmdline")
        #expect(arguments == "\(BuiltBinary.path)\0login\0ada\0")
        terminal.type("\u{3}")
        #expect(login.wait().signal == SIGINT)
    }

    @Test(.enabled(if: Host.canTrace, "needs strace"))
    func `no command starts another program or opens a connection for local accounts`() throws {
        let trace = "\(world.root)/trace"
        for words in [
            ["signup", "ada", "--password-stdin"], ["login", "ada", "--password-stdin"], ["whoami"], ["sessions"],
            ["help", "login"], ["logout"],
        ] {
            let environment = ["PAGER": "/bin/cat", "BROWSER": "/bin/true", "EDITOR": "/bin/true"]
            try world.start(
                words, input: .password, environment: environment, under: .strace("execve,connect", into: trace)
            ).wait()
            let lines = try world.text(trace).split(separator: "\n")
            #expect(lines.filter { $0.contains("execve(") }.count == 1, "\(words)")
            #expect(!lines.contains { $0.contains("connect(") }, "\(words)")
        }
    }

    @Test(.enabled(if: Host.hasProc, "needs /proc"))
    func `a process disables its core files`() throws {
        let terminal = try PseudoTerminal()
        let login = try world.start(["login", "ada"], under: .shell("ulimit -c unlimited"), terminal: terminal)
        #expect(terminal.waitFor(Prompt.password))
        // With a limit of 0 Linux would still pipe the core to a program in core_pattern.
        let limits = try world.text("/proc/\(login.process)/limits")
        #expect(limits.contains(#/Max core file size +1 /#))
        terminal.type("\u{3}")
        login.wait()
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String(format: "%02x", $0) }.joined()
    }
}
