import AuthBackends
import AuthClient
import AuthModel
import CommandLineKit
import JSON
package import Platform

/// The options of `serve`, as the parser sets them.
package struct ServeOptions: TakesLosses {
    package var address = IPAddress.loopback
    /// The address to listen on as well, if the system has it.
    package var otherAddress: IPAddress? = .loopbackIPv6
    /// `nil` means the default port, or a free port if there is a command.
    package var port: Int?
    /// `nil` means the accounts of the backend `local`, unless `isEphemeral` is true.
    package var database: String?
    /// Whether the accounts are in memory only, and are lost when the server ends.
    package var isEphemeral = false
    var seedFile: String?
    var losses = RowLosses.Choice()
    /// Always false for `local` accounts, because tests may delete accounts.
    package var hasTestControls = false
    /// Whether identities are accepted without verifying signatures. Requires `isEphemeral` and a loopback address.
    package var hasTestIdentities = false
    /// Whether password logins fail until the user's e-mail is verified.
    package var requiresVerifiedEmail = false
    /// The folder for e-mails. If `nil`, `World.serve` writes those of stored accounts to the folder of the backend
    /// `local`, and others nowhere; `World.serveWhile` uses a temporary folder.
    package var mailFolder: String?
    /// Whether to limit wrong passwords and, unless `isEphemeral` is true, signups and requests for e-mails.
    package var isThrottled = true
    package var mostConnections = 256
    /// Host names accepted in addition to loopback, each with or without a port; in lowercase in a `ServeRequest`.
    package var allowedHosts: [String] = []
    package var allowedOrigins: [String] = []
    var facebookAppIDs: [String] = []
    var facebookSecretFile: String?
    var names: [String] = []
    package var command: [String] = []

    package init() {}
}

enum ServeCommand: Command {
    typealias Options = ServeOptions

    static let name = "serve"
    static let summary = "Serve local accounts over HTTP"
    static let usesProfile = false
    static let spec = declaration(
        discussion: """
            Serves the Parse REST API for users and sessions on 127.0.0.1 and [::1] until Ctrl-C. Prints its URL when ready. \
            Requests must carry the application id of `--app-id` ('local' by default) and, if set, the client key of \
            `--client-key-file`.

            With COMMAND, authctl serves on a free port while COMMAND runs, and exits with the exit code of COMMAND. \
            COMMAND gets the connection in environment variables.
            """,
        examples: [
            Example("authctl serve", "Serve the accounts of the backend `local`."),
            Example(
                "authctl serve --port 0 --json --database test.db",
                "Use a free port and a separate database, for tests."),
            Example(
                "authctl serve --allow-origin http://localhost:3000", "Accept requests from a web app in development."),
            Example("authctl serve --allow-host 10.0.2.2", "Accept requests from an app in the Android emulator."),
            Example("authctl serve --ephemeral --seed users.csv -- npm test", "Run tests with separate accounts."),
            Example(
                "authctl serve --ephemeral --test-identities", "Test Sign in with Apple without Apple's servers."),
        ],
        exitCodes: [0, 2, 6, 7, 12],
        notes: .paragraphs(
            """
            The server behaves like Parse Server 8 for the requests that Parse's SDKs send for signup, login, logout, \
            the current user, sessions, queries, batches, anonymous users, password reset and e-mail verification. \
            Files, push, cloud code and classes other than users and sessions are not available, and requests for them \
            get an error that says so; a query for roles \
            finds none, and installations are accepted and discarded. The server has no master key. Queries support \
            limit, skip, order, keys, excludeKeys, include, count and where with $eq, $ne, $in, $nin, $exists, $lt, \
            $lte, $gt, $gte, $or, $and and $nor. $regex supports only literal text of at most 100 bytes, such as \
            \\Qa.b\\E, with an optional ^ and $, and $options with the letters i, m and s (m not with ^ or $). \
            Unsupported conditions, such as $all, $select, $inQuery, $relatedTo, $text, geo queries and wildcards in \
            $regex, fail with error code 102. Queries with the parameter aggregate, distinct, explain or hint also \
            fail with error code 102. A query whose conditions would compare more than 32 MiB fails with error code \
            154. Updates support Increment, Add, AddUnique, Remove and Delete; AddRelation, RemoveRelation, Batch and \
            SetOnInsert fail with error code 108. Field names such as prefs.size change a member of an object, but \
            not an element of an array (error code 105). A Date that is not RFC 3339 fails with error code 107. Some \
            differences from Parse Server are intentional: fields have no fixed types. A list of sessions includes \
            the token only for the caller's session. An ACL can let other users read a user, but not change it. A \
            batch has at most 100 requests and is not atomic.

            The server accepts the client key in X-Parse-REST-API-Key, X-Parse-JavaScript-Key and the other places \
            that Parse's SDKs use.

            The server rejects requests for hosts other than loopback (`localhost` and names below it, 127.0.0.1 and \
            [::1]) and the address of `--listen`, unless `--allow-host` names the host. It rejects cross-origin \
            requests, unless `--allow-origin` names the origin. A line on standard error names each rejected host and \
            origin, and the option that allows it. E-mails of the accounts of the backend `local` go to its own folder, \
            which `authctl mail` reads. With `--ephemeral` or `--database`, e-mails are kept only with `--mail-dir`, \
            `--test-controls` or COMMAND. The URLs in e-mails contain the address of `--listen`; with `0.0.0.0` or `::` they \
            contain the first host named by `--allow-host`.

            With `--require-verified-email`, the server behaves like Parse Server with the option \
            `preventLoginWithUnverifiedEmail`: a signup gets a verification e-mail and no session, and a login with a \
            password fails with error code 205 until the user has opened the link. With `--ephemeral` or \
            `--database`, `--require-verified-email` requires `--mail-dir`, `--test-controls` or COMMAND.

            Five wrong passwords lock an account for five minutes. Logins to a locked account fail as on Parse Server \
            with the option `accountLockout`; sessions stay valid. In each window of five minutes, the server accepts \
            at most 10 signup requests per username and 200 in total. The same limits apply to e-mails, per address \
            and in total. Further requests fail with status 429. These limits treat usernames and addresses that \
            differ only in case, white space or invisible characters as equal. `--ephemeral` removes the limits on \
            signups and e-mails; `--no-throttle` removes them and the limit on wrong passwords. The counters are in \
            memory: a restart of the server ends all locks.

            The request line and the headers are limited to 32 KiB and must arrive within ten seconds. The body of a \
            request is limited to 1 MiB. The time limit for a body or a response is ten seconds, plus one second for \
            each 16 KiB already transferred; a transfer in which nothing moves for ten seconds is cut off. A malformed request gets a JSON error, and the server closes the \
            connection. A list or batch whose response would exceed 8 MiB is rejected.

            The server keeps at most 256 connections open (`--max-connections`); beyond that limit it closes the \
            connection that has been idle longest. The server responds with status 503 and Retry-After if all \
            connections are busy with requests, if clients have not yet read responses of 64 MiB, if 64 other requests wait for a password hash, or if another process \
            has locked the database for two seconds. The server responds with status 507 if the disk is full. On \
            SIGINT or SIGTERM the server answers the requests that have arrived, for at most five seconds, and exits \
            with code 0.

            `--ephemeral` keeps accounts in memory only, and hashes passwords at the lowest cost.

            COMMAND gets the connection settings in AUTHCTL_BACKEND, AUTHCTL_SERVER, AUTHCTL_APP_ID, \
            AUTHCTL_CLIENT_KEY (with `--client-key-file`) and AUTHCTL_ALLOW_HTTP (with `--listen`, unless ADDRESS is \
            loopback). COMMAND also gets the folder of the server's e-mails in AUTHCTL_MAIL_DIR, and a new \
            configuration folder in AUTHCTL_CONFIG_DIR. authctl removes AUTHCTL_TOKEN, AUTHCTL_TOKEN_FILE, \
            AUTHCTL_AS, AUTHCTL_PROFILE and the keys of other servers from the environment of COMMAND. COMMAND gets \
            all other variables of authctl's environment, such as AUTHCTL_PASSWORD. The configuration folder and, \
            without `--mail-dir`, the e-mail folder are in TMPDIR or /tmp. authctl deletes them when COMMAND ends. If \
            authctl was killed, the next `authctl serve -- COMMAND` deletes them.

            With COMMAND, authctl prints the URL on standard error, so that standard output has only the output of \
            COMMAND. authctl forwards SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 to COMMAND. COMMAND gets \
            signals from terminal keys, such as Ctrl-C, directly. If authctl is killed, COMMAND gets SIGTERM (Linux \
            only). If a signal ends COMMAND, the exit code is 128 plus the number of the signal. Exit code 126 means \
            that COMMAND is not executable, 127 that it is not found.

            The `--seed` file is NDJSON, a JSON array, a Parse export or CSV with a header, and has one account per \
            row; JSON values keep their type. Its columns are those of `authctl users create`; authData, a JSON object \
            such as {"google":{"id":"7"}}, needs no token. A row with authData needs no username or password; `objectId` is another name for `id`. \
            authctl checks all rows before it creates accounts, with the rules of the server and not those of `authctl \
            signup`. If an account is invalid (exit code 7) or already exists (6), authctl creates no accounts. \
            `--seed -` reads the accounts from standard input.

            With `--test-identities` any client can log in as any user: the server does not verify signatures and does \
            not contact any provider, not even Facebook. `--test-identities` requires `--ephemeral` and a loopback \
            address. In authData, the object of a provider contains an id_token, token or access_token, which is a JWT \
            or a string with a JSON object. The `sub` claim of the token is the id of the identity; other claims, such \
            as `exp` and `aud`, are ignored. Instead of a token, a provider's object can contain a `code`; its value \
            is then the id of the identity. If a provider's object contains an `id` member, its value must equal the \
            id of the identity. A provider name has at most 64 characters: lowercase letters, digits, `_` and `-`. A \
            login with Apple sends, for example, {"authData":{"apple":{"id":"1","token":"{\\"sub\\":\\"1\\"}"}}}.
            """) + controlNotes,
        arguments: [
            .option(
                { $0.port = $1 }, "port", value: "PORT", default: "\(EmbeddedAccounts.port), or 0 with COMMAND",
                help: "Listen on this port; 0 means a free port.",
                parse: { text throws(ArgumentValueError) in
                    guard let port = UInt16(text) else { throw ArgumentValueError("'\(text)' is not a port") }
                    return Int(port)
                }),
            .option(
                { ($0.address, $0.otherAddress) = ($1, nil) }, "listen", value: "ADDRESS",
                default: "127.0.0.1 and ::1",
                help: "Listen on this IP address; a non-loopback address requires `--client-key-file`.",
                parse: { text throws(ArgumentValueError) in
                    guard let address = IPAddress(text) else {
                        throw ArgumentValueError("'\(text)' is not an IP address")
                    }
                    return address
                }),
            .option(
                { $0.database = $1 }, "database", value: "FILE", default: "the local accounts",
                help: "Use this SQLite file."),
            .flag({ $0.isEphemeral = $1 }, "ephemeral", help: "Keep the accounts in memory only."),
            .option(
                { $0.seedFile = $1 }, "seed", value: "FILE",
                help: "Create the accounts listed in FILE (NDJSON, CSV)."),
        ] + .losses() + [
            .flag(
                { $0.hasTestControls = $1 }, "test-controls",
                help: "Let tests change users and clock at a secret URL."),
            .flag(
                { $0.hasTestIdentities = $1 }, "test-identities",
                help: "Accept unverified identities of any provider."),
            .option(
                { $0.mailFolder = $1 }, "mail-dir", value: "FOLDER",
                help: "Write e-mails to this folder, one file each (default: see below)."),
            .flag(
                { $0.requiresVerifiedEmail = $1 }, "require-verified-email",
                help: "Reject logins until the user's e-mail is verified."),
            .flag(
                { $0.isThrottled = $1 }, "no-throttle", sets: false,
                help: "Allow any number of logins, signups and e-mails."),
            .number(
                { $0.mostConnections = $1 }, "max-connections", 1...65_535, default: "256",
                help: "Keep at most N connections open."),
            .list(
                { $0.allowedHosts.append($1) }, "allow-host", value: "NAME",
                help: "Accept requests for this host name."),
            .list(
                { $0.allowedOrigins.append($1) }, "allow-origin", value: "ORIGIN",
                help: "Allow requests from pages of this origin, such as `http://localhost:3000`."),
            .list(
                { $0.facebookAppIDs.append($1) }, "facebook-app-id", value: "ID",
                help: "Accept tokens that Facebook issued for this app.",
                environment: ["AUTHCTL_FACEBOOK_APP_ID"]),
            .option(
                { $0.facebookSecretFile = $1 }, "facebook-app-secret-file", value: "FILE",
                help: "Read the Facebook app secret from FILE."),
            .list(
                { $0.names.append($1) }, "set", value: "NAME=FIELD",
                help: "Set the variable NAME of COMMAND to FIELD: url, app-id, client-key or control-url."),
            .optionalRemainder({ $0.command.append($1) }, "COMMAND", help: "Command and its arguments."),
        ],
        rules: [
            .exclusive(groups: [["ephemeral", "test-identities"], ["database"]]),
            .requires(["test-controls"], oneOf: ["ephemeral", "database"]),
            .requires(["drop", "skip"], oneOf: ["seed"]),
            // With `--test-identities`, clients can log in as any user, so stored accounts must not be served.
            .requires(["test-identities"], oneOf: ["ephemeral"]), .requires(["set"], oneOf: ["COMMAND"]),
            // Otherwise no e-mail with a link could be written.
            .requires(
                ["require-verified-email"], oneOf: ["mail-dir", "test-controls", "COMMAND"],
                with: ["ephemeral", "database"]),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        for origin in options.allowedOrigins { try requireOrigin(origin) }
        var options = options
        options.allowedHosts = try options.allowedHosts.map { text throws(AuthError) in try host(text) }
        try requirePrivacy(options)
        let clientKey = try context.globals.clientKeyFile.map { path throws(AuthError) in
            try SecretReader(what: "client key", context: context).token(in: path)
        }
        try requireKey(clientKey, options, context)
        let appID = context.globals.appID ?? EmbeddedAccounts.appID
        try Profile.requireAppID(Setting(appID, from: .option("--app-id")))
        let lines = UnblockedLines { [events = context.events] in events.trace($0) }
        let log: @Sendable (String) -> Void = { lines.add($0) }
        let warn: @Sendable (String) -> Void = { log("warning: \($0)") }
        let seed = try options.seedFile.map { path throws(AuthError) in
            try AccountSeed(path, RowLosses(creatingOn: context.backends[0], options.losses), context)
        }
        let request = ServeRequest(
            options: options, port: options.port ?? (options.command.isEmpty ? EmbeddedAccounts.port : 0), appID: appID,
            seed: seed, clientKey: clientKey, facebook: try facebook(options, context),
            log: context.globals.isVerbose ? log : nil, report: { log("error: \($0)") },
            warnOfRequest: context.events.isQuiet ? nil : warn, warn: context.warn)
        guard options.command.isEmpty else { return try run(request, in: context) }
        try context.world.serve(request) { (urls: ServerURLs) throws(AuthError) in
            try context.printer.announce(Output(request: request, urls: urls))
        }
        return Output(request: request, urls: nil)
    }

    /// Requires an origin as browsers send it: lowercase, without a path (RFC 6454, section 6.2). The page of an app can
    /// have a scheme of its own, such as `capacitor://localhost`.
    private static func requireOrigin(_ text: String) throws(AuthError) {
        let scheme = text.prefix { $0 != ":" }
        let isWeb = scheme == "http" || scheme == "https"
        let web = isWeb ? text : "https" + text.dropFirst(scheme.count)
        let isScheme = scheme.utf8.allSatisfy { 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || "+-.".utf8.contains($0) }
        // `try?`: the error below names the accepted form.
        guard isScheme, !scheme.isEmpty, let url = try? ServerURL(web), url.text == web,
            web.split(separator: "/").count == 2
        else {
            throw AuthError(
                .usage, "'\(text)' is not an origin (option '--allow-origin')",
                next: "use an origin such as http://localhost:3000")
        }
    }

    /// Parses a host name or IP address with an optional port, which may differ from the server's port.
    private static func host(_ text: String) throws(AuthError) -> String {
        // The user may omit the brackets around an IPv6 address.
        let host = IPAddress(text)?.host ?? text.lowercased()
        // `try?`: the error below names the accepted forms.
        guard let url = try? ServerURL("http://\(host)"), url.text == "http://\(host)", !host.contains("/") else {
            throw AuthError(
                .usage, "'\(text)' is not a host name (option '--allow-host')",
                next: "use a host name or an address, such as 10.0.2.2")
        }
        return host
    }

    /// Rejects the options for tests if other devices can reach the server.
    private static func requirePrivacy(_ options: Options) throws(AuthError) {
        let tests = options.hasTestIdentities ? "--test-identities" : options.hasTestControls ? "--test-controls" : nil
        if let tests, !options.address.isLoopback {
            throw AuthError(
                .usage, "option \(tests) requires a loopback address: other devices could reach the server",
                next: "leave out --listen to serve this machine only")
        }
    }

    /// Requires a client key if other devices can reach the server, because they could create accounts and try
    /// passwords.
    private static func requireKey(
        _ clientKey: Secret?, _ options: Options, _ context: Context
    ) throws(AuthError) {
        let address = options.address
        if address.isLoopback { return }
        guard clientKey != nil else {
            throw AuthError(
                .usage,
                "option --listen \(address.text) requires --client-key-file: other devices can reach the server",
                nextSteps: ["add --client-key-file FILE", "leave out --listen to serve this machine only"])
        }
        context.events.warn(
            "other devices can reach the server on \(address.text), and plain http is not encrypted",
            next: address.isWildcard && options.allowedHosts.isEmpty
                ? "add --allow-host NAME: requests for another name or address than loopback are rejected" : nil)
    }

    private static func facebook(_ options: Options, _ context: Context) throws(AuthError) -> EmbeddedFacebook? {
        let ids = facebookAppIDs(options, context)
        for id in ids { try requireFacebookAppID(id) }
        guard !ids.isEmpty else {
            guard options.facebookSecretFile == nil else {
                throw AuthError(
                    .usage, "option --facebook-app-secret-file requires --facebook-app-id",
                    next: "add --facebook-app-id ID")
            }
            return nil
        }
        let secret = try options.facebookSecretFile.map { path throws(AuthError) in
            try SecretReader(what: "Facebook app secret", context: context).token(in: path)
        }
        return try context.servedFacebook(appIDs: ids.map(\.value), appSecret: secret)
    }

    private static func facebookAppIDs(_ options: Options, _ context: Context) -> [Setting<String>] {
        guard options.facebookAppIDs.isEmpty else {
            return options.facebookAppIDs.map { Setting($0, from: .option("--facebook-app-id")) }
        }
        let variable = "AUTHCTL_FACEBOOK_APP_ID"
        return context.environment[variable].map { [Setting($0, from: .environment(variable))] } ?? []
    }

    /// Facebook app ids contain only digits today, but other visible characters are accepted. A comma is rejected,
    /// because it suggests a list of ids.
    private static func requireFacebookAppID(_ id: Setting<String>) throws(AuthError) {
        guard !id.value.isEmpty, id.value.isVisibleASCII, !id.value.utf8.contains(UInt8(ascii: ","))
        else {
            throw AuthError(
                .usage, "'\(id.value)'\(id.origin.clause) is not a valid Facebook app id",
                next: "copy it from the app's page on Facebook; repeat --facebook-app-id for several apps")
        }
    }

    struct Output: CommandOutput {
        let request: ServeRequest
        /// `nil` if the URLs were printed when the server became ready.
        let urls: ServerURLs?
        /// How the command ended; `nil` if it is still running or there is no command.
        var ending: CommandEnding?

        var wasPrinted: Bool { urls == nil }

        var error: AuthError? {
            guard case .notStarted(let failure) = ending else { return nil }
            return .cannotRun(request.options.command[0], failure)
        }

        var exitCode: Int32 {
            switch ending {
            case .exited(let code): code
            case .notStarted(let failure): failure.exitCodeOfShells
            case nil: 0
            }
        }

        func text(_ style: TextStyle) -> String {
            let end = request.options.command.first.map { "for '\($0.shown)'" } ?? "stop with Ctrl-C"
            var details = ["application id '\(request.appID.shown)'", end]
            if !request.options.isThrottled { details.insert("no limits for logins, signups and e-mails", at: 1) }
            if request.options.hasTestIdentities { details.insert("test identities: no signature is verified", at: 1) }
            let url = style.strong(urls?.parse ?? "")
            let place = "serving local accounts at \(url) (\(details.joined(separator: "; ")))"
            guard let controls = urls?.controls else { return "\(place)\n" }
            return "\(place)\ntest controls at \(style.strong(controls.reveal()))\n"
        }

        var json: JSONValue {
            [
                "v": 1, "kind": "serve", "url": JSONValue(urls?.parse), "appId": .string(request.appID),
                "pid": JSONValue(processID()), "controlUrl": JSONValue(urls?.controls?.reveal()),
                "throttle": .bool(request.options.isThrottled),
            ]
        }
    }
}
