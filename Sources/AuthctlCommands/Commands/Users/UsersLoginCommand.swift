import AuthClient
import AuthModel
import CommandLineKit
import JSON
import Platform

enum UsersLoginCommand: Command {
    struct Options: TakesBulkOptions {
        var bulk = BulkOptions()
        var replaces = false
    }

    static let name = "users login"
    static let summary = "Log in to many accounts"
    static let spec = declaration(
        discussion: """
            Logs in to each account of a credentials file and writes the tokens of the sessions, one JSON object per \
            line, for example for a load test. A credentials file is NDJSON or CSV with the columns `username` (or \
            `email`) and `password`, such as the file written by `authctl users create`. With both names, authctl logs in \
            by e-mail where the site identifies users by it. authctl asks the server about the first token in the file, and about \
            each one if the server refuses one, or if the credentials have no ids: a refused token is replaced, and an \
            expired one with a refresh token is refreshed. `--credentials` and `--tokens` are required. To continue after an interruption, run the same command again; with `--replace`, run \
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
            .file(.credentials, help: "File of usernames and passwords."),
            .file(
                .tokens,
                help: "Write the session tokens to FILE (mode 0600); accounts with a good token in FILE are skipped."),
            .refreshTokens,
            .flag({ $0.replaces = $1 }, "replace", help: "Log in again, and replace all lines of the tokens file."),
        ] + .bulkLimits())

    static func run(_ options: Options, in context: Context) throws(AuthError) -> BulkReport.Output {
        let step = NextStep("name both files", run: ["users", "login", "--credentials", "FILE", "--tokens", "FILE"])
        let credentials = try options.bulk.path(.credentials, orSuggest: step)
        let tokens = try options.bulk.path(.tokens, orSuggest: step)
        try context.requireDistinctFiles(options.bulk)
        let client = try context.client()
        let source = try context.accounts(credentials, areGenerated: true)
        let file = try context.appendFile(tokens, .tokens)
        let work = try LogInAccounts(
            source, tokens: file,
            verification: VerifyAccounts.command(journal: "FILE", credentials: credentials, client),
            keepsRefreshTokens: options.bulk.keepsRefreshTokens, replaces: options.replaces, client)
        let output = try BulkReport(
            context, "logging in", options.bulk, total: nil,
            perMinute: client.settings.backend.value.logInsPerMinute,
            continuation: "run the same command \(options.replaces ? "without --replace" : "again")"
        ).run(work, client)
        context.noteEmpty(tokens, file, after: output, "no account was logged in to")
        return output
    }
}
