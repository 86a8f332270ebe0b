import AuthClient
import AuthModel
import CommandLineKit
import Platform

enum UsersVerifyCommand: Command {
    struct Options: TakesBulkLimits, TakesMailSearch {
        var journal: String?
        var search = MailSearch()
        var jobs = 4
        var interval: Duration?
    }

    static let name = "users verify"
    static let summary = "Verify the e-mails of the accounts in a journal"
    static let spec = CommandSpec<Options>(
        name,
        summary: summary,
        discussion: """
            Verifies the e-mails of the accounts that `authctl users create` recorded as waiting for it. The links or \
            codes come from the e-mails that `authctl mail` shows: those of `--mail-dir`, AUTHCTL_MAIL_DIR, \
            `--mailpit`, the profile setting `mailDir` or `mailpit`, the local accounts, or the emulator of Firebase. \
            The newest verification e-mail to each address counts. An account without an e-mail is a failed row. \
            To continue after an interruption, run the same command again: verified accounts are skipped.
            """,
        examples: [
            Example(
                "authctl users verify --journal ci.journal --wait 10",
                "Wait at most ten seconds for e-mails that have not arrived.")
        ],
        exitCodes: [0, 2, 5, 8, 9, 10, 11, 12],
        arguments: [
            .option(
                { $0.journal = $1 }, "journal", value: "FILE", help: "Journal written by `users create` (required).")
        ] + .mailSources() + [.wait { $0.search.wait = $1 }] + .bulkLimits(),
        rules: [.exclusive("mail-dir", "mailpit")])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> BulkReport.Output {
        guard let journal = options.journal else {
            throw AuthError(.usage, "missing option --journal FILE", next: "name the journal of users create")
        }
        let client = try context.client()
        try context.requireWritable(for: client, savesSession: false)
        let work = try VerifyAccounts(
            try context.appendFile(journal, .journal, creates: false), try options.search.source(in: context),
            within: options.search.wait, client)
        return try BulkReport(
            context, "verifying e-mails", total: work.count, interval: options.interval ?? .zero
        ).run(work, options, client)
    }
}
