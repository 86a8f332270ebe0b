import AuthBackends
import CommandLineKit
import Platform

struct GlobalOptions: CommandOptions {
    var profile: String?
    /// The value of `--as`: empty for the profile's own session; `nil` if the option is omitted.
    var sessionName: String?
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
    var allowsPrompts = true

    init() {}

    static let spec = CommandSpec<GlobalOptions>(
        "authctl",
        summary: "Command-line client for the user accounts of an app",
        discussion: """
            Works with Parse Server and Back4App, Django (rest-auth, dj-rest-auth, allauth), PocketBase, Supabase, Firebase and Kii Cloud. Without \
            configuration authctl uses local accounts, stored in SQLite.
            """,
        examples: [
            Example("authctl signup ada", "Create a local account and log in."),
            Example("authctl whoami", "Show the current user."),
        ],
        arguments: [
            .option(
                { $0.profile = $1 }, "profile", short: "p", value: "NAME", default: "the current profile",
                help: "Use this profile: a connection and its sessions.", environment: ["AUTHCTL_PROFILE"]
            ).completed(by: .profiles),
            .option(
                { $0.sessionName = $1 }, "as", value: "NAME", default: "the profile's own session",
                help: "Use the session saved as NAME; a profile can have several sessions.", environment: ["AUTHCTL_AS"]
            ).completed(by: .sessionNames),
            .option(
                { $0.backend = $1 }, "backend", value: "KIND", default: "the profile's backend",
                help: "Kind of server.",
                environment: ["AUTHCTL_BACKEND"]
            )
            .explained(by: "Kind of server: \(backendKinds).")
            .completed(by: .words { BackendRegistry.standard.words }),
            .option(
                { $0.server = $1 }, "server", value: "URL", default: "the profile's server",
                help: "Base URL of the server, including the mount path of its API.",
                environment: ["AUTHCTL_SERVER"]),
            .option(
                { $0.appID = $1 }, "app-id", value: "ID", default: "the profile's id",
                help: "Id of the application.", environment: ["AUTHCTL_APP_ID"]
            )
            .explained(by: "Id of the application (\(BackendRegistry.standard.descriptors.applications))."),
            .option(
                { $0.clientKeyFile = $1 }, "client-key-file", value: "FILE", default: "the profile's key",
                help: "Read the client key from FILE.",
                environment: ["AUTHCTL_CLIENT_KEY", "AUTHCTL_CLIENT_KEY_FILE"]
            )
            .explained(by: "Read the client key (\(BackendRegistry.standard.descriptors.clientKeys)) from FILE."),
            .flag(
                { $0.allowsHTTP = $1 }, "allow-http",
                help: "Allow plain http to non-loopback addresses, which sends secrets unencrypted.",
                environment: ["AUTHCTL_ALLOW_HTTP"]),
            .choice(
                OutputFormat.allCases.map(\.rawValue), { $0.format = OutputFormat(rawValue: $1) }, "output",
                default: "text", help: "Output format.", environment: ["AUTHCTL_OUTPUT"]),
            .flag({ $0.format = $1 }, "json", sets: .json, help: "Same as `--output json`."),
            .flag(
                { $0.isQuiet = $1 }, "quiet", short: "q",
                help: "Print no confirmations, notes or warnings, except the warning about plain http."),
            .flag(
                { $0.isVerbose = $1 }, "verbose", short: "v",
                help: "Print each request on standard error, without secrets."),
            .choice(
                ColorChoice.allCases.map(\.rawValue), { $0.color = ColorChoice(rawValue: $1) }, "color",
                default: "auto", help: "Color the output.",
                environment: ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM"]),
            .flag(
                { $0.allowsPrompts = $1 }, "no-input", sets: false, help: "Never prompt; fail if a value is missing.",
                environment: ["AUTHCTL_NO_INPUT", "CI"]),
            .option(
                { $0.timeLimit = $1 }, "timeout", value: "SECONDS", default: "30",
                help: "Time limit for a request, including retries.", environment: ["AUTHCTL_TIMEOUT"],
                parse: seconds),
            .option(
                { $0.connectLimit = $1 }, "connect-timeout", value: "SECONDS", default: "10",
                help: "Time limit for connecting.", parse: seconds),
            .option(
                { $0.authorities = $1 }, "ca-cert", value: "FILE", default: "the system's CA certificates",
                help: "Trust only the CA certificates in FILE (PEM); not supported on macOS.",
                environment: ["AUTHCTL_CA_CERT"]),
            .option(
                { $0.proxy = $1 }, "proxy", value: "URL",
                help: "HTTP proxy for https servers; not used for loopback addresses.",
                environment: ["HTTPS_PROXY", "NO_PROXY"]),
            .refused(
                "password",
                advice:
                    "other users can see passwords on the command line: use the prompt, --password-stdin, --password-file FILE "
                    + "or AUTHCTL_PASSWORD"),
            .refused(
                "token",
                advice:
                    "other users can see tokens on the command line: use --token-stdin, --token-file FILE, AUTHCTL_TOKEN_FILE "
                    + "or AUTHCTL_TOKEN"),
        ])

    /// The options that name the connection.
    static let connection = ["profile", "as", "backend", "server", "app-id", "client-key-file", "allow-http"]

    /// The backends with their aliases, as in "`local`, `parse` (alias `back4app`)".
    private static var backendKinds: String {
        BackendRegistry.standard.descriptors
            .map { backend in "`\(backend.kind)`" + backend.aliases.map { " (alias `\($0.word)`)" }.joined() }
            .joined(separator: ", ")
    }

    /// Parses a number of seconds: at least 0.001, at most a day, fractions allowed.
    @Sendable static func seconds(_ text: String) throws(ArgumentValueError) -> Duration? {
        // Check the characters, because `Double` also accepts hexadecimal digits and exponents.
        let isDecimal = text.utf8.allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
        guard isDecimal, let seconds = Double(text), seconds >= 0.001, seconds <= 86_400 else {
            throw ArgumentValueError("'\(text)' is not a number of seconds from 0.001 to 86400")
        }
        return .milliseconds(Int64(seconds * 1000))
    }
}

extension Argument {
    /// An option whose value is a whole number in a range.
    static func number(
        _ field: @escaping Field<Int>, _ name: String, _ range: ClosedRange<Int>, default: String? = nil, help: String
    ) -> Argument {
        .option(
            field, name, value: "N", default: `default`, help: help,
            parse: { text throws(ArgumentValueError) in
                guard text.isASCIIDigits, let number = Int(text), range ~= number else {
                    let limits = "from \(range.lowerBound) to \(range.upperBound)"
                    throw ArgumentValueError("'\(text)' is not a number \(limits)")
                }
                return number
            })
    }
}

enum OutputFormat: String, CaseIterable, Sendable {
    case text, json
}
