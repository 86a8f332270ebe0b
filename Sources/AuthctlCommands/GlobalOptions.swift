import AuthBackends
import CommandLineKit

/// The options of every command.
struct GlobalOptions: CommandOptions {
    var profile: String?
    var backend: String?
    var server: String?
    var appID: String?
    var clientKeyFile: String?
    var allowsHTTP = false
    var timeLimit: Duration?
    var connectLimit: Duration?
    var authorities: String?
    var proxy: String?
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
                { $0.profile = $1 }, "profile", short: "p", value: "NAME", default: "the one in use",
                help: "Use this profile: a connection and at most one session.", environment: ["AUTHCTL_PROFILE"]
            ).completed(by: .profiles),
            .option(
                { $0.backend = $1 }, "backend", value: "KIND", default: "the profile's", help: "",
                environment: ["AUTHCTL_BACKEND"]
            )
            .explained(by: LazyHelp("Talk to this kind of account server: \(backendKinds)."))
            .completed(by: .words(WordList(BackendRegistry.standard.words))),
            .option(
                { $0.server = $1 }, "server", value: "URL", default: "the profile's",
                help: "The base URL of the server, with the path that its API is mounted at.",
                environment: ["AUTHCTL_SERVER"]),
            .option(
                { $0.appID = $1 }, "app-id", value: "ID", default: "the profile's",
                help: "The id of the application at the server.", environment: ["AUTHCTL_APP_ID"]),
            .option(
                { $0.clientKeyFile = $1 }, "client-key-file", value: "FILE", default: "the profile's key",
                help: "Read the key of the application, such as Parse's REST key, from this file.",
                environment: ["AUTHCTL_CLIENT_KEY", "AUTHCTL_CLIENT_KEY_FILE"]),
            .flag(
                { $0.allowsHTTP = $1 }, "allow-http",
                help: "Send secrets unencrypted to a server whose URL begins with http.",
                environment: ["AUTHCTL_ALLOW_HTTP"]),
            .choice(
                OutputFormat.self, { $0.format = $1 }, "output", default: "text",
                help: "Print text for people or JSON for scripts.",
                environment: ["AUTHCTL_OUTPUT"]),
            .flag({ $0.format = $1 }, "json", sets: .json, help: "The same as `--output json`."),
            .flag({ $0.isQuiet = $1 }, "quiet", short: "q", help: "Print no notes."),
            .flag(
                { $0.isVerbose = $1 }, "verbose", short: "v",
                help: "Show on standard error what is asked of the server, without secrets."),
            .choice(
                ColorChoice.self, { $0.color = $1 }, "color", default: "auto", help: "Colour the output.",
                environment: ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM"]),
            .disablingFlag(
                { $0.mayAsk = $1 }, "no-input", help: "Never ask; fail if something is missing.",
                environment: ["AUTHCTL_NO_INPUT", "CI"]),
            .option(
                { $0.timeLimit = $1 }, "timeout", value: "SECONDS", default: "30",
                help: "The longest that a request may take, with all tries.", environment: ["AUTHCTL_TIMEOUT"],
                parse: seconds),
            .option(
                { $0.connectLimit = $1 }, "connect-timeout", value: "SECONDS", default: "10",
                help: "The longest that connecting may take.", parse: seconds),
            .option(
                { $0.authorities = $1 }, "ca-cert", value: "FILE", default: "the system's",
                help: "Trust the authorities in this file (PEM) alone.", environment: ["AUTHCTL_CA_CERT"]),
            .option(
                { $0.proxy = $1 }, "proxy", value: "URL",
                help: "Reach https servers through this proxy; never those on this machine.",
                environment: ["HTTPS_PROXY", "NO_PROXY"]),
            .refused(
                "password",
                advice: "a password in a command line can be seen by others; leave it out to be asked, or use "
                    + "--password-stdin, --password-file FILE or AUTHCTL_PASSWORD"),
            .refused(
                "token",
                advice:
                    "a token in a command line can be seen by others; where a command takes one, use --token-stdin or "
                    + "--token-file FILE; for a session, AUTHCTL_TOKEN_FILE or AUTHCTL_TOKEN will do, too"),
        ])

    /// The backends with their aliases: `local`, `parse` or `back4app`, …
    private static var backendKinds: String {
        BackendRegistry.standard.descriptors
            .map { $0.words.map { "`\($0)`" }.joined(separator: " or ") }
            .joined(separator: ", ")
    }

    /// Parses a number of seconds: at least 0.001, at most a day, fractions allowed.
    @Sendable static func seconds(_ text: String) throws(ArgumentValueError) -> Duration? {
        guard let seconds = Double(text), seconds >= 0.001, seconds <= 86_400 else {
            throw ArgumentValueError("'\(text)' is not a number of seconds from 0.001 to 86400")
        }
        return .milliseconds(Int64(seconds * 1000))
    }
}
