import AuthClient
import AuthModel
import CommandLineKit
import JSON
import Platform
import Transport

enum StorageStateCommand: Command {
    struct Options: CommandOptions {
        var origin = ""
        var storageNames: [String] = []
        var cookieName: String?
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
            that of its JavaScript client (`sb-REF-auth-token`): the page then refreshes the same session, so log in \
            again afterwards with authctl. For allauth, the document contains the session cookie, and ORIGIN must have \
            the host of the server; a JWT that was given to `login` has no cookie (exit code 10). For dj-rest-auth with JWTs in \
            cookies, it contains the cookies that the login showed. For other rest-auth sites and Kii Cloud, use `--local-storage` to name the local-storage entry in which your web app keeps the token.

            In Playwright, use `browser.newContext({ storageState: 'state.json' })`. The file written by `--file` has \
            mode 0600; do not commit it.
            """),
        arguments: [
            .positional({ $0.origin = $1 }, "ORIGIN", help: "Origin of the page: scheme, host and port."),
            .list(
                { $0.storageNames.append($1) }, "local-storage", value: "NAME",
                help: "Add the token to the local storage, under NAME."),
            .option(
                { $0.cookieName = $1 }, "session-cookie", value: "NAME", default: "sessionid",
                help: "Name of the site's session cookie (allauth)."),
            .option(
                { $0.file = $1 }, "file", value: "FILE", help: "Write to FILE (mode 0600) instead of standard output."),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        let page = try origin(options.origin, context)
        let client = try context.client()
        let (session, entry) = try client.browserEntry()
        var cookies: [JSONValue] = []
        var storage = options.storageNames.map { ($0, session.presentedToken) }
        let server = client.settings.connection.server.flatMap { URLParts($0) }
        switch entry {
        case .localStorage(let name, let value)?: storage.insert((name, value), at: 0)
        case .cookie, .tokenCookies:
            guard let server, server.host == page.host else {
                // The user named where the page keeps the token.
                if case .tokenCookies = entry, !storage.isEmpty { break }
                throw AuthError(
                    .usage, "the session cookie of '\(server?.host ?? "")' is not sent to '\(page.host)'",
                    next: NextStep("use the server's own origin", run: [name, server?.origin ?? "ORIGIN"]))
            }
            if case .cookie(let usualName, let value)? = entry {
                // The expiry is that of the access token, if there is one.
                let end = session.accessToken == nil ? session.expiresAt : nil
                cookies = [cookie(options.cookieName ?? usualName, value, end, for: server)]
            } else if case .tokenCookies(let access, let refresh)? = entry {
                cookies = [cookie(access, session.presentedToken, session.expiresAt, for: server)]
                if let refresh, let token = session.refreshToken {
                    cookies.append(cookie(refresh, token, nil, for: server))
                    context.events.note(
                        "authctl and the browser share the refresh token; if the site accepts it only once, the first "
                            + "refresh ends the session of the other")
                }
            }
        case nil:
            guard !storage.isEmpty else {
                // A signup of dj-rest-auth sets no cookies, even if the logins of the site do.
                let step = NextStep(
                    "if the site keeps it in cookies, log in: the login shows their names", run: ["login"])
                throw AuthError(
                    .usage,
                    "backend '\(client.settings.backendName)' does not decide where a page keeps the token",
                    nextSteps: ["name the entry of the local storage with --local-storage NAME"]
                        + (session.refreshToken == nil ? [] : [step]))
            }
        }
        let hasSessionCookie = if case .cookie? = entry { true } else { false }
        if options.cookieName != nil, !hasSessionCookie {
            throw AuthError(
                .usage,
                "backend '\(client.settings.backendName)' has no session cookie (option '--session-cookie')")
        }
        if !storage.isEmpty, let server, server.origin != page.origin {
            context.events.warn(
                "the scripts of '\(page.origin)' will hold a session for '\(server.origin)'", next: nil)
        }
        let entries = storage.map { name, value in
            ["name": .string(name), "value": .string(value.reveal())] as JSONValue
        }
        let output = Output(
            json: [
                "cookies": .array(cookies),
                "origins": entries.isEmpty
                    ? [] : [["origin": .string(page.origin), "localStorage": .array(entries)]],
            ], wasPrinted: options.file != nil)
        if let file = options.file { try write(output, to: file, context) }
        return output
    }

    /// A cookie in the format of Playwright's `storageState`. `expires` is in seconds since 1970; -1 if unknown.
    private static func cookie(
        _ name: String, _ value: Secret, _ end: Instant?, for server: URLParts
    ) -> JSONValue {
        [
            "name": .string(name), "value": .string(value.reveal()), "domain": .string(server.host), "path": "/",
            "expires": end.map { .integer($0.milliseconds / 1000) } ?? -1, "httpOnly": true,
            "secure": .bool(server.scheme == "https"), "sameSite": "Lax",
        ]
    }

    private static func origin(_ text: String, _ context: Context) throws(AuthError) -> URLParts {
        let url: ServerURL
        do throws(ServerURL.Fault) {
            url = try ServerURL(text)
        } catch {
            throw AuthError(
                .usage, "origin '\(ServerURL.masked(text))' \(error.problem)",
                next: "use an origin such as http://localhost:3000")
        }
        guard let page = URLParts(url.text), page.path.isEmpty else {
            throw AuthError(
                .usage, "origin '\(text)' has a path",
                next: NextStep("remove it", run: [name, URLParts(url.text)?.origin ?? ""]))
        }
        let isAllowed = context.globals.allowsHTTP || context.environment.isOn("AUTHCTL_ALLOW_HTTP")
        guard url.isSecure || url.isLoopback || isAllowed else {
            throw AuthError(
                .plainHTTP, "a page of '\(page.origin)' would send the session unencrypted",
                nextSteps: ["use an https URL", "to send the session unencrypted anyway, add --allow-http"])
        }
        return page
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
