import Foundation
import TestSupport

/// The answers that completion scripts request from authctl while the user types.
@Suite(.mostlyWaits) struct CompletionListTests {
    private let world = Sandbox()

    @Test(.enabled(if: Host.canTrace, "needs strace"))
    func `completing session names opens no session file and no socket`() throws {
        try world.run("profile", "add", "ci", "--backend", "local", "--no-use")
        try world.signUp("ada", "--as", "ada")
        try world.logIn("ada", "--as", "bob")
        try world.logIn("ada", "-p", "ci", "--as", "night")
        let trace = "\(world.root)/trace"
        let words = ["__complete", "bash", "--", "-p", "ci", "whoami", "--as", ""]
        let result = try world.start(words, under: .strace("network,openat,open", into: trace)).wait()
        expect(result.stdout, "night\t\n")
        let calls = try world.text(trace)
        #expect(!calls.contains("socket") && !calls.contains("connect"))
        #expect(!calls.contains("~night~") && !calls.contains("local.db"))
    }

    @Test(arguments: [
        (["whoami", "--as"], "ada\t\nbob\t\n"), (["--as"], "ada\t\nbob\t\n"),
        (["--as", "x", "-pci", "login", "--password-file", "x", "--as"], "night\t\n"),
        (["-p", "none", "--as"], "none\n"), (["--backend", "parse", "--as"], "none\n"),
    ])
    func `the completion list contains the session names of the profile in the command line`(
        line: [String], list: String
    ) throws {
        try world.run("profile", "add", "ci", "--backend", "local", "--no-use")
        try world.signUp("ada", "--as", "bob")
        try world.logIn("ada", "--as", "ada")
        try world.logIn("ada", "-p", "ci", "--as", "night")
        let result = try world.start(["__complete", "bash", "--"] + line + [""]).wait()
        #expect(result.exitCode == 0 && result.stdout == list && result.stderr.isEmpty)
    }

    @Test(arguments: ["{", "{\"v\": 99}", "", "\0"])
    func `completion lists only the profile 'default' if the configuration cannot be read`(text: String) throws {
        try world.write(text, to: world.configurationFile)
        try expect(list(), "default\t\n")
    }

    @Test func `completion lists only the profile 'default' if the configuration folder is unknown`() throws {
        let result = try world.run("__complete", "bash", "--", "-p", "", environment: ["HOME": nil])
        #expect(result.exitCode == 0 && result.stdout == "default\t\n" && result.stderr.isEmpty)
    }

    @Test(.enabled(if: Host.hasFullDevice, "needs /dev/full"))
    func `a completion list that cannot be written is not an error`() throws {
        try expect(world.runScript(#""$A" __complete bash -- -p '' >/dev/full; echo $?"#).stdout, "0\n")
    }

    /// The words are shell syntax for COMP_WORDS: bash splits a line at blanks outside quotes, and at `=` and `:`.
    @Test(arguments: [
        ("whoami --output=t", "whoami --output = t", "text"), ("whoami --output=", "whoami --output =", "text json"),
        ("whoami --output=t", "whoami --output=t", "--output=text"), ("-p a=b tok", "-p a = b tok", "token"),
        ("--server http://x:1 tok", "--server http : //x : 1 tok", "token"), ("  tok", "tok", "token"),
        ("'tok", "\\'tok", "token"), ("--as 'a b' tok", #"--as "'a b'" tok"#, "token"),
        ("login --password-file=/us", "login --password-file = /us", "/usr"), ("tok", "tok", "token"),
        ("serve --mail-dir /us", "serve --mail-dir /us", "/usr"), ("login -- --lo", "login -- --lo", ""),
    ])
    func `bash receives only the part of a word that it replaces`(line: String, words: String, offered: String) throws {
        try world.write("authctl \(line)", to: "\(world.home)/line")
        let result = try world.runScript(
            """
            set -u
            eval "$("$A" completion bash)"
            PATH=$(dirname "$A"):$PATH COMP_LINE=$(cat line) COMP_WORDS=(authctl \(words))
            COMP_POINT=${#COMP_LINE} COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _authctl
            echo "${COMPREPLY[*]-}"
            """)
        #expect(result.stdout == "\(offered)\n" && result.stderr.isEmpty)
    }

    private func list() throws -> String {
        let result = try world.run("__complete", "bash", "--", "-p", "")
        expect(result.exitCode, 0)
        #expect(result.stderr.isEmpty)
        return result.stdout
    }
}
