import AuthClient
import AuthModel
import CommandLineKit
import Platform

enum UsersVerifyCommand: Command {
    struct Options: TakesBulkOptions, TakesMailSearch {
        var bulk = BulkOptions()
        var search = MailSearch()
    }

    static let name = "users verify"
    static let summary = "Verify the e-mails of the accounts in a journal"
    static let spec = declaration(
        discussion: """
            Verifies the e-mails of the accounts that `authctl users create` recorded as waiting for it. The links or \
            codes come from the e-mails that `authctl mail` shows: those of `--mail-dir`, AUTHCTL_MAIL_DIR, \
            `--mailpit`, the profile setting `mailDir` or `mailpit`, the local accounts, or the emulator of Firebase. \
            The newest verification e-mail to each address counts, unless its link names another account. A link to \
            another origin than that of the setting `linkOrigin`, else than that of the first link that the server \
            accepted, is a failed row. A code of allauth is valid only for a login that \
            waits for it: with `--credentials`, authctl logs in to each account, and takes the code that the site then \
            sends. A login also tells whether an account is verified where the server does not. \
            An account without an e-mail is a failed row. \
            To continue after an interruption, run the same command again: verified accounts are skipped.
            """,
        examples: [
            Example(
                "authctl users verify --journal ci.journal --wait 10",
                "Wait at most ten seconds for e-mails that have not arrived."),
            Example(
                "authctl users verify --journal ci.journal --credentials ci.ndjson",
                "Log in to each account first, where the server verifies by codes."),
        ],
        exitCodes: [0, 2, 5, 8, 9, 10, 11, 12],
        arguments: [
            .file(.journal, help: "Journal written by `users create` (required)."),
            .file(
                .credentials, help: "File of passwords, for servers whose codes need a login, or that confirm no link."),
        ] + .mailSources() + [.wait { $0.search.wait = $1 }] + .bulkLimits(),
        rules: [.exclusive("mail-dir", "mailpit")])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> BulkReport.Output {
        let journal = try options.bulk.path(.journal, orSuggest: "name the journal of users create")
        let client = try context.client()
        try context.requireWritable(for: client, savesSession: false)
        let passwords = try options.bulk.files[.credentials].map { file throws(AuthError) in
            try context.accounts(file, areGenerated: true).passwords()
        }
        let work = try VerifyAccounts(
            try context.appendFile(journal, .journal, creates: false), try options.search.source(in: context),
            passwords: passwords, within: options.search.wait, client)
        return try BulkReport(
            context, "verifying e-mails", options.bulk, total: work.count,
            perMinute: work.logsIn ? client.settings.backend.value.logInsPerMinute : nil
        ).run(work, client)
    }
}
