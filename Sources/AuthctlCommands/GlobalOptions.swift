import CommandLineKit

/// What can be said to every command.
struct GlobalOptions: CommandOptions {
    var profile: String?
    var backend: String?
    var format: OutputFormat?
    var isQuiet = false
    var isVerbose = false
    var color: ColorChoice?
    var mayAsk = true

    init() {}

    static let spec = CommandSpec<GlobalOptions>(
        "authctl",
        summary: "Accounts of an app: sign up, log in, sessions, log out",
        discussion: """
            With nothing configured the accounts are kept on this machine, in SQLite: every command works at once \
            and offline.
            """,
        examples: [
            Example("authctl signup ada", "Make an account and log in with it."),
            Example("authctl whoami", "Ask who is logged in."),
        ],
        arguments: [
            .option(
                \.profile, "profile", short: "p", value: "NAME", default: "the one in use",
                help: "Use this profile: a connection and at most one session.", environment: ["AUTHCTL_PROFILE"]),
            .option(
                \.backend, "backend", value: "KIND", default: "the profile's",
                help: "Talk to this kind of account server: `local`.", environment: ["AUTHCTL_BACKEND"]),
            .choice(
                \.format, "output", default: "text", help: "Print text for people or JSON for scripts.",
                environment: ["AUTHCTL_OUTPUT"]),
            .flag(\.format, "json", sets: .json, help: "The same as `--output json`."),
            .flag(\.isQuiet, "quiet", short: "q", help: "Print no notes."),
            .flag(
                \.isVerbose, "verbose", short: "v",
                help: "Show on standard error what is asked of the server, without secrets."),
            .choice(
                \.color, "color", default: "auto", help: "Colour the output.",
                environment: ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM"]),
            .disablingFlag(
                \.mayAsk, "no-input", help: "Never ask; fail if something is missing.",
                environment: ["AUTHCTL_NO_INPUT", "CI"]),
            .refused(
                "password",
                advice: "a password in a command line can be seen by others; use --password-stdin, --password-file "
                    + "or AUTHCTL_PASSWORD"),
            .refused(
                "token",
                advice: "a token in a command line can be seen by others; use AUTHCTL_TOKEN_FILE or AUTHCTL_TOKEN"),
        ])
}
