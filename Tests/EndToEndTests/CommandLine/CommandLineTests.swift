import Foundation
import TestSupport
import Testing

/// The command line as a process: standard streams, exit codes, and a system without /proc.
@Suite struct CommandLineTests {
    private let world: Sandbox

    init() throws {
        world = try Sandbox()
    }

    @Test(.enabled(if: Host.canMount, "needs root and the right to mount"))
    func `commands work without /proc`() throws {
        let script = """
            mount -t tmpfs none /proc || exit 99
            "$A" signup ada --password-stdin <<<'\(Sandbox.password)' >/dev/null || exit 98
            "$A" token >/dev/null || exit 97
            "$A" logout
            """
        let result = try world.start(
            [], environment: ["A": BuiltBinary.path],
            program: ["/usr/bin/unshare", "-m", "/bin/bash", "-c", script]
        ).wait()
        #expect(result.exitCode == 0, "\(result.stderr)")
    }

    @Test(arguments: [["--version"], ["version"]])
    func `the version is printed on one line`(words: [String]) throws {
        let version = try world.start(words).wait()
        #expect(version.exitCode == 0)
        #expect(version.stdout.wholeMatch(of: /authctl \d+\.\d+\.\d+\n/) != nil)
        #expect(version.stderr.isEmpty)
    }

    @Test func `a reader that closes the pipe early causes no error message`() throws {
        let result = try world.runScript(#""$A" --help | head -1; echo ${PIPESTATUS[0]}"#)
        #expect(result.stdout.hasSuffix("\n0\n") || result.stdout.hasSuffix("\n141\n"))
        #expect(result.stderr.isEmpty)
    }

    @Test func `every line on standard error starts with the program's name`() throws {
        for words in [["logni"], ["token"], ["login"], ["signup", "a", "--password-stdin"], ["whoami", "-p", "x"]] {
            let result = try world.start(words, input: .password).wait()
            #expect(result.errorLines.allSatisfy { $0.hasPrefix("authctl: ") }, "\(result.stderr)")
        }
    }
}
