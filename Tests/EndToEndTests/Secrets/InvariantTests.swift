import Foundation
import TestSupport

/// The invariant checks of runs (`CompletedRun`) and of sandboxes (`Sandbox.broken`) detect violations.
@Suite(.mostlyWaits) struct InvariantTests {
    private let world = Sandbox()

    @Test(arguments: [
        Finished(exitCode: nil, signal: SIGSEGV), Finished(exitCode: 1), Finished(exitCode: 11),
        Finished(exitCode: 2, stderr: "authctl/Main.swift:3: Fatal error: Index out of range\n"),
        Finished(exitCode: 0, output: Data("{}\n{}\n".utf8)), Finished(exitCode: 0, output: Data("{} ".utf8)),
        Finished(exitCode: 0, output: Data([0x22, 0xFF, 0x22, 0x0A])), Finished(exitCode: 3, stderr: "not logged in\n"),
    ])
    func `the invariant checks detect a run that breaks an invariant`(end: Finished) {
        #expect(CompletedRun(words: ["whoami", "--json"], end: end).broken.count >= 1)
    }

    @Test func `the invariant checks detect a run that uses too much processor time`() {
        expect(CompletedRun(words: ["whoami"], end: Finished(exitCode: 0), processorTime: .seconds(3)).broken.count, 1)
    }

    @Test func `the invariant checks accept a correct run`() {
        let error = Finished(exitCode: 3, stderr: #"{"v":1,"kind":"error","error":{}}"# + "\n")
        expect(CompletedRun(words: ["whoami", "--json"], end: error).broken, [])
        expect(CompletedRun(words: ["whoami"], end: Finished(exitCode: nil, signal: SIGINT)).broken, [])
    }

    @Test(arguments: [
        "a p\u{E4}ss\"word", "x YSBww6Rzcyd3b3Jk", "x a p\\u00e4ss\\\"word", "a%20p%C3%A4ss%22word",
        "612070C3A4737322776F7264",
    ])
    func `the secret search finds only the given secret, in raw, JSON, percent-encoded or hex form`(text: String) {
        expect(SecretForms("a p\u{E4}ss\"word").isFound(in: text), !text.hasPrefix("x YSB"))
    }

    @Test(arguments: 0..<3)
    func `the secret search finds a secret in base64 at every offset`(offset: Int) {
        let secret = "r:0123456789abcdef"
        let text = Data((String(repeating: "x", count: offset) + secret + "!").utf8).base64EncodedString()
        #expect(SecretForms(secret).isFound(in: text))
        #expect(!SecretForms("r:X123456789abcdef").isFound(in: text))
    }

    @Test func `the invariant checks detect a secret in a file`() throws {
        try world.signUp("ada")
        expect(world.broken(.works), [])
        try world.runScript("echo '\(world.token())' >~/leak")
        expect(world.broken(.none).count, 1)
        try world.runScript("rm ~/leak; printf %s '\(Sandbox.password)' | base64 >~/leak")
        expect(world.broken(.none).count, 1)
    }

    @Test(arguments: [
        "chmod 644 ~/.config/authctl/sessions/default~~*.json", "ln ~/.config/authctl/sessions/default~~*.json ~/other",
        "touch ~/.config/authctl/sessions/.authctl-new-1", "echo '{' >~/.config/authctl/config.json",
    ])
    func `the invariant checks detect an unsafe, leftover or damaged file of the store`(harm: String) throws {
        try world.signUp("ada")
        try world.runScript("umask 077; \(harm)")
        #expect(world.broken(.works).count >= 1)
    }
}
