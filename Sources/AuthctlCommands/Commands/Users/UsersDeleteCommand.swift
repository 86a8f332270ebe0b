import AuthClient
import AuthModel
import CommandLineKit
import JSON
import Platform

enum UsersDeleteCommand: Command {
    struct Options: TakesBulkOptions, TakesAdminKey {
        var names: [String] = []
        var bulk = BulkOptions()
        var admin = AdminKeyOptions()
        var isConfirmed = false
    }

    static let name = "users delete"
    static let summary = "Delete accounts by name, or those of a journal"
    static let spec = declaration(
        discussion: """
            Deletes the accounts with these names, with the administrator's key; local accounts need none. With \
            `--journal`, deletes only the accounts that the journal of `authctl users create` records. An account with a \
            different id or name, or one that may have existed before, is then kept and reported, and one that is no \
            longer there is `gone`. The command is safe to repeat.
            """,
        examples: [
            Example("authctl users delete ci-1 ci-2 --yes", "Delete two local accounts."),
            Example("authctl users delete --journal ci.journal --yes", "Delete the local accounts in a journal."),
            Example(
                "authctl users delete --journal ci.journal --credentials ci.ndjson --yes",
                "Delete accounts on a server, using their passwords."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12],
        notes: .paragraphs(
            """
            With `--journal`, passwords come from the credentials file or from FILE, the input of `users create` \
            (\(HelpTopics.backends(of: "account delete"))), or the administrator's key replaces them \
            (\(HelpTopics.backends(of: "users list"))). Local accounts need neither.
            """),
        arguments: [
            .positionals(
                { $0.names.append($1) }, "NAME",
                help: "Account, or id:ID. With `--journal`: FILE of accounts with passwords."),
            .file(.journal, help: "Delete the accounts in the journal of `users create`."),
            .file(.credentials, help: "File of generated passwords."),
            .file(.tokens, help: "Say which lines of FILE are dead."),
            .flag({ $0.isConfirmed = $1 }, "yes", help: "Delete without a prompt; required without a terminal."),
        ] + .adminKeySources() + .bulkLimits(),
        rules: [
            .exclusive("credentials", "admin-key-file", "admin"), .exclusive("NAME", "credentials"),
            .requires(["credentials", "tokens"], oneOf: ["journal"]),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> BulkReport.Output {
        let client = try context.client()
        guard let journal = options.bulk.files[.journal] else { return try deleteNamed(options, client, context) }
        guard options.names.count < 2, options.names.isEmpty || !options.admin.isGiven else {
            throw AuthError(.usage, "with --journal, the accounts are those of the journal", next: "remove the names")
        }
        try DeleteAccounts.requireSupport(client)
        let access = try access(options, client, context)
        try context.requireWritable(for: client, savesSession: false)
        let tokens = try options.bulk.files[.tokens].map { file throws(AuthError) in
            try context.appendFile(file, .tokens, creates: false)
        }
        let work = try DeleteAccounts(
            try context.appendFile(journal, .journal, creates: false), access, tokens: tokens, client)
        if !options.isConfirmed { try confirm(work.count, client.settings, context) }
        return try BulkReport(context, "deleting accounts", options.bulk, total: work.count, kept: work.keptCount).run(
            work, client)
    }

    private static func deleteNamed(
        _ options: Options, _ client: Client, _ context: Context
    ) throws(AuthError) -> BulkReport.Output {
        let count = options.names.count
        guard count > 0 else {
            throw AuthError(
                .usage, "missing argument NAME",
                next: "name the accounts, or the journal of users create: --journal FILE")
        }
        try FieldOptions.requireDistinct(options.names, "account")
        try AdministerAccounts.requireSupport(client)
        let key = try client.backends.checked(
            try context.adminKey(options.admin, of: client.settings, for: "a deletion without --journal"))
        try context.requireWritable(for: client, savesSession: false)
        if !options.isConfirmed { try confirm(count, client.settings, context) }
        return try BulkReport(
            context, "deleting accounts", options.bulk, total: count, shown: [.deleted, .failed, .unknown]
        )
        .run(AdministerAccounts(options.names, .delete, adminKey: key), client)
    }

    private static func access(
        _ options: Options, _ client: Client, _ context: Context
    ) throws(AuthError) -> DeleteAccounts.Access {
        let credentials = options.bulk.files[.credentials]
        if let file = credentials ?? options.names.first {
            return .passwords(try context.accounts(file, areGenerated: credentials != nil).passwords())
        }
        return .adminKey(
            try client.backends.checked(
                try context.adminKey(options.admin, of: client.settings, for: "a deletion without --credentials")))
    }

    private static func confirm(_ count: Int, _ settings: Settings, _ context: Context) throws(AuthError) {
        let accounts = count == 1 ? "1 account" : "\(count) accounts"
        guard let answer = context.ask("Delete \(accounts) of \(settings.connection.name)? [y/N] ") else {
            throw AuthError(
                .usage, "cannot delete \(accounts) without a confirmation", next: "to confirm, add --yes")
        }
        guard answer.isYes else { throw AuthError(.cancelled, "no account was deleted") }
    }
}
