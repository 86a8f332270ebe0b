import AuthClient
import AuthModel
import CommandLineKit
import JSON
import Platform

enum WhoamiCommand: Command {
    struct Options: CommandOptions {
        var sendsRequest = true
        var showsAll = false
        var checksAll = false
    }

    static let name = "whoami"
    static let summary = "Show the current user"
    static let spec = declaration(
        discussion: """
            Checks with the server whether the session is still valid. The exit code is 3 if there is no session, 4 if \
            the session is rejected or expired, and 8 or 9 if the server gives no usable response. With `--all`, lists \
            the saved sessions of all profiles; `*` marks the session in use.
            """,
        examples: [
            Example("authctl whoami", "Check the session with the server."),
            Example("authctl whoami --json | jq -r .user.email", "Print one field, for scripts."),
            Example("authctl whoami --all --check", "Check all saved sessions of all profiles."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 7, 8, 9, 10, 12],
        arguments: [
            .flag({ $0.sendsRequest = $1 }, "offline", sets: false, help: "Show the saved user; send no request."),
            .flag({ $0.showsAll = $1 }, "all", help: "List the saved sessions of all profiles; send no request."),
            .flag(
                { $0.checksAll = $1 }, "check",
                help: "Check the sessions side by side, within `--timeout` in all; fail if one is not valid."),
        ],
        rules: [.exclusive("offline", "all"), .requires(["check"], oneOf: ["all"])])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        if options.showsAll { return .all(try SavedSessions(checks: options.checksAll, in: context)) }
        let client = try context.client()
        let state = try options.sendsRequest ? CurrentUser(client).check() : CurrentUser(client).offline()
        return .one(
            CurrentSession(
                state: state, settings: client.settings,
                pending: { client.sessions.pending.step },
                others: client.sessions.sessionsOfOtherConnections, hints: context.hints, times: TimeStyle(context),
                now: context.world.clock.now()))
    }

    enum Output: CommandOutput {
        case one(CurrentSession)
        case all(SavedSessions)

        private var shown: any CommandOutput {
            switch self {
            case .one(let session): session
            case .all(let sessions): sessions
            }
        }

        var error: AuthError? { shown.error }
        func text(_ style: TextStyle) -> String { shown.text(style) }
        var json: JSONValue { shown.json }
    }

    struct CurrentSession: CommandOutput {
        let state: SessionState
        let settings: Settings
        /// What a signup or login waits for. Used only for JSON output.
        let pending: @Sendable () -> Pending.Step?
        /// The profile's sessions for other connections. Used only for JSON output.
        let others: @Sendable () -> [StoredSession]
        let hints: HintRenderer
        let times: TimeStyle
        let now: Instant

        var error: AuthError? { state.error }

        func text(_ style: TextStyle) -> String {
            let name = (state.active?.user.displayName ?? "an unnamed user").shownShort
            let place = settings.place
            return switch state.state {
            case .valid: "\(style.strong(name)) \(place)\n\(details)"
            case .stored: "\(style.strong(name)) \(place), not checked\n\(details)"
            case .rejected: "\(name) \(place): session rejected\n"
            case .expired: "\(name) \(place): session expired\n"
            // The error reports that there is no session.
            case .absent: ""
            case .unknown: "\(name) \(place), not checked: no usable response from the server\n"
            }
        }

        private var details: String {
            guard let active = state.active else { return "" }
            var lines: [(name: String, text: String)] = []
            if let end = active.session.expiresAt {
                let time = times.text(end)
                let isToken = active.session.accessToken != nil
                // A session that cannot be renewed after its end expires if authctl is not used before.
                let isRenewable = active.stored.isRenewable(by: settings.backend.value.refresh, at: max(end, now))
                let text =
                    switch (end <= now, isRenewable) {
                    case (false, _): "expires \(time)" + (isRenewable ? ", refreshed automatically" : "")
                    case (true, true): "expired \(time); the next request refreshes it"
                    case (true, false): "expired \(time)" + (isToken ? "" : ", unless the server has extended it")
                    }
                lines.append((isToken ? "access token" : "session", text))
            }
            if active.method == .impersonation { lines.append(("login", "impersonated, without the user's password")) }
            return UserLines.text(UserLines.lines(of: active.user, settings.backend.value, beside: lines))
        }

        var json: JSONValue {
            [
                "v": 1, "kind": "whoami",
                "state": .string(state.state.rawValue),
                "checked": .bool(state.isChecked),
                "profile": .string(settings.profile.value), "as": JSONValue(settings.sessionName?.value),
                "backend": .string(settings.connection.backend),
                "server": JSONValue(settings.connection.server),
                "source": JSONValue(state.active?.source.rawValue),
                "impersonated": JSONValue(state.active?.method) { .bool($0 == .impersonation) },
                "pending": JSONValue(pending()?.rawValue),
                "user": JSONValue(state.active?.user, \.json),
                "session": JSONValue(state.active?.session, \.json),
                "otherSessions": .array(others().map(\.mention)),
                "error": JSONValue(state.error) { ErrorReport($0, hints).json },
            ]
        }
    }
}
