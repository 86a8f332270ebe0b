import CommandLineKit

extension ServeCommand {
    /// The section of the manual page about `--test-controls`.
    static let controlNotes: [HelpTopic.Block] = [
        .paragraph(
            """
            With `--test-controls`, which requires a loopback address, the server also prints a secret URL; `--json` has it \
            as controlUrl, and `--set` as control-url. The requests below it need no header. Errors are {"error"} with status \
            400 (body), 404 (path or snapshot), 405 (method) or 507 (the database is too large for a snapshot). Requests with \
            an Origin field are rejected with 403, so that pages cannot use the controls. `--verbose` hides the secret. \
            Recorded e-mails, snapshots, faults and the shift of the clock end with the server.
            """),
        .rows([
            HelpRow("DELETE users", "Deletes all accounts, sessions and recorded e-mails."),
            HelpRow(
                "GET mails?to=ADDRESS",
                """
                Lists the e-mails to ADDRESS, or all, the newest last: {"items":[{"to","subject","at","link","code"}]}. The \
                server records the newest 1000, also without `--mail-dir`.
                """),
            HelpRow(
                #"POST clock {"advanceSeconds":N}"#,
                """
                Moves the clock of the server forward, so that sessions, links and locks of accounts expire, and returns {"time"}. The clock \
                moves by at most 100 years in all.
                """),
            HelpRow(
                "POST snapshots",
                """
                Copies the database to memory and returns {"id"}. The server keeps the newest 16 snapshots, of at most \
                512 MiB altogether.
                """),
            HelpRow(
                "POST snapshots/ID/restore",
                "Brings back accounts, sessions, recorded e-mails and the shift of the clock as they were."),
            HelpRow(
                #"PUT faults [{"route":"POST /login","rate":0.5,"status":503,"delayMs":200,"seed":7}]"#,
                """
                Replaces the list of faults; [] ends all. The route is a method and a path below the server's URL; `*` \
                stands for any method, any path, or one segment of a path. The fault occurs at this rate (default: 1) of \
                the requests to its route. It delays them by up to 60000 ms and, with a status from 400 to 599, fails \
                them. Of several faults the first in the list counts. The same seed (default: 0) makes the same requests \
                of a sequence fail.
                """),
        ]),
    ]
}
