import AuthClient
import AuthModel
import CommandLineKit
import JSON
import Platform

enum StorageStateCommand: Command {
    struct Options: TakesBrowserOptions {
        var browser = BrowserOptions()
        var file: String?
    }

    static let name = "storage-state"
    static let summary = "Print the session as browser state"
    static let readsOutputVariable = false
    static let spec = declaration(
        discussion: """
            Prints the session as the JSON document that Playwright's option `storageState` reads, so that a browser \
            test starts logged in. ORIGIN is the origin of your web app, such as http://localhost:3000. The document \
            gives access to the account.
            """,
        table: (
            "Seen logged in by Chromium 156 with Playwright 1.65, before and after refreshes",
            [
                HelpRow("local, parse", "Local storage of Parse's SDK 8.3; `authctl serve`."),
                HelpRow("pocketbase", "Local storage of its SDK 0.28; PocketBase 0.40."),
                HelpRow(
                    "supabase", "Local storage of supabase-js 2.110, cookies of @supabase/ssr 0.12; fake server."),
                HelpRow("firebase", "Local storage or IndexedDB of the SDK 9.23; fake emulator."),
                HelpRow("allauth", "Session cookie; page without an SDK, allauth 65.21."),
                HelpRow("rest-auth", "JWT cookies; page without an SDK, dj-rest-auth 7.2."),
            ]
        ),
        examples: [
            Example(
                "authctl storage-state http://localhost:3000 --file state.json", "Write the browser state to a file."),
            Example(
                "authctl storage-state https://shop.example.org --local-storage token",
                "Name the local-storage entry for the token."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 7, 8, 9, 10, 12],
        notes: .paragraphs(
            """
            For Parse and `local`, the document contains the local-storage entry that Parse's JavaScript SDK reads \
            (`Parse/APPID/currentUser`); for PocketBase, the entry of its SDK (`pocketbase_auth`); for Supabase, \
            that of its JavaScript client (`sb-LABEL-auth-token`, where LABEL is the first label of the server's host), \
            and the cookies of the same name in which @supabase/ssr keeps the session, for the host of ORIGIN. For \
            Firebase, it contains the entry that its SDK takes over (`firebase:authUser:KEY:APP`), in the local storage \
            or, with `--indexed-db`, in IndexedDB, which Playwright writes from version 1.51 on. KEY is the Web API key, \
            which `--client-key-file` or AUTHCTL_CLIENT_KEY must name, on the emulator, too.

            For allauth, Django's login form and other sessions that are cookies, the document contains the session \
            cookie and that of the CSRF token, and ORIGIN must have the host of the server; a JWT that was given to \
            `login` has no cookie (exit code 10). For dj-rest-auth with \
            JWTs in cookies, it contains the cookies that the login or the last refresh showed, with their path, \
            domain, Secure, HttpOnly and SameSite. For other rest-auth sites and Kii Cloud, use `--local-storage` to \
            name the local-storage entry in which your web app keeps the token.

            The page refreshes the session of the document, and most servers accept a refresh token only once: with \
            Supabase, a second browser that uses the old one ends the session of both. Make a document for each browser \
            that runs at the same time, with a login for each (`users login --storage-states`), and log in again \
            before authctl uses the session.

            In Playwright, use `browser.newContext({ storageState: 'state.json' })`. The file written by `--file` has \
            mode 0600; do not commit it.
            """),
        arguments: [
            .positional({ $0.browser.origin = $1 }, "ORIGIN", help: "Origin of the page: scheme, host and port."),
            .option(
                { $0.file = $1 }, "file", value: "FILE", help: "Write to FILE (mode 0600) instead of standard output."),
        ] + .browserOptions())

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        let page = try options.browser.page([name], context)
        let output = Output(
            json: try context.client().browserDocument(for: page), wasPrinted: options.file != nil)
        if let file = options.file { try write(output, to: file, context) }
        return output
    }

    private static func write(_ output: Output, to path: String, _ context: Context) throws(AuthError) {
        try mappingFileErrors { () throws(FileError) in
            try context.world.writeFile(path, Array(output.text(.plain).utf8), context.warn)
        }
        context.events.note("saved the browser state in '\(path)'")
    }

    struct Output: CommandOutput {
        let json: JSONValue
        let wasPrinted: Bool

        func text(_ style: TextStyle) -> String { json.text + "\n" }
    }
}
