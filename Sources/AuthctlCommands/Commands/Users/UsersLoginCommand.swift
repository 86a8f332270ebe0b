import AuthClient
import AuthModel
import CommandLineKit
import JSON
import Platform

enum UsersLoginCommand: Command {
    struct Options: TakesBulkLimits {
        var credentials: String?
        var tokens: String?
        var keepsRefreshTokens = false
        var replaces = false
        var jobs = 4
        var interval: Duration?
    }

    static let name = "users login"
    static let summary = "Log in to many accounts"
    static let spec = CommandSpec<Options>(
        name,
        summary: summary,
        discussion: """
            Logs in to each account of a credentials file and writes the tokens of the sessions, one JSON object per \
            line, for example for a load test. A credentials file is NDJSON or CSV with the columns `username` (or \
            `email`) and `password`, such as the file written by `authctl users create`. With both names, authctl logs in \
            by e-mail where the site identifies users by it. `--credentials` and `--tokens` are required. To continue after an interruption, run the same command again; with `--replace`, run \
            it without that option. For allauth, the default of `--rate` is 30/m.
            """,
        examples: [
            Example(
                "authctl users login --credentials ci.ndjson --tokens tokens.ndjson",
                "Create a session for each account."),
            Example(
                "authctl users login --credentials ci.ndjson --tokens tokens.ndjson --replace",
                "Create new sessions in place of those in the file."),
        ],
        exitCodes: [0, 2, 5, 7, 8, 9, 10, 11, 12],
        arguments: [
            .option({ $0.credentials = $1 }, "credentials", value: "FILE", help: "File of usernames and passwords."),
            .option(
                { $0.tokens = $1 }, "tokens", value: "FILE",
                help: "Write the session tokens to FILE (mode 0600); accounts that FILE has are skipped."),
            .refreshTokens { $0.keepsRefreshTokens = $1 },
            .flag({ $0.replaces = $1 }, "replace", help: "Log in again, and replace all lines of the tokens file."),
        ] + .bulkLimits())

    static func run(_ options: Options, in context: Context) throws(AuthError) -> BulkReport.Output {
        guard let credentials = options.credentials, let tokens = options.tokens else {
            throw AuthError(
                .usage, "missing option \(options.credentials == nil ? "--credentials" : "--tokens") FILE",
                next: NextStep("name both files", run: ["users", "login", "--credentials", "FILE", "--tokens", "FILE"]))
        }
        try context.requireDistinctFiles([("--credentials", credentials), ("--tokens", tokens)])
        let client = try context.client()
        let source = try context.accounts(credentials, areGenerated: true)
        let file = try context.appendFile(tokens, .tokens)
        let work = try LogInAccounts(
            source, tokens: file,
            verification: VerifyAccounts.command(journal: "FILE", credentials: credentials, client),
            keepsRefreshTokens: options.keepsRefreshTokens, replaces: options.replaces, client)
        let usual = client.settings.backend.value.logInInterval
        let output = try BulkReport(
            context, "logging in", total: nil, interval: options.interval ?? usual,
            continuation: "run the same command \(options.replaces ? "without --replace" : "again")"
        ).run(work, options, client)
        context.noteEmpty(tokens, file, after: output, "no account was logged in to")
        return output
    }
}

extension BackendDescriptor {
    var logInInterval: Duration { logInsPerMinute.map { .seconds(60) / $0 } ?? .zero }
}

extension Argument {
    static func refreshTokens(_ field: @escaping Field<Bool>) -> Argument {
        .flag(field, "refresh-tokens", help: "Write the refresh tokens, too; `users refresh` uses them.")
    }
}
