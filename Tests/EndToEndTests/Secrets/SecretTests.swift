import Foundation
import TestSupport

/// For local accounts, the password does not leave the process, and the token is written only to the session file.
@Suite(.mostlyWaits, .keepsInvariants) struct SecretTests {
    private let world = Sandbox()
    private let password = "canary-pa55w\u{F6}rd \"quoted\""

    @Test(.enabled(if: Host.canTrace, "needs strace"))
    func `a local signup never writes the password, and writes the token only to the session file`() throws {
        let trace = "\(world.root)/trace"
        let under = [
            "/usr/bin/strace", "-f", "-qq", "-s", "100000", "-xx", "-o", trace, "-e", "trace=write,pwrite64,pwritev",
        ]
        let words = ["signup", "ada", "--password-stdin"]
        try expect(world.start(words, input: "\(password)\n", under: under).wait().exitCode, 0)
        func traced(_ text: String) -> String { text.utf8.map { "\\x" + hex([$0]) }.joined() }
        let lines = try world.text(trace).split(separator: "\n")
        #expect(lines.contains { $0.contains("pwrite64") && $0.contains(traced("ada")) })
        #expect(!lines.contains { $0.contains(traced(password)) })
        let token = traced(try world.token())
        // Only one system call contains the token: the write of the session file.
        expect(lines.filter { $0.contains(token) }.count, 1)
        #expect(lines.filter { $0.contains(token) }.allSatisfy { $0.contains(traced(#"{"v":1,"profile""#)) })
    }

    @Test(.enabled(if: Host.canTrace, "needs strace"))
    func `a command for local accounts starts no program and opens no connection`() throws {
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
            expect(lines.filter { $0.contains("execve(") }.count, 1, "\(words)")
            #expect(!lines.contains { $0.contains("connect(") }, "\(words)")
        }
    }

    @Test(.enabled(if: Host.hasProc, "needs /proc"))
    func `authctl disables core dumps`() throws {
        let terminal = PseudoTerminal()
        let login = try world.start(["login", "ada"], under: .shell("ulimit -c unlimited"), terminal: terminal)
        #expect(terminal.waitFor(Prompt.password))
        // The limit must be 1: if it is 0, Linux still pipes a core dump to the program that core_pattern names.
        let limits = try world.text("/proc/\(login.process)/limits")
        #expect(limits.contains(#/Max core file size +1 /#))
        terminal.type("\u{3}")
        login.wait()
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String(format: "%02x", $0) }.joined()
    }
}
