import AuthClient
import AuthModel
import JSON
import Platform
import Synchronization

/// The saved sessions of all profiles: the output of `whoami --all`.
struct SavedSessions: CommandOutput {
    struct Item: Sendable {
        let stored: StoredSession
        /// Whether the settings in force select this session.
        let isCurrent: Bool
        let state: SessionState.State
        let expiresAt: Instant?
    }

    let items: [Item]
    /// With `--check`, the error of the first session that is not valid; else of the first file that cannot be read.
    let error: AuthError?
    let hints: HintRenderer
    let times: TimeStyle
    /// The width of the terminal in columns; `nil` for no limit.
    let width: Int?

    init(checks: Bool, in context: Context) throws(AuthError) {
        let saved = try context.sessions().list(of: nil)
        let stored = saved.compactMap { try? $0.content.get() }.sortedByConnection().sorted { $0.profile < $1.profile }
        // `try?`: settings that cannot be used select no session.
        let inForce = try? context.settings()
        var timed = context
        timed.deadline = context.world.uptime() + (try context.networkSettings().timeLimit)
        let outcomes = Self.outcomes(of: stored.count, threads: checks ? 32 : 1, context) { [timed] index in
            Result { () throws(AuthError) in
                let user = CurrentUser(try timed.client(for: stored[index], sendsRequest: checks))
                return try checks ? user.check(savesUser: false) : user.offline()
            }
        }
        // `try?`: a session of a removed profile has no client, and the state after a failed check is unknown.
        items = zip(stored, outcomes).map { stored, outcome in
            let state = try? outcome.get()
            return Item(
                stored: stored,
                isCurrent: inForce?.selects(stored) ?? false, state: state?.state ?? (checks ? .unknown : .stored),
                expiresAt: (state?.active?.session ?? stored.session).expiresAt)
        }
        let invalid = zip(stored, outcomes).compactMap { stored, outcome -> AuthError? in
            guard checks else { return nil }
            switch outcome {
            case .success(let state): return state.error.map { context.naming($0, stored) }
            case .failure(let error): return context.naming(error, stored)
            }
        }
        let unreadable = saved.compactMap { saved -> AuthError? in
            if case .failure(let error) = saved.content { error } else { nil }
        }
        let none = AuthError(.noSession, "no session is saved", next: NextStep("log in", run: ["login"]))
        error = saved.isEmpty ? none : invalid.first ?? unreadable.first
        (hints, times, width) = (context.hints, TimeStyle(context), context.tableWidth)
    }

    /// Runs `check` for the numbers below `count` on several threads, and shows the progress.
    private static func outcomes(
        of count: Int, threads: Int, _ context: Context,
        _ check: @escaping @Sendable (Int) -> Result<SessionState, AuthError>
    ) -> [Result<SessionState, AuthError>] {
        let work = Mutex((next: 0, outcomes: [Int: Result<SessionState, AuthError>]()))
        @Sendable func runThread() {
            while true {
                let index = work.withLock { work in
                    work.next += 1
                    return work.next - 1
                }
                guard index < count else { return }
                let outcome = check(index)
                let done = work.withLock { work in
                    work.outcomes[index] = outcome
                    return work.outcomes.count
                }
                context.events.progressed("checking sessions: \(done) of \(count)")
            }
        }
        return context.events.during("checking sessions") {
            // If no other thread can be started, the current thread does all the work.
            let others = (1..<max(1, min(threads, count))).compactMap { _ in NativeThread { runThread() } }
            runThread()
            for thread in others { thread.join() }
            return work.withLock { work in (0..<count).compactMap { work.outcomes[$0] } }
        }
    }

    func text(_ style: TextStyle) -> String {
        guard !items.isEmpty else { return "" }
        var table = Table(["", "PROFILE", "AS", "SERVER", "USER", "EXPIRES", "STATE"])
        for item in items {
            let stored = item.stored
            table.add([
                item.isCurrent ? "*" : "", stored.profile, stored.name ?? "", stored.connection.placeName,
                stored.user.displayName ?? "", times.text(item.expiresAt), item.state.rawValue,
            ])
        }
        return table.text(style, width: width, shrinking: [3, 4])
    }

    var json: JSONValue {
        [
            "v": 1, "kind": "whoami.all", "items": .array(items.map(\.json)),
            "error": JSONValue(error) { ErrorReport($0, hints).json },
        ]
    }
}

extension SavedSessions.Item {
    fileprivate var json: JSONValue {
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

extension Settings {
    fileprivate func selects(_ stored: StoredSession) -> Bool {
        (profile.value, sessionName?.value, connection) == (stored.profile, stored.name, stored.connection)
    }
}
