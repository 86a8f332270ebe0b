import AuthClient
import AuthModel
import CommandLineKit
import JSON

enum UsersSetCommand: Command {
    struct Options: TakesBulkOptions, TakesPassword, TakesAdminKey, TakesLosses {
        var names: [String] = []
        var file: String?
        var bulk = BulkOptions()
        var passwordFile: String?
        var admin = AdminKeyOptions()
        var losses = RowLosses.Choice()
        var textFields: [String] = []
        var jsonFields: [String] = []
        var unset: [String] = []
        var textClaims: [String] = []
        var jsonClaims: [String] = []
        var unsetClaims: [String] = []
        var change = AccountChange()
    }

    static let name = "users set"
    static let summary = "Change roles, state and fields of accounts"
    static let spec = declaration(
        discussion: """
            Changes accounts with the administrator's key; local accounts need none. NAME is a username, an e-mail, a \
            phone number, or an id as `id:ID`. Only what is named changes: another run changes nothing and succeeds.
            """,
        table: ("What an administrator can change", HelpTopics.changes),
        examples: [
            Example("authctl users set ada --field role=editor --verified", "Change a local account."),
            Example(
                "authctl users set ada@example.org --claim role=admin --admin-key-file key",
                "Set a role that the user cannot change (Supabase, Firebase)."),
            Example("authctl users set ci-1 ci-2 --end-sessions", "End all sessions of two accounts."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
        notes: .paragraphs(
            """
            With `--from`, FILE has an account in each row, as `users create` reads it: the first of the columns `id`, \
            `username`, `email` and `phone` finds the account, whose other names are compared, and the other columns are \
            its new values.

            Claims are what the tokens of an account carry and its user cannot change: Supabase's `app_metadata`, \
            Firebase's custom claims. A claim replaces the claim of its name, also if it is an object, and other claims \
            stay. The tokens show it after their next refresh. Supabase merges the claims of a request into those that it \
            has read; for Firebase, authctl reads the claims, writes them and reads them again. If two runs change one \
            account at the same time, the later one may undo a claim of the earlier one.

            A new e-mail keeps the state of the old one with PocketBase and Supabase: add `--verified` or `--unverified`.

            `--role` adds the account to a Parse role, which must exist. `--disable` is a ban on Supabase. \
            `--end-sessions` ends all sessions of the account: its tokens are refused, except where other programs check \
            only their signature.

            The output has a row for each account. If NAME is one account, its error and exit code are those of the \
            command.
            """),
        arguments: [
            .positionals({ $0.names.append($1) }, "NAME", help: "Username, e-mail, phone number or id:ID."),
            .option(
                { $0.file = $1 }, "from", value: "FILE", help: "Read the accounts from FILE ('-': standard input)."),
            .list({ $0.textFields.append($1) }, "field", value: "NAME=TEXT", help: "Set a field to a string."),
            .list({ $0.jsonFields.append($1) }, "field-json", value: "NAME=JSON", help: "Set a field to a JSON value."),
            .list({ $0.unset.append($1) }, "unset", value: "NAME", help: "Remove a field."),
            .list({ $0.textClaims.append($1) }, "claim", value: "NAME=TEXT", help: "Set a claim to a string."),
            .list({ $0.jsonClaims.append($1) }, "claim-json", value: "NAME=JSON", help: "Set a claim to a JSON value."),
            .list({ $0.unsetClaims.append($1) }, "unset-claim", value: "NAME", help: "Remove a claim."),
            .list(
                { $0.change.addedRoles.append($1) }, "role", value: "NAME", help: "Add the account to a role (Parse)."),
            .list(
                { $0.change.removedRoles.append($1) }, "no-role", value: "NAME",
                help: "Remove the account from a role."),
            .option({ $0.change.user.email = $1 }, "email", value: "ADDRESS", help: "Set the e-mail of one account."),
            .flag({ $0.change.emailVerified = $1 }, "verified", help: "Mark the e-mail as verified."),
            .flag(
                { $0.change.emailVerified = $1 }, "unverified", sets: false, help: "Mark the e-mail as not verified."),
            .flag({ $0.change.disabled = $1 }, "disable", help: "Let nobody log in to the account."),
            .flag({ $0.change.disabled = $1 }, "enable", sets: false, help: "Allow logins again."),
            .flag({ $0.change.endsSessions = $1 }, "end-sessions", help: "End all sessions of the account."),
        ] + .passwordSources() + .adminKeySources() + .losses() + .bulkLimits(),
        rules: [
            .requires(["drop", "skip"], oneOf: ["from"]), .exclusive("NAME", "from"), .exclusive("email", "from"),
            .exclusive("verified", "unverified"),
            .exclusive("disable", "enable"), .onePassword, .oneAdminKey,
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> BulkReport.Output {
        try context.requireOneStandardInput([
            ("--from", options.file), ("--password-stdin", options.passwordFile),
            ("--admin-key-file", options.admin.file),
        ])
        let client = try context.client()
        let settings = client.settings
        var change = try change(options, settings)
        try AdministerAccounts.requireSupport(client)
        try change.require(of: settings)
        if options.passwordFile != nil {
            let password = try CredentialsPrompt(context: context).password(options)
            if settings.backend.value.has(.checksNewAccounts), let fault = AccountChecks.passwordFault(password) {
                throw AuthError(.weakPassword, fault.sentence, fields: [fault])
            }
            change.user.password = password
        }
        guard !options.names.isEmpty || options.file != nil else {
            throw AuthError(.usage, "missing argument NAME", next: "name an account, or a file with --from FILE")
        }
        guard options.file != nil || !change.isEmpty else {
            throw AuthError(.usage, "no changes specified", next: "add an option such as --field, --claim or --disable")
        }
        let key = try client.backends.checked(
            try context.adminKey(options.admin, of: settings, for: "a change of accounts"))
        try context.requireWritable(for: client, savesSession: false)
        let fields = try CreateAccounts.fieldNames(client, key)
        let own = change.user.fields.names + change.user.unset
        if let fields, let name = own.first(where: { !fields.contains($0) }) {
            throw AuthError(
                .invalidFields, "the accounts have no field '\(name)'", fields: [FieldFault(name, "is unknown")])
        }
        let work: AdministerAccounts
        if let file = options.file {
            var source = try context.accounts(file, .changes(settings.backend.value))
            let losses = try RowLosses(changing: settings.backend.value, fields: fields, options.losses)
            try context.survey(&source, losses)
            work = AdministerAccounts(source, change, settings.backend.value.accounts.changes, adminKey: key)
        } else {
            work = AdministerAccounts(options.names, .change(change), adminKey: key)
        }
        let report = BulkReport(
            context, "changing accounts", options.bulk, total: options.file == nil ? options.names.count : nil,
            shown: [.changed, .unchanged, .failed, .unknown])
        let output = try report.run(work, client, isOne: options.names.count == 1)
        // A server that treats an ended key like none shows other users less.
        _ = try client.backends.checked(key)
        if output.count(.changed) > 0 {
            if work.hasChangedClaims {
                context.events.note("a token shows the new claims after its next refresh")
            }
            if change.endsSessions, settings.isForEmulator {
                context.warn("the emulator still refreshes sessions that have ended")
            }
        }
        return output
    }

    private static func change(_ options: Options, _ settings: Settings) throws(AuthError) -> AccountChange {
        var change = options.change
        if let email = change.user.email {
            guard options.names.count < 2 else {
                throw AuthError(.usage, "option --email is for one account, not for \(options.names.count)")
            }
            guard !email.isEmpty else { throw AuthError(.usage, "the e-mail is empty") }
            try email.requirePlain("e-mail")
        }
        change.user.fields = try FieldOptions.newUserFields(
            text: options.textFields, json: options.jsonFields, settings.backend.value)
        change.user.unset = options.unset
        try FieldOptions.requireRemovable(options.unset, settings.backend.value)
        try FieldOptions.requireDistinct(change.user.fields.names + options.unset)
        change.claims = try FieldOptions.claims(text: options.textClaims, json: options.jsonClaims)
        change.claims.members += options.unsetClaims.map { .init(name: $0, value: .null) }
        try FieldOptions.requireDistinct(change.claims.names, "claim")
        try FieldOptions.requireDistinct(change.addedRoles + change.removedRoles, "role")
        try FieldOptions.requireDistinct(options.names, "account")
        return change
    }
}
