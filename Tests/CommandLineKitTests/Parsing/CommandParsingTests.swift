import Expectations

@testable import CommandLineKit

@Suite struct CommandParsingTests {
    typealias Login = Sample.Login
    typealias Global = Sample.Global

    @Test(arguments: [
        ("ada", Login(username: "ada")),
        ("ada --otp 123", Login(username: "ada", otp: "123")),
        ("--otp=123 ada", Login(username: "ada", otp: "123")),
        ("--otp=a=b", Login(otp: "a=b")),
        ("--otp=", Login(otp: "")),
        ("--otp 1 --otp 2", Login(otp: "2")),
        ("--otp -5 ada", Login(username: "ada", otp: "-5")),
        ("--otp=-q", Login(otp: "-q")),
        ("--otp=--offline", Login(otp: "--offline")),
        ("--otp -", Login(otp: "-")),
        ("-f a=1 -fb=2 --field c=3", Login(fields: ["a=1", "b=2", "c=3"])),
        ("--backend parse", Login(backend: .parse)),
        ("--offline --password-stdin", Login(readsPassword: true, checksServer: false)),
        ("--offline -- --weird", Login(username: "--weird", checksServer: false)),
        ("-", Login(username: "-")),
        ("-- --", Login(username: "--")),
        ("", Login(username: "")),
    ])
    func `the options and operands of a command are parsed`(line: String, expected: Login) throws {
        try expect(Sample.login.parse(Sample.words(line)), expected)
    }

    @Test(arguments: [
        ("-p work ada", Global(profile: "work")),
        ("ada -pwork", Global(profile: "work")),
        ("--profile=work ada", Global(profile: "work")),
        ("-qv ada", Global(isQuiet: true, isVerbose: true)),
        ("ada -qvp work", Global(profile: "work", isQuiet: true, isVerbose: true)),
        ("ada -qpv", Global(profile: "v", isQuiet: true)),
        ("--json ada", Global(format: .json)),
        ("--output json ada --output text", Global(format: .text)),
        ("--output text ada --json", Global(format: .json)),
        ("--timeout 5 ada --timeout 7", Global(timeout: 7)),
        ("ada --style json", Global(color: .json)),
    ])
    func `global options among the options of a command are parsed`(line: String, expected: Global) throws {
        let parsed = try Sample.login.parse(Sample.words(line), program: Sample.program)
        expect(parsed, .run(Login(username: "ada"), expected))
    }

    @Test func `operands are parsed in order, and the last operand takes all remaining words`() throws {
        let parsed = try Sample.set.parse(["work", "server", "--", "-x"])
        expect(parsed, Sample.Set(name: "work", values: ["server", "-x"]))
    }

    @Test func `the words after -- are the command to run`() throws {
        let parsed = try Sample.exec.parse(["-q", "--", "printf", "--", "--help"], program: Sample.program)
        expect(parsed, .run(Sample.Exec(command: ["printf", "--", "--help"]), Global(isQuiet: true)))
    }

    @Test func `an optional command to run may be omitted, but not after --`() throws {
        try expect(Sample.serve.parse([]), Sample.Exec())
        try expect(Sample.serve.parse(["--", "npm", "-q"]), Sample.Exec(command: ["npm", "-q"]))
        let error = #expect(throws: CommandLineError.self) { try Sample.serve.parse(["--"]) }
        expect(error?.message, "missing COMMAND after '--'")
    }

    @Test(arguments: [
        "--help", "-h", "ada extra --help", "--bogus -h", "--output wrong --help", "--otp --help", "-qh",
        "--password x --help", "--timeout soon -h --",
    ])
    func `--help takes precedence over errors on the command line`(line: String) throws {
        try expect(Sample.login.parse(Sample.words(line), program: Sample.program), .help)
    }

    @Test(arguments: ["--otp=--help", "-ph", "--otp=-h", "-- -h"])
    func `--help as an option value or an operand does not request help`(line: String) throws {
        #expect(try Sample.login.parse(Sample.words(line), program: Sample.program) != .help)
    }

    @Test(arguments: [
        ("login --bogus --json", Global(format: .json)),
        ("--output wrong -q login extra --help", Global(isQuiet: true)),
        ("--timeout soon --profile", Global()),
        ("login --otp 5 --json", Global(format: .json)),
        ("exec -- x --json", Global()),
    ])
    func `lenient parsing reads the valid global options and skips invalid words`(line: String, expected: Global) {
        expect(Sample.program.parseLeniently(Sample.words(line)), expected)
    }

    @Test(arguments: [
        ("exec echo hi", "echo hi"), ("exec ls -la --json -- x", "ls -la --json -- x"),
        ("exec -q echo", "-q|echo"), ("-p work exec echo --bogus", "-p work|echo --bogus"),
    ])
    func `the error for a missing -- before the command to run contains the corrected command line`(
        line: String, expected: String
    ) throws {
        let words = Sample.words(line)
        let head = try CommandLineHead(words, program: Sample.program.description, commands: Sample.names)
        let error = try #require(throws: CommandLineError.self) {
            try Sample.exec.parse(head.words, program: Sample.program)
        }
        let parts = expected.split(separator: "|").map { Sample.words(String($0)) }
        let before = parts.count == 2 ? parts[0] : []
        expect(error.correction?.words, ["authctl", "exec"] + before + ["--"] + (parts.last ?? []))
        expect(error.message, "missing '--' before COMMAND")
    }

    @Test func `exec ls --help requests the help of exec, because no -- precedes ls`() throws {
        try expect(Sample.exec.parse(["ls", "--help"], program: Sample.program), .help)
    }
}

@Suite struct SuggestionsTests {
    @Test(arguments: [
        ("logni", ["login"]), ("lgoin", ["login"]), ("logins", ["login"]), ("Login", ["login"]),
        ("log", ["login", "logout"]), ("logou", ["logout"]), ("session", ["sessions", "sessions revoke"]),
        ("tokn", ["token"]), ("l", []), ("", []), ("t0k3n5", []), ("help-me", []), ("exce", ["exec"]),
    ])
    func `at most the two closest names are suggested for a misspelled word`(word: String, expected: [String]) {
        let names = ["login", "logout", "token", "exec", "sessions", "sessions revoke", "link-facebook"]
        expect(Suggestions.closest(to: word, among: names), expected)
    }

    @Test(arguments: [
        ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("abc", "adc", 1),
        ("abc", "ab", 1), ("kitten", "sitting", 3), ("ca", "abc", 3),
    ])
    func `the edit distance counts inserted, deleted, replaced and swapped letters`(
        first: String, second: String, distance: Int
    ) {
        expect(Suggestions.distance(first, second), distance)
    }

    @Test func `a did-you-mean question names the suggested word, and is omitted without a suggestion`() {
        expect(Suggestions.question(for: "xyzzy", among: ["login"]), nil)
        expect(Suggestions.question(for: "login", among: ["login"])?.contains("'login'"), true)
        expect(Suggestions.question(for: "jsno", among: ["json"], dashes: "--")?.contains("'--json'"), true)
    }
}
