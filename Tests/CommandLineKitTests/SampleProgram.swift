import CommandLineKit
import Testing

/// A small program that uses every kind of argument.
enum Sample {
    enum Format: String, CaseIterable { case text, json }
    enum Backend: String, CaseIterable { case local, parse }

    struct Global: CommandOptions {
        var profile: String?
        var format: Format?
        var timeout: Int?
        var color = Format.text
        var isQuiet = false
        var isVerbose = false
    }

    static let program = CommandSpec<Global>(
        "authctl",
        summary: "Manage accounts and sessions",
        arguments: [
            .option(
                { $0.profile = $1 }, "profile", short: "p", value: "NAME", help: "Use this profile.",
                environment: ["AUTHCTL_PROFILE"]),
            .choice(
                Format.allCases.map(\.rawValue), { $0.format = Format(rawValue: $1) }, "output", default: "text",
                help: "The format of results."),
            .flag({ $0.format = $1 }, "json", sets: .json, help: "Same as `--output json`."),
            .choice(
                Format.allCases.map(\.rawValue), { $0.color = Format(rawValue: $1) ?? .text }, "style",
                help: "The drawing style."),
            .option(
                { $0.timeout = $1 }, "timeout", value: "SECONDS", default: "30", help: "The time limit.",
                environment: ["AUTHCTL_TIMEOUT"], parse: seconds),
            .flag({ $0.isQuiet = $1 }, "quiet", short: "q", help: "Print no notes.", environment: ["AUTHCTL_QUIET"]),
            .flag({ $0.isVerbose = $1 }, "verbose", short: "v", help: "Trace requests."),
            .refused("password", advice: "use --password-stdin"),
        ])

    struct Login: CommandOptions {
        var username: String?
        var otp: String?
        var backend: Backend?
        var fields: [String] = []
        var readsPassword = false
        var checksServer = true
    }

    static let login = CommandSpec<Login>(
        "login",
        summary: "Log in and save the session",
        discussion: """
            The name is a username or an e-mail address, depending on the server.
            See `--otp` for a second factor.

            Replaces a saved session.
            """,
        examples: [
            Example("authctl login ada", "Ask for the password."),
            Example("pass show ada | authctl login ada --password-stdin", "Read it from a program."),
        ],
        exitCodes: [0, 4],
        arguments: [
            .optionalPositional({ $0.username = $1 }, "USERNAME", help: "The username."),
            .flag({ $0.readsPassword = $1 }, "password-stdin", help: "Read the password from standard input."),
            .option({ $0.otp = $1 }, "otp", value: "CODE", help: "The second factor."),
            .choice(
                Backend.allCases.map(\.rawValue), { $0.backend = Backend(rawValue: $1) }, "backend",
                help: "The kind of server."),
            .list({ $0.fields.append($1) }, "field", short: "f", value: "NAME=TEXT", help: "Send a field."),
            .flag({ $0.checksServer = $1 }, "offline", sets: false, help: "Send no request."),
        ])

    struct Set: CommandOptions {
        var name = ""
        var values: [String] = []
    }

    static let set = CommandSpec<Set>(
        "profile set",
        summary: "Change a profile",
        examples: [Example("authctl profile set work server x", "Change one key.")],
        arguments: [
            .positional({ $0.name = $1 }, "NAME", help: "The profile."),
            .positionals({ $0.values.append($1) }, "VALUE", atLeast: 1, help: "The value."),
        ])

    struct Exec: CommandOptions {
        var command: [String] = []
    }

    static let exec = CommandSpec<Exec>(
        "exec",
        summary: "Run a command with the session in its environment",
        examples: [Example("authctl exec -- sh -c 'echo $AUTHCTL_TOKEN | wc' >out", "Count its letters.")],
        arguments: [.remainder({ $0.command.append($1) }, "COMMAND", help: "The command.")])

    static let serve = CommandSpec<Exec>(
        "serve",
        summary: "Serve local accounts over HTTP",
        arguments: [.optionalRemainder({ $0.command.append($1) }, "COMMAND", help: "The command.")])

    static let names = [
        "login", "logout", "exec", "sessions", "sessions revoke", "profile add", "profile set", "link-facebook",
    ]

    private static func seconds(_ text: String) throws(ArgumentValueError) -> Int {
        guard let number = Int(text) else { throw ArgumentValueError("'\(text)' is not a number of seconds") }
        return number
    }

    /// The words of a command line, separated by single spaces.
    static func words(_ line: String) -> [String] {
        line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    }

    /// The errors of rejected command lines, one line each, with hints: `--otp: the cause; the hint`.
    static func errors<Value>(of lines: [String], _ parse: ([String]) throws -> Value) throws -> String {
        try lines.map { line in
            let error = try #require(throws: CommandLineError.self) { try parse(line.isEmpty ? [] : words(line)) }
            return "\(line.isEmpty ? "(nothing)" : line): \(([error.message] + error.hints).joined(separator: "; "))"
        }.joined(separator: "\n")
    }
}
