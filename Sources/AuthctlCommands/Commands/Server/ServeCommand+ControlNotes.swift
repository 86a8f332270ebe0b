import CommandLineKit

extension ServeCommand {
    /// The section of the manual page about `--test-controls`.
    static let controlNotes: [HelpTopic.Block] = [
        .paragraph(
            """
            `--test-controls` requires a loopback address. With `--test-controls`, the server also prints a secret URL \
            (`controlUrl` with `--json`). With `--set NAME=control-url`, only COMMAND gets the secret URL. The paths \
            below are relative to the secret URL; requests need no header fields. The test controls report an error as \
            {"error":MESSAGE} with status 400 (invalid body), 404 (unknown path, user or snapshot), 405 (wrong method) \
            or 507 (database too large for a snapshot). The test controls reject requests with an Origin field (status \
            403), so that web pages cannot use the controls. The log of `--verbose` omits the secret part. When the \
            server stops, recorded e-mails, snapshots, faults and the clock offset are lost.
            """),
        .rows([
            HelpRow("DELETE users", "Deletes all accounts, sessions and recorded e-mails."),
            HelpRow(
                #"PATCH users/ID {"emailVerified":true}"#,
                "Sets whether the user's e-mail is verified. The sessions of the user stay valid."),
            HelpRow(
                "GET mails?to=ADDRESS",
                """
                Lists the e-mails to ADDRESS or, without `to`, all e-mails, the newest last: \
                {"items":[{"to","subject","at","link","code"}]}. `authctl mail` lists them, too, if AUTHCTL_CONTROL_URL is \
                the secret URL. The server records the newest 1000 e-mails, even \
                without `--mail-dir`.
                """),
            HelpRow(
                #"POST clock {"advanceSeconds":N}"#,
                """
                Moves the server's clock forward, so that sessions, links and account locks expire, and returns \
                {"time"}. The clock moves by at most 100 years in total.
                """),
            HelpRow(
                "POST snapshots",
                #"Copies the database to memory and returns {"id"}. The server keeps the newest 16 snapshots."#),
            HelpRow(
                "POST snapshots/ID/restore",
                "Restores the accounts, sessions, recorded e-mails and clock offset of the snapshot."),
            HelpRow(
                #"PUT faults [{"route":"POST /login","rate":0.5,"status":503,"delayMs":200,"seed":7}]"#,
                """
                Replaces the list of faults; [] removes all faults. `route` is a method and a path below the server's \
                URL; `*` stands for any method, any path, or one segment of a path. `rate` is the fraction of the \
                route's requests that the fault affects (default: 1). A fault delays the affected requests by \
                `delayMs` (at most 60000) and, with a `status` from 400 to 599, makes them fail. Either `delayMs` or \
                `status` may be omitted, but not both. If several faults affect a request, the first in the list \
                applies. With the same `seed` (default: 0), the fault affects the same requests each time a sequence \
                of requests is repeated.
                """),
        ]),
    ]
}
