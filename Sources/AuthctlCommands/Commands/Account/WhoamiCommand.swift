import AuthClient
import AuthModel
import CommandLineKit
import JSON

/// Shows the user of the session, and whether the session is still valid on the server.
enum WhoamiCommand: Command {
    struct Options: CommandOptions {
        var asksServer = true
    }

    static let name = "whoami"
    static let spec = CommandSpec<Options>(
        name,
        summary: "Show the current user",
        discussion: """
            Asks the server whether the session is still valid. The exit code is 3 if no session is saved, 4 if it is \
            rejected or expired, and 8 or 9 if the server gives no usable response.
            """,
        examples: [
            Example("authctl whoami", "Check the session with the server."),
            Example("authctl whoami --json | jq -r .user.email", "Print one field, for scripts."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 7, 8, 9, 10, 12],
        arguments: [
            .disablingFlag({ $0.asksServer = $1 }, "offline", help: "Show the saved user; send no request.")
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        let client = try context.makeClient()
        let state = try options.asksServer ? CurrentUser(client).check() : CurrentUser(client).offline()
        return Output(state: state, settings: client.settings, hints: context.hints)
    }

    struct Output: CommandOutput {
        let state: SessionState
        let settings: Settings
        let hints: HintRenderer

        var error: AuthError? { state.error }

        func text(_ style: TextStyle) -> String {
            let name = (state.active?.user.displayName ?? "an unnamed user").shownShort
            let place = "(profile '\(settings.profile.value)', \(settings.connection.placeName.shown))"
            return switch state.state {
            case .valid: "\(style.strong(name)) \(place)\n\(details)"
            case .stored: "\(style.strong(name)) \(place), not checked\n\(details)"
            case .rejected: "\(name) was logged in \(place); the server no longer accepts the session\n"
            case .expired: "\(name) was logged in \(place); the session has expired\n"
            case .absent: "not logged in \(place)\n"
            case .unknown: "\(name) \(place), not checked: no usable response from the server\n"
            }
        }

        private var details: String {
            var lines = ""
            if let user = state.active?.user, let email = user.email {
                let verified = user.emailVerified.map { $0 ? " (verified)" : " (not verified)" } ?? ""
                lines += "e-mail:  \(email.shownShort)\(verified)\n"
            }
            if let session = state.active?.session, let end = session.expiresAt {
                lines +=
                    "session: expires \(end.text)\(session.refreshToken == nil ? "" : ", refreshed automatically")\n"
            }
            return lines
        }

        var json: JSONValue {
            [
                "v": 1, "kind": "whoami",
                "state": .string(state.state.rawValue),
                "checked": .bool(state.isChecked),
                "profile": .string(settings.profile.value),
                "backend": .string(settings.connection.backend),
                "server": JSONValue(settings.connection.server),
                "source": JSONValue(state.active?.source.rawValue),
                "user": JSONValue(state.active?.user, \.json),
                "session": JSONValue(state.active?.session, \.json),
                "error": JSONValue(state.error) { ErrorReport($0, hints).json },
            ]
        }
    }
}
