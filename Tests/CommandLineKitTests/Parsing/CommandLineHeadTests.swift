import CommandLineKit
import Expectations
import MessageSnapshots

@Suite struct CommandLineHeadTests {
    @Test(arguments: [
        ("login ada", "login", "ada"),
        ("login --bogus ada", "login", "--bogus ada"),
        ("--profile work login ada", "login", "--profile work ada"),
        ("-qpwork --json login ada -v", "login", "-qpwork --json ada -v"),
        ("profile set work", "profile set", "work"),
        ("-q profile --json -p x set work -v", "profile set", "-q --json -p x work -v"),
        ("sessions", "sessions", ""),
        ("sessions --all", "sessions", "--all"),
        ("sessions -- revoke", "sessions", "-- revoke"),
        ("sessions --json", "sessions", "--json"),
        ("sessions --json revoke x", "sessions revoke", "--json x"),
        ("sessions --help", "sessions", "--help"),
        ("--output wrong login --help", "login", "--output wrong --help"),
        ("exec -- login", "exec", "-- login"),
    ])
    func `the command name is found among the options, and the other words keep their order`(
        line: String, name: String, rest: String
    ) throws {
        let head = try head(line)
        expect(head.target, .command(name))
        expect(head.words, (rest.isEmpty ? [] : Sample.words(rest)))
    }

    @Test(arguments: ["-q login ada", "login -q ada", "login ada -q"])
    func `global options may appear anywhere on the command line`(line: String) throws {
        let parsed = try Sample.login.parse(try head(line).words, program: Sample.program)
        expect(parsed, .run(Sample.Login(username: "ada"), Sample.Global(isQuiet: true)))
    }

    @Test func `options on a command line without a command are parsed as global options`() throws {
        let head = try head("--json -p work")
        expect(head.target, .program)
        try expect(Sample.program.parse(head.words), Sample.Global(profile: "work", format: .json))
    }

    @Test(arguments: [
        ("--help", CommandLineHead.Target.program),
        ("-qh", .program),
        ("--bogus --help", .program),
        ("--bogus value login -h", .program),
        ("-h login", .command("login")),
        ("--help sessions", .command("sessions")),
        ("--help profile", .group("profile")),
    ])
    func `--help requests the help of the command or group after it, otherwise the help of the program`(
        line: String, target: CommandLineHead.Target
    ) throws {
        let head = try head(line)
        #expect(head.wantsHelp)
        expect(head.target, target)
    }

    @Test(arguments: ["profile --help", "profile -q -h", "profile --bogus --help"])
    func `--help after the name of a command group requests the help of the group`(line: String) throws {
        try expect(head(line).target, .group("profile"))
    }

    @Test(arguments: [("--version", true), ("-q --version login", true), ("", false), ("login --version", false)])
    func `--version requests the version only before the command name`(line: String, wanted: Bool) throws {
        try expect(head(line).wantsVersion, wanted)
    }

    @Test func `errors in a command name or in the options before it suggest a next step`() throws {
        let lines = [
            "logni", "log", "-q log --help", "profiel add", "session", "xyzzy", "profile", "profile --bogus add",
            "profile ad", "sessions revok x", "--bogus login", "--quite login", "--password x login",
            "--bogus login -- --help", "--profile", "-- login",
        ]
        let errors = try Sample.errors(of: lines) { words in
            try CommandLineHead(words, program: Sample.program.description, commands: Sample.names)
        }
        MessageFile("command-line").expect(errors)
    }

    @Test(arguments: [
        ("signin", "did you mean 'login'?"), ("signin --json", "did you mean 'login'?"),
        ("auth signin", "did you mean 'login'?"),
        ("me", nil),
    ])
    func `a command name from another program suggests the equivalent command`(line: String, guess: String?) throws {
        let error = try #require(throws: CommandLineError.self) {
            try CommandLineHead(
                Sample.words(line), program: Sample.program.description, commands: Sample.names,
                meaning: { $0.contains("signin") ? "login" : nil })
        }
        expect(error.hints, [guess, "see 'authctl --help'"].compactMap(\.self))
    }

    private func head(_ line: String) throws(CommandLineError) -> CommandLineHead {
        try CommandLineHead(
            line.isEmpty ? [] : Sample.words(line), program: Sample.program.description, commands: Sample.names)
    }
}
