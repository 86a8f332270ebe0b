import CommandLineKit
import Testing

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
    func `finds the command and keeps all other words in order`(line: String, name: String, rest: String) throws {
        let head = try head(line)
        #expect(head.target == .command(name))
        #expect(head.words == (rest.isEmpty ? [] : Sample.words(rest)))
    }

    @Test(arguments: ["-q login ada", "login -q ada", "login ada -q"])
    func `lets global options stand anywhere`(line: String) throws {
        let parsed = try Sample.login.parse(try head(line).words, program: Sample.program)
        #expect(parsed == .run(Sample.Login(username: "ada"), Sample.Global(isQuiet: true)))
    }

    @Test func `leaves the options of a bare program to be parsed`() throws {
        let head = try head("--json -p work")
        #expect(head.target == .program)
        #expect(try Sample.program.parse(head.words) == Sample.Global(profile: "work", format: .json))
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
    func `hears a wish for help before the name`(line: String, target: CommandLineHead.Target) throws {
        let head = try head(line)
        #expect(head.wantsHelp)
        #expect(head.target == target)
    }

    @Test(arguments: ["profile --help", "profile -q -h", "profile --bogus --help"])
    func `explains a word that only begins names`(line: String) throws {
        #expect(try head(line).target == .group("profile"))
    }

    @Test(arguments: [("--version", true), ("-q --version login", true), ("", false), ("login --version", false)])
    func `hears a wish for the version before the name only`(line: String, wanted: Bool) throws {
        #expect(try head(line).wantsVersion == wanted)
    }

    @Test(arguments: [
        ("logni", "unknown command 'logni'", "did you mean 'login'? see 'authctl --help'"),
        ("log", "unknown command 'log'", "did you mean 'login' or 'logout'? see 'authctl --help'"),
        ("-q log --help", "unknown command 'log'", "did you mean 'login' or 'logout'? see 'authctl --help'"),
        ("profiel add", "unknown command 'profiel'", "did you mean 'profile'? see 'authctl --help'"),
        ("session", "unknown command 'session'", "did you mean 'sessions'? see 'authctl --help'"),
        ("xyzzy", "unknown command 'xyzzy'", "see 'authctl --help'"),
        ("profile", "missing command after 'profile'", "see 'authctl profile --help'"),
        ("profile --bogus add", "missing command after 'profile'", "see 'authctl profile --help'"),
        ("profile ad", "unknown command 'profile ad'", "did you mean 'profile add'? see 'authctl --help'"),
        (
            "sessions revok x", "unknown command 'sessions revok'",
            "did you mean 'sessions revoke'? see 'authctl --help'"
        ),
        ("--bogus login", "unknown option '--bogus'", "see 'authctl --help'"),
        ("--quite login", "unknown option '--quite'", "did you mean '--quiet'? see 'authctl --help'"),
        ("--password x login", "there is no option '--password'", "use --password-stdin"),
        ("--bogus login -- --help", "unknown option '--bogus'", "see 'authctl --help'"),
        ("--profile", "option '--profile' needs a value: NAME", "see 'authctl --help'"),
        ("-- login", "unknown command '--'", "see 'authctl --help'"),
    ])
    func `says what is wrong before or with the name`(line: String, message: String, hint: String) {
        let error = #expect(throws: CommandLineError.self) { try head(line) }
        #expect(error?.message == message)
        #expect(error?.hints.joined(separator: " ") == hint)
    }

    private func head(_ line: String) throws(CommandLineError) -> CommandLineHead {
        try CommandLineHead(
            line.isEmpty ? [] : Sample.words(line), program: Sample.program.description, commands: Sample.names)
    }
}
