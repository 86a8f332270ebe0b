import CommandLineKit
import Testing

@Suite struct CommandLineErrorTests {
    @Test(arguments: [
        ("--bogus", "unknown option '--bogus'", "see 'authctl login --help'"),
        (
            "--pasword-stdin", "unknown option '--pasword-stdin'",
            "did you mean '--password-stdin'? see 'authctl login --help'"
        ),
        ("--profil x", "unknown option '--profil'", "did you mean '--profile'? see 'authctl login --help'"),
        ("--hepl", "unknown option '--hepl'", "did you mean '--help'? see 'authctl login --help'"),
        ("--=x", "unknown option '--'", "see 'authctl login --help'"),
        ("-x", "unknown option '-x'", "see 'authctl login --help'"),
        ("-qx", "unknown option '-x'", "see 'authctl login --help'"),
        ("-profile x", "unknown option '-profile'", "did you mean '--profile'? see 'authctl login --help'"),
        ("-password x", "there is no option '-password'", "use --password-stdin"),
        ("--otp --bogus", "option '--otp' needs a value: CODE", "see 'authctl login --help'"),
        ("--version", "unknown option '--version'", "see 'authctl login --help'"),
        ("--otp", "option '--otp' needs a value: CODE", "see 'authctl login --help'"),
        ("--otp --offline", "option '--otp' needs a value: CODE", "see 'authctl login --help'"),
        ("--otp --profile=x", "option '--otp' needs a value: CODE", "see 'authctl login --help'"),
        ("--otp -q", "option '--otp' needs a value: CODE", "see 'authctl login --help'"),
        ("--otp -- x", "option '--otp' needs a value: CODE", "see 'authctl login --help'"),
        ("-qp", "option '-p' needs a value: NAME", "see 'authctl login --help'"),
        ("--quiet=yes", "option '--quiet' takes no value", "see 'authctl login --help'"),
        ("--help=me", "option '--help' takes no value", "see 'authctl login --help'"),
        ("--password x", "there is no option '--password'", "use --password-stdin"),
        ("ada extra", "unexpected argument after USERNAME", "see 'authctl login --help'"),
        ("--output xml", "'xml' is not one of text, json (option '--output')", nil),
        ("--backend=x", "'x' is not one of local, parse (option '--backend')", nil),
        ("--timeout soon", "'soon' is not a number of seconds (option '--timeout')", nil),
        ("ada bob --bogus", "unknown option '--bogus'", "see 'authctl login --help'"),
    ])
    func `says what is wrong and what to do next`(line: String, message: String, hint: String?) {
        let error = #expect(throws: CommandLineError.self) {
            try Sample.login.parse(Sample.words(line), program: Sample.program)
        }
        #expect(error?.message == message)
        #expect(error?.hints.joined(separator: " ") == hint ?? "")
    }

    @Test(arguments: [([], "NAME"), (["work"], "VALUE"), (["work", "--"], "VALUE")])
    func `names a missing operand`(words: [String], name: String) {
        #expect(throws: CommandLineError("missing argument \(name)", hints: ["see 'authctl profile set --help'"])) {
            try Sample.set.parse(words, program: Sample.program)
        }
    }

    @Test(arguments: ["", "printf", "--"])
    func `asks for a command after the dashes`(line: String) {
        #expect(throws: CommandLineError("missing COMMAND after '--'", hints: ["see 'authctl exec --help'"])) {
            try Sample.exec.parse(line.isEmpty ? [] : [line], program: Sample.program)
        }
    }

    @Test func `refuses operands before a remainder`() {
        #expect(throws: CommandLineError("unexpected argument 'x'", hints: ["see 'authctl exec --help'"])) {
            try Sample.exec.parse(["x", "--", "printf"], program: Sample.program)
        }
    }

    @Test func `has nobody to answer a wish for help without a program`() {
        #expect(throws: CommandLineError("unexpected option '--help'")) { try Sample.login.parse(["--help"]) }
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
    func `never repeats what may be a secret`(line: String) throws {
        for error in try errors(Sample.words(line)) { #expect(!text(error).contains("hunter2")) }
    }

    @Test func `never repeats a secret quoted into one word with its option`() throws {
        for error in try errors(["--password hunter2"]) {
            #expect(error.message == "unknown option '--password'")
            #expect(!text(error).contains("hunter2"))
        }
    }

    /// What is said of the words after a command's name, and of their options before it.
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

    private func text(_ error: CommandLineError) -> String {
        ([error.message] + error.hints).joined(separator: " ")
    }
}
