import CommandLineKit
import Expectations
import MessageSnapshots

@Suite struct CommandLineErrorTests {
    @Test func `an error about an argument names the argument and a next step`() throws {
        try expectErrors(of: [
            "--bogus", "--pasword-stdin", "--profil x", "--hepl", "--=x", "-x", "-qx", "-profile x", "-password x",
            "--otp --bogus", "--version", "--otp", "--otp --offline", "--otp --profile=x", "--otp -q", "--otp -- x",
            "-qp", "--quiet=yes", "--help=me", "--password x", "ada extra", "--output xml", "--backend=x",
            "--timeout soon", "ada bob --bogus",
        ]) { words in try Sample.login.parse(words, program: Sample.program) }
    }

    @Test func `the error for a missing operand names the operand`() throws {
        try expectErrors(of: ["", "work", "work --"]) { words in try Sample.set.parse(words, program: Sample.program) }
    }

    @Test func `exec requires -- directly before the command to run`() throws {
        try expectErrors(of: ["", "printf", "--", "x -- printf"]) { words in
            try Sample.exec.parse(words, program: Sample.program)
        }
    }

    @Test func `a command parser without global options rejects --help`() throws {
        try expectErrors(of: ["--help"]) { words in try Sample.login.parse(words) }
    }

    @Test(arguments: ["FILE", "FOLDER"])
    func `an option with an empty path as its value is rejected as a usage error`(placeholder: String) throws {
        let command = CommandSpec<Sample.Set>(
            "sign", summary: "Sign a text",
            arguments: [.option({ $0.name = $1 }, "key", value: placeholder, help: "The key.")])
        for words in [["--key="], ["--key", ""]] {
            let error = try #require(throws: CommandLineError.self) { try command.parse(words) }
            expect(error.message, "the path is empty (option '--key')")
        }
    }

    @Test(arguments: [
        "--password hunter2", "--password=hunter2", "--password= hunter2", "--password=\u{301}hunter2",
        "ada --password hunter2", "ada extra --password hunter2", "hunter2 extra --password",
        "--pasword=hunter2", "--pasword hunter2", "--pasword hunter2 extra", "--pasword=\u{301}hunter2",
        "--=hunter2", "-xhunter2", "-x hunter2", "-qxhunter2", "-x=hunter2", "--quiet=hunter2",
        "--password-stdin=hunter2", "--help=hunter2", "--bogus --output hunter2",
        "--output --pasword=hunter2", "--profile --pasword=hunter2", "-password=hunter2", "-password hunter2",
        "--pasword:hunter2",
    ])
    func `an error never repeats a value that may be a secret`(line: String) throws {
        for error in try errors(Sample.words(line)) { #expect(!text(error).contains("hunter2")) }
    }

    @Test func `an error never repeats a secret if the option and the secret are quoted as one argument`() throws {
        for error in try errors(["--password hunter2"]) {
            #expect(error.message.contains("'--password'"))
            #expect(!text(error).contains("hunter2"))
        }
    }

    /// The errors of two command lines: `login WORDS`, and `WORDS login` without the operands before the first option.
    private func errors(_ words: [String]) throws -> [CommandLineError] {
        let afterName = #expect(throws: CommandLineError.self) {
            try Sample.login.parse(words, program: Sample.program)
        }
        let options = Array(words.drop { !$0.hasPrefix("-") })
        let beforeName = #expect(throws: CommandLineError.self) {
            try CommandLineHead(options + ["login"], program: Sample.program.description, commands: Sample.names)
        }
        return [try #require(afterName), try #require(beforeName)]
    }

    /// Compares the errors of these command lines with the section of the running test in `Tests/Messages`.
    private func expectErrors<Value>(of lines: [String], _ parse: ([String]) throws -> Value) throws {
        MessageFile("command-line").expect(try Sample.errors(of: lines, parse))
    }

    private func text(_ error: CommandLineError) -> String {
        ([error.message] + error.hints).joined(separator: " ")
    }
}
