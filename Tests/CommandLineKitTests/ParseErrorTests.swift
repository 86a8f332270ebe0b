import CommandLineKit
import Testing

@Suite struct ParseErrorTests {
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
        ("--version", "unknown option '--version'", "see 'authctl login --help'"),
        ("--otp", "option '--otp' needs a value", "see 'authctl login --help'"),
        ("--otp --offline", "option '--otp' needs a value", "see 'authctl login --help'"),
        ("--otp --profile=x", "option '--otp' needs a value", "see 'authctl login --help'"),
        ("--otp -q", "option '--otp' needs a value", "see 'authctl login --help'"),
        ("--otp -- x", "option '--otp' needs a value", "see 'authctl login --help'"),
        ("-qp", "option '-p' needs a value", "see 'authctl login --help'"),
        ("--quiet=yes", "option '--quiet' takes no value", "see 'authctl login --help'"),
        ("--help=me", "option '--help' takes no value", "see 'authctl login --help'"),
        ("--password x", "there is no option '--password'", "use --password-stdin"),
        ("ada extra", "unexpected argument 'extra'", "see 'authctl login --help'"),
        ("--output xml", "'xml' is not one of text, json (option '--output')", nil),
        ("--backend=x", "'x' is not one of local, parse (option '--backend')", nil),
        ("--timeout soon", "'soon' is not a number of seconds (option '--timeout')", nil),
        ("ada bob --bogus", "unknown option '--bogus'", "see 'authctl login --help'"),
    ])
    func `says what is wrong and what to do next`(line: String, message: String, hint: String?) {
        #expect(throws: ParseError(message, hint: hint)) {
            try Sample.login.parse(Sample.words(line), program: Sample.program)
        }
    }

    @Test(arguments: [([], "NAME"), (["work"], "VALUE"), (["work", "--"], "VALUE")])
    func `names a missing operand`(words: [String], name: String) {
        #expect(throws: ParseError("missing argument \(name)", hint: "see 'authctl profile set --help'")) {
            try Sample.set.parse(words, program: Sample.program)
        }
    }

    @Test(arguments: ["", "printf", "--"])
    func `asks for a command after the dashes`(line: String) {
        #expect(throws: ParseError("missing COMMAND after '--'", hint: "see 'authctl exec --help'")) {
            try Sample.exec.parse(line.isEmpty ? [] : [line], program: Sample.program)
        }
    }

    @Test func `refuses operands before a remainder`() {
        #expect(throws: ParseError("unexpected argument 'x'", hint: "see 'authctl exec --help'")) {
            try Sample.exec.parse(["x", "--", "printf"], program: Sample.program)
        }
    }

    @Test func `has nobody to answer a wish for help without a program`() {
        #expect(throws: ParseError("unexpected option '--help'")) { try Sample.login.parse(["--help"]) }
    }

    @Test(arguments: [
        "--password hunter2", "--password=hunter2", "--password= hunter2", "--password=\u{301}hunter2",
        "ada --password hunter2", "ada extra --password hunter2", "hunter2 extra --password",
        "--pasword=hunter2", "--pasword hunter2", "--pasword hunter2 extra", "--pasword=\u{301}hunter2",
        "--=hunter2", "-xhunter2", "-x hunter2", "-qxhunter2", "-x=hunter2", "--quiet=hunter2",
        "--password-stdin=hunter2", "--help=hunter2", "--bogus --output hunter2",
    ])
    func `never repeats what may be a secret`(line: String) throws {
        let afterName = try #require(throws: ParseError.self) {
            try Sample.login.parse(Sample.words(line), program: Sample.program)
        }
        let beforeName = try #require(throws: ParseError.self) {
            try CommandLineHead(
                Sample.words("\(line.drop { $0 != "-" }) login"), program: Sample.program.description,
                commands: Sample.names)
        }
        for error in [afterName, beforeName] {
            let text = error.message + (error.hint ?? "")
            #expect(!text.contains("hunter2"))
        }
    }
}
