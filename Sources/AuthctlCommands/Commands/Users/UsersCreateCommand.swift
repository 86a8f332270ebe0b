import AuthClient
import AuthModel
import CommandLineKit
import JSON
import Platform

enum UsersCreateCommand: Command {
    struct Options: TakesBulkOptions, TakesPassword, TakesAdminKey, TakesLosses {
        var file: String?
        var count: Int?
        var username: String?
        var email: String?
        var textFields: [String] = []
        var textClaims: [String] = []
        var jsonClaims: [String] = []
        var roles: [String] = []
        var isVerified: Bool?
        var isDisabled = false
        var losses = RowLosses.Choice()
        var shard: Shard?
        var bulk = BulkOptions()
        var passwordFile: String?
        var admin = AdminKeyOptions()
        var mayExist = false
        var checks = true
        var isDryRun = false
        var isStrict = false
        var replaces = false
    }

    static let name = "users create"
    static let summary = "Create accounts in bulk"
    static let spec = declaration(
        discussion: """
            Creates the accounts in FILE, which is NDJSON, a JSON array or CSV with a header. With `--count`, authctl \
            generates the accounts and replaces `{n}` in their names with 1, 2, 3 and so on. To continue after an \
            interruption, run the same command again: the journal records which accounts were created.
            """,
        examples: [
            Example(
                "authctl users create --count 100 --name 'ci-{n}' --journal ci.journal --credentials ci.ndjson",
                "Create ci-1 to ci-100 with generated passwords."),
            Example("authctl users create users.csv --journal users.journal", "Create the accounts listed in a file."),
            Example("authctl users create users.csv --dry-run", "Check the rows of a file and send nothing."),
        ],
        exitCodes: [0, 2, 3, 5, 7, 8, 9, 10, 11, 12],
        notes: .paragraphs(
            """
            The columns of CSV and the members of JSON are `id`, `username`, `email`, \
            `phone`, `emailVerified`, `phoneVerified`, `disabled` (true or false), `password`, `passwordHash`, `claims` \
            (an object that only an administrator can set), `roles` (an array of names), `identities` (left out), \
            `authData` (Parse's identities with their proofs; a row whose identity already has an account counts as \
            existing) and `fields` (an object); all others are fields of the user, like the members of `fields`. \
            Values in JSON keep their type; in CSV, fields are strings, and objects and arrays are JSON texts. FILE may \
            also be the output of `users export` or a Parse export, `{"results":[...]}`. Accounts with usernames get \
            a missing one from the e-mail or phone number.

            A row with a value that the server cannot keep fails, unless `--drop` leaves out the column or field. \
            authctl reads all rows first, and names such columns with the options to add. `claims`, `roles`, \
            `disabled` and a verified e-mail may require the administrator's key.

            With \(HelpTopics.backends(with: .hasParseUsers)), authctl warns of \
            members that a signup cannot set, such as `objectId`, `createdAt` and `ACL`, and leaves them out; with \
            `--strict`, they are an error. Names such as `Password`, `E-Mail` or `old_password` are errors too, so that \
            no password is stored in a field. With `--credentials FILE`, a row without a password gets a generated \
            password of 20 characters, saved with the username and e-mail as a JSON line in FILE. At the end, passwords of accounts that existed or \
            were not created are removed from it. With `--password-stdin` or `--password-file`, all generated accounts \
            get this password. `--tokens` saves a \
            JSON line per session, with `--refresh-tokens` also the refresh token; without `--tokens`, authctl discards the session tokens. The files of `--journal`, \
            `--credentials`, `--tokens` and `--ids` get mode 0600. On the first run, the files of `--credentials`, \
            `--tokens` and `--ids` must be new or empty. A row that repeats the username, e-mail or id of an earlier row fails \
            without a request. authctl compares each row with the first 50,000 rows; the server detects other \
            repetitions.

            authctl writes a JSON line to the journal before and after each request. The journal contains no secrets. \
            If authctl was killed or received no response, the outcome of a row is unknown; the next run determines it \
            by logging in with the row's password, and by the account's age: an older account already existed. A \
            journal is valid only for the input, server, application and \
            shard with which it was created. After a power cut, at most the last second of the journal is missing.

            If the server responds with status 429, all jobs wait, at most five minutes, and continue more slowly. By \
            default, a site with \
            allauth accepts 20 signups per minute from one network address, so `20/m` is the default of `--rate` for \
            allauth. If authctl cannot reach the server, it retries for a minute. After Ctrl-C, authctl finishes the \
            requests in progress.

            If the server wants a verified e-mail before the first login, the accounts wait for it: the summary counts \
            them, and `users verify` verifies them. Without `--tokens`, authctl logs in to new accounts only on servers \
            that tell this in no other way.

            Local accounts keep the ids of the rows; other servers give new ones. `--ids FILE` writes a JSON line \
            for each created account whose row has an id, as soon as it is created: \
            `{"id":"OLD","username":"ada","newId":"NEW"}`, with `email` or `phone` in place of `username` if the account \
            has none. The next run adds the lines that a killed one lacks. With the administrator's key, `--keep-ids` \
            keeps the ids of rows that fit, and other rows fail: \(HelpTopics.idForms).

            With the administrator's key, \(HelpTopics.backends(of: "users list")) create accounts with verified \
            e-mails, even where signups are off.
            """),
        arguments: [
            .optionalPositional({ $0.file = $1 }, "FILE", help: "File of accounts, or '-' for standard input."),
            .number(
                { $0.count = $1 }, "count", 1...1_000_000_000,
                help: "Generate N accounts; use with `--name` or `--email`, and `--credentials` or a password."),
            .option(
                { $0.username = $1 }, "name", value: "PATTERN",
                help: "Username of generated accounts; {n} counts from 1."),
            .option(
                { $0.email = $1 }, "email", value: "PATTERN",
                help: "E-mail of generated accounts; {n} counts from 1."),
            .list(
                { $0.textFields.append($1) }, "field", value: "NAME=TEXT",
                help: "Set a field of generated accounts."),
            .list(
                { $0.textClaims.append($1) }, "claim", value: "NAME=TEXT", help: "Set a claim of generated accounts."),
            .list(
                { $0.jsonClaims.append($1) }, "claim-json", value: "NAME=JSON",
                help: "Like `--claim`, with a JSON value."),
            .list({ $0.roles.append($1) }, "role", value: "NAME", help: "Give generated accounts this role."),
            .flag({ $0.isDisabled = $1 }, "disable", help: "Disable the generated accounts."),
            .flag(
                { $0.isVerified = $1 }, "verified", sets: true,
                help: "Create verified e-mails, unless the row says it."),
            .flag(
                { $0.isVerified = $1 }, "unverified", sets: false,
                help: "Create unverified e-mails, unless the row says it."),
            .option(
                { $0.shard = $1 }, "shard", value: "K/N",
                help: "Create every N-th account from K, on machine K of N.",
                parse: { text throws(ArgumentValueError) in
                    guard let shard = Shard(text) else {
                        throw ArgumentValueError("'\(text)' is not a shard such as 1/4")
                    }
                    return shard
                }),
            .file(.journal, help: "Record the progress in FILE; the next run continues. Required without `--dry-run`."),
            .file(.credentials, help: "Generate missing passwords into FILE (mode 0600)."),
            .file(.tokens, help: "Write the session tokens to FILE (mode 0600)."),
            .refreshTokens,
            .file(.ids, help: "Write the old and new ids to FILE (mode 0600)."),
            .flag({ $0.losses.keepsIDs = $1 }, "keep-ids", help: "Create the accounts with the ids of the rows."),
        ] + .adminKeySources() + .losses() + .passwordSources() + .bulkLimits() + [
            .flag({ $0.mayExist = $1 }, "if-not-exists", help: "Do not count an existing account as a failure."),
            .flag({ $0.checks = $1 }, "skip-checks", sets: false, help: "Skip client-side validation."),
            .flag({ $0.isStrict = $1 }, "strict", help: "Reject members that a signup cannot set or keep."),
            .flag(
                { $0.replaces = $1 }, "replace",
                help: "Begin anew, and keep old files as FILE.1 and so on."),
            .flag({ $0.isDryRun = $1 }, "dry-run", help: "Check the rows and send nothing."),
        ],
        rules: [
            .exclusive(
                groups: [
                    ["FILE"], ["count", "name", "email", "field", "claim", "claim-json", "role", "disable"],
                ]),
            .requires(
                [
                    "name", "email", "field", "claim", "claim-json", "role", "disable", "password-stdin",
                    "password-file",
                ], oneOf: ["count"]),
            .requires(["drop", "skip", "ids", "keep-ids"], oneOf: ["FILE"]), .exclusive("verified", "unverified"),
            .exclusive("ids", "keep-ids"),
            .requires(["verified", "unverified"], oneOf: ["FILE", "email"]),
            .exclusive(groups: [["dry-run"], ["tokens", "replace"]]), .onePassword, .oneAdminKey,
            .requires(["refresh-tokens"], oneOf: ["tokens"]),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> BulkReport.Output {
        try context.requireOneStandardInput([
            ("FILE", options.file), ("--password-stdin", options.passwordFile),
            ("--admin-key-file", options.admin.file),
        ])
        let client = try context.client()
        let backend = client.settings.backend.value
        let checks = options.checks && backend.has(.checksNewAccounts)
        try options.losses.requireIDs(on: backend, isAdministrator: isAdministrator(options, client, context))
        if options.isDryRun { return try check(options, checks, client, context) }
        let bulk = options.bulk
        let journal = try bulk.path(.journal, orSuggest: "to check the rows alone, add --dry-run")
        try context.requireDistinctFiles(bulk, and: options.file)
        try context.requireWritable(for: client, savesSession: false)
        let adminKey = try adminKey(options, client, context)
        let source = try source(options, client, adminKey, context)
        if options.replaces { try context.setAside(bulk) }
        let journalFile = try context.appendFile(journal, .journal)
        let credentials = try bulk.files[.credentials].map { file throws(AuthError) in
            try context.appendFile(file, .credentials)
        }
        let tokens = try bulk.files[.tokens].map { file throws(AuthError) in try context.appendFile(file, .tokens) }
        let ids = try bulk.files[.ids].map { file throws(AuthError) in try context.appendFile(file, .ids) }
        let work = try CreateAccounts(
            source, journal: journalFile, credentials: credentials, tokens: tokens, ids: ids,
            keepsRefreshTokens: bulk.keepsRefreshTokens, checksValues: checks, isStrict: options.isStrict,
            adminKey: adminKey,
            deletion: ["users", "delete"] + .option("--journal", journal) + options.admin.words, client)
        let canDelete = CreateAccounts.canDelete(client)
        let report = BulkReport(
            context, "creating accounts", bulk, total: source.count, perMinute: backend.signUpsPerMinute,
            acceptable: options.mayExist ? [.existing] : [], members: ["canDelete": .bool(canDelete)],
            verification: VerifyAccounts.command(journal: journal, credentials: bulk.files[.credentials], client),
            continuation: "run the same command \(options.replaces ? "without --replace" : "again")")
        if !canDelete { context.events.note("authctl cannot delete these accounts: the backend has no request for it") }
        let output = try report.run(work, client)
        context.noteEmpty(
            bulk.files[.credentials], credentials, after: output, "no account was created with a generated password")
        context.noteEmpty(bulk.files[.tokens], tokens, after: output, "no new account was logged in to")
        context.noteEmpty(bulk.files[.ids], ids, after: output, "no account was created from a row with an id")
        return output
    }

    /// The administrator's key, if the server creates accounts with it.
    private static func adminKey(
        _ options: Options, _ client: Client, _ context: Context
    ) throws(AuthError) -> Secret? {
        guard CreateAccounts.takesAdminKey(client) else {
            guard options.admin.isGiven else { return nil }
            throw AuthError(
                .unsupported, "backend '\(client.settings.backendName)' creates accounts without --admin-key-file")
        }
        guard options.admin.isGiven || context.hasAdminKey(of: client.settings) else { return nil }
        let key = try context.adminKey(options.admin, of: client.settings, for: "option --admin-key-file")
        return try client.backends.checked(key)
    }

    private static func check(
        _ options: Options, _ checks: Bool, _ client: Client, _ context: Context
    ) throws(AuthError) -> BulkReport.Output {
        let backend = client.settings.backend.value
        var source = try source(options, client, nil, context)
        let report = BulkReport(
            context, "checking rows", options.bulk, total: source.count, perMinute: backend.signUpsPerMinute)
        return try report.run { isStopped throws(AuthError) in
            while !isStopped(),
                let result = try source.check(checks, generates: options.bulk.files[.credentials] != nil)
            {
                try report.add(result)
            }
        }
    }

    private static func isAdministrator(_ options: Options, _ client: Client, _ context: Context) -> Bool {
        options.admin.isGiven || context.hasAdminKey(of: client.settings) || client.settings.isForEmulator
    }

    private static func source(
        _ options: Options, _ client: Client, _ adminKey: Secret?, _ context: Context
    ) throws(AuthError) -> AccountSource {
        let backend = client.settings.backend.value
        var choice = options.losses
        choice.mapsIDs = options.bulk.files[.ids] != nil
        choice.generatesPasswords = options.bulk.files[.credentials] != nil
        let losses = try RowLosses(
            creatingOn: backend, isAdministrator: isAdministrator(options, client, context),
            fields: try CreateAccounts.fieldNames(client, adminKey), choice, isVerified: options.isVerified)
        var state = AccountState()
        state.emailVerified = options.isVerified
        state.disabled = options.isDisabled ? true : nil
        state.claims = try FieldOptions.claims(text: options.textClaims, json: options.jsonClaims)
        try FieldOptions.requireDistinct(options.roles, "role")
        state.roles = options.roles
        let fields = try FieldOptions.newUserFields(text: options.textFields, json: [], backend)
        try losses.require(state, fields: fields.names)
        if let count = options.count {
            let password = try password(options, context)
            guard options.bulk.files[.credentials] != nil || password != nil || options.isDryRun else {
                throw AuthError(
                    .usage, "option --count requires --credentials, a file for the generated passwords",
                    nextSteps: [
                        "add --credentials FILE", "or give all accounts one password: add --password-file FILE",
                    ])
            }
            guard options.username != nil || options.email != nil else {
                throw AuthError(.usage, "option --count requires --name or --email", next: "add --name 'ci-{n}'")
            }
            for pattern in [options.username, options.email].compactMap(\.self)
            where count > 1 && !pattern.holds("{n}") {
                throw AuthError(.usage, "'\(pattern)' has no {n}, so that all accounts would have the same name")
            }
            var pattern = AccountPattern(
                count: count, username: options.username, email: options.email,
                fields: fields, password: password)
            pattern.state = state
            return AccountSource(pattern, shard: options.shard)
        }
        guard let file = options.file else {
            throw AuthError(.usage, "missing argument FILE", next: "name a file, or use --count N --name 'ci-{n}'")
        }
        var source = try context.accounts(file, shard: options.shard, .creation(backend))
        try context.survey(&source, losses, isStrict: options.isStrict)
        return source
    }

    /// The password of all generated accounts; `nil` if each gets its own.
    private static func password(_ options: Options, _ context: Context) throws(AuthError) -> Secret? {
        guard let path = options.passwordFile else { return nil }
        let password = try SecretReader(what: "password", context: context).file(path)
        context.events.warn("all accounts get one password: whoever knows it can log in to each of them")
        return password
    }
}
