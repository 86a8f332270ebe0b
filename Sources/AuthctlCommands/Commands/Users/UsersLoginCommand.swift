import AuthClient
import AuthModel
import CommandLineKit
import JSON
import Platform

enum UsersLoginCommand: Command {
    struct Options: TakesBulkOptions, TakesBrowserOptions, TakesMailSearch {
        var bulk = BulkOptions()
        var browser = BrowserOptions()
        var statesFolder: String?
        var replaces = false
        var sendsCode = false
        var search = MailSearch()
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
            expired one with a refresh token is refreshed. `--credentials` is required, and `--tokens` or \
            `--storage-states`. To continue after an interruption, run the same command again; with `--replace`, run \
            it without that option. For allauth, the default of `--rate` is 30/m, with `--send-code` 20/m. \
            With `--send-code`, the rows need no password: the server sends each account a code or link, which authctl \
            reads as `authctl mail` does. If the server sends no more e-mails, the run ends with exit code 9.
            """,
        examples: [
            Example(
                "authctl users login --credentials ci.ndjson --tokens tokens.ndjson",
                "Create a session for each account."),
            Example(
                "authctl users login --credentials ci.ndjson --storage-states states --origin http://localhost:3000",
                "Write a file for each user with which a browser starts logged in."),
        ],
        exitCodes: [0, 2, 5, 7, 8, 9, 10, 11, 12],
        notes: .paragraphs(
            """
            `--storage-states` writes a file of mode 0600 for each user, and makes a missing folder with mode 0700. The \
            name of the file is that of the user: characters other than letters, digits and `._@+-` are \
            percent-encoded, and `~` and the id follow names that differ only by case, or replace a long name. A link in \
            place of a file, and a folder that other users can write to, unless it is sticky, are exit code 12. A \
            user is skipped if the file has the token of the tokens file, for the same origin. Without `--tokens`, the \
            tokens are in `DIR/.tokens.ndjson`.
            """),
        arguments: [
            .file(.credentials, help: "File of usernames and passwords."),
            .file(
                .tokens,
                help: "Write the session tokens to FILE (mode 0600); accounts with a good token in FILE are skipped."),
            .refreshTokens,
            .flag({ $0.replaces = $1 }, "replace", help: "Log in again, and replace all lines of the tokens file."),
            .option(
                { $0.statesFolder = $1 }, "storage-states", value: "DIR",
                help: "Write each user's `storage-state` to DIR (mode 0600)."),
            .option(
                { $0.browser.origin = $1 }, "origin", value: "ORIGIN",
                help: "Origin of the pages, as for `storage-state`."),
            .flag({ $0.sendsCode = $1 }, "send-code", help: "Log in by the codes or links of e-mails."),
        ] + .browserOptions() + .mailSources() + [.wait { $0.search.wait = $1 }] + .bulkLimits(),
        rules: [
            .requires(["storage-states"], oneOf: ["origin"]),
            .requires(
                ["origin", "local-storage", "session-cookie", "app-name", "indexed-db"], oneOf: ["storage-states"]),
            .exclusive("mail-dir", "mailpit"), .requires(["mail-dir", "mailpit", "wait"], oneOf: ["send-code"]),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> BulkReport.Output {
        let step = NextStep("name both files", run: ["users", "login", "--credentials", "FILE", "--tokens", "FILE"])
        let credentials = try options.bulk.path(.credentials, orSuggest: step)
        let folder = options.statesFolder
        let tokens =
            if let folder, options.bulk.files[.tokens] == nil {
                "\(folder)/\(StorageStates.tokensName)"
            } else {
                try options.bulk.path(.tokens, orSuggest: step)
            }
        try context.requireDistinctFiles(options.bulk)
        let client = try context.client()
        var source = try context.accounts(credentials, areGenerated: true, isReadTwice: folder != nil)
        let states = try folder.map { folder throws(AuthError) in
            let command = ["users", "login", "--credentials", credentials, "--storage-states", folder, "--origin"]
            let page = try options.browser.page(command, context)
            let place = try mappingFileErrors { () throws(FileError) in
                try context.world.openFolder(folder, context.warn)
            }
            return try StorageStates(
                place, named: folder, page, twins: try source.namesDifferingByCase(), client)
        }
        let file = try context.appendFile(tokens, .tokens)
        if options.sendsCode { try LogIn(client).requireCodes() }
        let codes =
            try options.sendsCode
            ? LogInAccounts.Codes(
                options.search.source(in: context),
                wait: options.search.wait == .zero ? .seconds(10) : options.search.wait)
            : nil
        let traits = client.settings.backend.value
        let work = try LogInAccounts(
            source, tokens: file, states: states, codes: codes,
            verification: VerifyAccounts.command(journal: "FILE", credentials: credentials, client),
            keepsRefreshTokens: options.bulk.keepsRefreshTokens, replaces: options.replaces, client)
        let output = try BulkReport(
            context, "logging in", options.bulk, total: nil,
            // allauth limits requests for codes like signups.
            perMinute: options.sendsCode ? traits.signUpsPerMinute : traits.logInsPerMinute,
            continuation: "run the same command \(options.replaces ? "without --replace" : "again")"
        ).run(work, client)
        context.noteEmpty(options.bulk.files[.tokens], file, after: output, "no account was logged in to")
        return output
    }
}
