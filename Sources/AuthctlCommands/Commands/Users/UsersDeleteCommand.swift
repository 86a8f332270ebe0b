import AuthClient
import AuthModel
import CommandLineKit
import JSON
import Platform

enum UsersDeleteCommand: Command {
    struct Options: TakesBulkOptions {
        var file: String?
        var bulk = BulkOptions()
        var adminKeyFile: String?
        var isConfirmed = false
    }

    static let name = "users delete"
    static let summary = "Delete the accounts recorded in a journal"
    static let spec = declaration(
        discussion: """
            Deletes only the accounts recorded in the journal of `authctl users create`. An account with a different \
            id or name, or one that may have existed before, is kept and reported. An account that is no longer there is `gone`. The command is safe to repeat. Passwords come from the credentials file \
            or from FILE, the input of `users create` (\(HelpTopics.backends(of: "account delete"))). The \
            administrator's key replaces passwords (\(HelpTopics.backends(of: "users delete"))). Local accounts need \
            neither.
            """,
        examples: [
            Example("authctl users delete --journal ci.journal --yes", "Delete the local accounts in a journal."),
            Example(
                "authctl users delete --journal ci.journal --credentials ci.ndjson --yes",
                "Delete accounts on a server, using their passwords."),
        ],
        exitCodes: [0, 2, 4, 5, 7, 8, 9, 10, 11, 12],
        arguments: [
            .optionalPositional({ $0.file = $1 }, "FILE", help: "File of accounts with their passwords."),
            .file(.journal, help: "Journal written by `users create` (required)."),
            .file(.credentials, help: "File of generated passwords."),
            .adminKeyFile { $0.adminKeyFile = $1 },
            .flag({ $0.isConfirmed = $1 }, "yes", help: "Delete without a prompt; required without a terminal."),
        ] + .bulkLimits(),
        rules: [.exclusive("FILE", "credentials", "admin-key-file")])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> BulkReport.Output {
        let journal = try options.bulk.path(.journal, orSuggest: "name the journal of users create")
        let client = try context.client()
        try DeleteAccounts.requireSupport(client)
        let access = try access(options, client, context)
        try context.requireWritable(for: client, savesSession: false)
        let work = try DeleteAccounts(try context.appendFile(journal, .journal, creates: false), access, client)
        if !options.isConfirmed { try confirm(work.count, client.settings, context) }
        return try BulkReport(context, "deleting accounts", options.bulk, total: work.count).run(work, client)
    }

    private static func access(
        _ options: Options, _ client: Client, _ context: Context
    ) throws(AuthError) -> DeleteAccounts.Access {
        let credentials = options.bulk.files[.credentials]
        if let file = credentials ?? options.file {
            return .passwords(try context.accounts(file, areGenerated: credentials != nil).passwords())
        }
        return .adminKey(
            try client.backends.checked(
                try context.adminKey(
                    options.adminKeyFile, of: client.settings, for: "a deletion without --credentials")))
    }

    private static func confirm(_ count: Int, _ settings: Settings, _ context: Context) throws(AuthError) {
        let question = "Delete \(count) accounts of \(settings.connection.name)? [y/N] "
        guard let answer = context.ask(question) else {
            throw AuthError(
                .usage, "cannot delete \(count) accounts without a confirmation", next: "to confirm, add --yes")
        }
        guard answer.isYes else { throw AuthError(.cancelled, "no account was deleted") }
    }
}
