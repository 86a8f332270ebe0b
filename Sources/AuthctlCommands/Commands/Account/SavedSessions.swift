import AuthClient
import AuthModel
import JSON

/// The saved sessions of all profiles: the output of `whoami --all`.
struct SavedSessions: CommandOutput {
    let items: [SavedSessionState]
    /// The session that the settings in force select.
    let current: SessionKey?
    /// With `--check`, the error of the first session that is not valid; else of the first file that cannot be read.
    let error: AuthError?
    let hints: HintRenderer
    let times: TimeStyle
    /// The width of the terminal in columns; `nil` for no limit.
    let width: Int?

    init(checks: Bool, in context: Context) throws(AuthError) {
        let saved = try context.sessions().list(of: nil)
        // `try?`: settings that cannot be used select no session.
        current = try? context.settings().sessionKey
        var timed = context
        timed.deadline = context.world.uptime() + (try context.networkSettings().timeLimit)
        items = ListSavedSessions(checks: checks, context.events) { [timed] stored throws(AuthError) in
            try timed.client(for: stored, sendsRequest: checks)
        }.run(saved) { context.events.progressed("checking sessions: \($0) of \($1)") }
        let invalid = items.lazy.compactMap { item in item.error.map { context.naming($0, item.stored) } }.first
        let none = AuthError(.noSession, "no session is saved", next: NextStep("log in", run: ["login"]))
        error = saved.isEmpty ? none : invalid ?? saved.errors.first
        (hints, times, width) = (context.hints, TimeStyle(context), context.tableWidth)
    }

    func text(_ style: TextStyle) -> String {
        guard !items.isEmpty else { return "" }
        var table = Table(["", "PROFILE", "AS", "SERVER", "USER", "EXPIRES", "STATE"])
        for item in items {
            let stored = item.stored
            table.add([
                stored.key == current ? "*" : "", stored.profile, stored.name ?? "", stored.connection.placeName,
                stored.user.displayName ?? "", times.text(item.expiresAt), item.state.rawValue,
            ])
        }
        return table.text(style, width: width, shrinking: [3, 4])
    }

    var json: JSONValue {
        [
            "v": 1, "kind": "whoami.all", "items": .array(items.map { $0.json(isCurrent: $0.stored.key == current) }),
            "error": JSONValue(error) { ErrorReport($0, hints).json },
        ]
    }
}

extension SavedSessionState {
    fileprivate func json(isCurrent: Bool) -> JSONValue {
        [
            "profile": .string(stored.profile), "as": JSONValue(stored.name),
            "backend": .string(stored.connection.backend), "server": JSONValue(stored.connection.server),
            "username": JSONValue(stored.user.displayName), "expiresAt": JSONValue(expiresAt.map(\.text)),
            "state": .string(state.rawValue), "current": .bool(isCurrent),
        ]
    }
}

extension Context {
    /// The next steps of an error for a saved session, even if the command line selects a different session.
    func stepsFor(_ key: SessionKey, after error: AuthError?) -> [NextStep] {
        let hints = hints.replacing(
            profile: key.profile, sessionName: key.nameOption(insteadOf: usualSessionName),
            connection: key.connection.options)
        return (error?.nextSteps ?? []).map { NextStep(hints.hint($0)) }
    }

    fileprivate func naming(_ error: AuthError, _ stored: StoredSession) -> AuthError {
        var named = error.explaining("session \(stored.description)")
        named.nextSteps = stepsFor(stored.key, after: error)
        return named
    }
}
