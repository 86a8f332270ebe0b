import Foundation
import TestSupport
import Testing

/// The lists that completion scripts request from authctl while the user types.
@Suite struct CompletionListTests {
    private let world: Sandbox

    init() throws {
        world = try Sandbox()
    }

    @Test(.enabled(if: Host.canTrace, "needs strace"))
    func `completing session names opens no session file and no socket`() throws {
        try world.run("profile", "add", "ci", "--backend", "local")
        try world.signUp("ada", "--as", "ada")
        try world.logIn("ada", "--as", "bob")
        try world.logIn("ada", "-p", "ci", "--as", "night")
        let trace = "\(world.root)/trace"
        let words = ["__complete", "session-names", "authctl", "-p", "ci", "whoami", "--as"]
        let result = try world.start(words, under: .strace("network,openat,open", into: trace)).wait()
        #expect(result.stdout == "night\n")
        let calls = try world.text(trace)
        #expect(!calls.contains("socket") && !calls.contains("connect"))
        #expect(!calls.contains("~night~") && !calls.contains("local.db"))
    }

    @Test(arguments: [
        (["authctl", "whoami", "--as"], "ada\nbob\n"), (["authctl"], "ada\nbob\n"),
        (["authctl", "--as", "x", "-pci", "login", "--password-file", "x", "--as"], "night\n"),
        (["authctl", "-p", "none", "--as"], ""), (["authctl", "--backend", "parse", "--as"], ""), ([], "ada\nbob\n"),
    ])
    func `the completion list contains the session names of the profile in the command line`(
        line: [String], list: String
    ) throws {
        try world.run("profile", "add", "ci", "--backend", "local")
        try world.signUp("ada", "--as", "bob")
        try world.logIn("ada", "--as", "ada")
        try world.logIn("ada", "-p", "ci", "--as", "night")
        let result = try world.start(["__complete", "session-names"] + line).wait()
        #expect(result.exitCode == 0 && result.stdout == list && result.stderr.isEmpty)
    }

    @Test(arguments: ["{", "{\"v\": 99}", "", "\0"])
    func `completion lists only the profile 'default' if the configuration cannot be read`(text: String) throws {
        try world.write(text, to: world.configurationFile)
        #expect(try list() == "default\n")
    }

    @Test func `completion lists only the profile 'default' if the configuration folder is unknown`() throws {
        let result = try world.run("__complete", "profiles", environment: ["HOME": nil])
        #expect(result.exitCode == 0 && result.stdout == "default\n" && result.stderr.isEmpty)
    }

    @Test(.enabled(if: Host.hasFullDevice, "needs /dev/full"))
    func `a completion list that cannot be written is not an error`() throws {
        #expect(try world.runScript(#""$A" __complete profiles >/dev/full; echo $?"#).stdout == "0\n")
    }

    private func list() throws -> String {
        let result = try world.run("__complete", "profiles")
        #expect(result.exitCode == 0)
        #expect(result.stderr.isEmpty)
        return result.stdout
    }
}
