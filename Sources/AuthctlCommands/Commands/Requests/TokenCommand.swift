import AuthClient
import AuthModel
import CommandLineKit
import JSON
import Platform

enum TokenCommand: Command {
    struct Options: CommandOptions {
        var printsHeader = false
        var minimumLife = Duration.zero
        var file: String?
    }

    static let name = "token"
    static let summary = "Print the session token"
    static let readsOutputVariable = false
    static let spec = declaration(
        discussion: """
            The token gives access to the account. `authctl token` sends a request only to refresh an expired or \
            expiring session, or to ask a Parse Server when the session expires.
            """,
        table: (
            "Header fields of a request",
            [
                HelpRow(
                    "local, parse",
                    "X-Parse-Application-Id, X-Parse-Session-Token, and X-Parse-REST-API-Key if a client key is set."),
                HelpRow("rest-auth", "`Authorization: Token TOKEN`, or `Bearer TOKEN` for a JWT."),
                HelpRow("allauth", "`X-Session-Token: TOKEN`; `Authorization: Bearer TOKEN` for a JWT."),
                HelpRow(
                    "django",
                    "`Cookie: TOKEN`, the session cookie and the CSRF token; `X-CSRFToken` and `Referer`. The same for "
                        + "cookie sessions of rest-auth and allauth."),
                HelpRow("pocketbase", "`Authorization: TOKEN`."),
                HelpRow("supabase", "`apikey: KEY` if a client key is set, and `Authorization: Bearer TOKEN`."),
                HelpRow("firebase, kii", "`Authorization: Bearer TOKEN`; for Firebase, the ID token."),
            ]
        ),
        examples: [
            Example("TOKEN=$(authctl token) || exit", "Use the token in a script."),
            Example("authctl token --header | curl -H @- https://example.org/users/me", "Send a request with curl."),
            Example("authctl token --json", "Print token, header fields and expiry as JSON."),
            Example("authctl token --file token.txt", "Write the token to a file that only you can read."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 8, 9, 10, 12],
        arguments: [
            .flag(
                { $0.printsHeader = $1 }, "header",
                help: "Print the header fields that authenticate a request, one per line."),
            .minimumLife { $0.minimumLife = $1 },
            .option(
                { $0.file = $1 }, "file", value: "FILE", help: "Write to FILE (mode 0600) instead of standard output."),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        let client = try context.client()
        var active = try client.sessions.liveSession(lasting: options.minimumLife)
        // Get header fields only to print them: they require the backend, which is slow to create.
        let needsHeaders = options.printsHeader || context.globals.format == .json
        // `try?`: without an answer, the usual word before the token is printed.
        if needsHeaders { try? client.sessions.learnWord(of: &active) }
        let session = active.session
        let output = Output(
            profile: client.settings.profile.value, session: session,
            headers: needsHeaders ? try client.backends.headers(of: session) : nil, printsHeader: options.printsHeader,
            wasPrinted: options.file != nil)
        if let file = options.file {
            let text = context.globals.format == .json ? output.json.text + "\n" : output.text(.plain)
            try mappingFileErrors { () throws(FileError) in
                try context.world.writeFile(file, Array(text.utf8), context.warn)
            }
            context.events.note("saved the token in '\(file)'")
        }
        return output
    }

    struct Output: CommandOutput {
        let profile: String
        let session: Session
        let headers: SessionHeaders?
        let printsHeader: Bool
        let wasPrinted: Bool

        func text(_ style: TextStyle) -> String {
            guard printsHeader, let headers else { return session.presentedToken.reveal() + "\n" }
            return headers.all.fields.map { $0.line + "\n" }.joined()
        }

        var json: JSONValue {
            let fields = (headers?.all.fields ?? []).map { field in
                JSONObject.Member(name: field.name, value: .string(field.value))
            }
            return [
                "v": 1, "kind": "token", "profile": .string(profile), "token": .string(session.presentedToken.reveal()),
                "scheme": JSONValue(headers?.scheme), "headers": .object(JSONObject(fields)),
                "expiresAt": JSONValue(session.expiresAt.map(\.text)),
            ]
        }
    }
}

extension Argument {
    /// `--min-ttl SECONDS`: the minimum remaining lifetime of the session.
    static func minimumLife(_ field: @escaping Field<Duration>) -> Argument {
        .option(
            field, "min-ttl", value: "SECONDS",
            help: "If the session expires within SECONDS, refresh it; if it cannot be refreshed, exit with code 4.",
            parse: { text throws(ArgumentValueError) in
                guard text.isASCIIDigits, let seconds = Int64(text), seconds <= 1_000_000_000 else {
                    throw ArgumentValueError("'\(text)' is not a whole number from 0 to 1000000000")
                }
                return .seconds(seconds)
            })
    }
}
