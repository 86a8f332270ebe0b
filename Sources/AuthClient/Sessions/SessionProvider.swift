package import AuthModel
import Platform

/// Owns the saved session of one profile and connection.
///
/// Use cases get their session here and send their requests through `send`. It refreshes an expired session before the
/// request, and saves the session of a response before anything else happens.
package struct SessionProvider: Sendable {
    package typealias Failure = AuthError

    let settings: Settings
    let backends: BackendProvider
    let openStore: @Sendable () throws(Failure) -> any SessionStore
    let environmentToken: EnvironmentToken?
    /// The time limit of one request; called before waiting for another process.
    let requestLimit: @Sendable () throws(Failure) -> Duration
    let events: any Events
    let clock: WallClock

    var profile: String { settings.profile.value }

    // MARK: - Finding

    /// The session from the environment, else the saved one.
    ///
    /// - Throws: `AuthError` `noSession`.
    package func current() throws(AuthError) -> ActiveSession {
        guard let active = try find() else { throw noSession() }
        return active
    }

    /// `nil` if there is none for this profile and connection.
    package func find() throws(AuthError) -> ActiveSession? {
        if let environmentToken {
            // A token alone does not identify its server.
            guard settings.backend.origin != .builtIn else { throw environmentToken.isUnbound }
            return ActiveSession(
                session: Session(token: try environmentToken.read()), user: User(), source: .environment)
        }
        return try load().map { ActiveSession($0) }
    }

    /// The saved session; `nil` if it is bound to another connection.
    func load() throws(AuthError) -> StoredSession? {
        guard let stored = try loadForAnyConnection(), stored.connection == settings.connection else { return nil }
        return stored
    }

    /// The session in the profile's file. If it is bound to another connection, it must not be sent.
    func loadForAnyConnection() throws(AuthError) -> StoredSession? { try openStore().load(profile) }

    /// Returns a token that has not expired by this machine's clock. An expired one is refreshed if possible.
    ///
    /// - Throws: `AuthError` `noSession` or `sessionExpired`, or why the refresh failed.
    package func liveToken() throws(AuthError) -> LiveToken {
        var active = try current()
        try refreshIfExpired(&active)
        guard !active.hasExpired(at: clock.now()) else {
            throw explain(AuthError(.sessionExpired, "the session has expired"), active)
        }
        return LiveToken(token: active.session.token, expiresAt: active.session.expiresAt)
    }

    package func noSession() -> AuthError {
        let naming = settings.backend.value.naming
        return AuthError(
            .noSession, "not logged in (profile '\(profile)')",
            nextSteps: [
                NextStep("log in", run: ["login", naming.placeholder]),
                NextStep("create an account", run: ["signup"] + naming.newAccount),
            ])
    }

    // MARK: - Sending

    /// Sends a request with a session, and saves the session that a response or an error carries.
    ///
    /// An expired session is refreshed before the request. If the server rejects the session, it is refreshed and the
    /// request is sent once more. That is safe because a rejected request has no effect.
    ///
    /// - Parameter activity: shown on a terminal: "reading the sessions".
    func send<Value>(
        _ activity: String, with active: inout ActiveSession,
        _ request: (Session) throws(AuthError) -> Reply<Value>
    ) throws(AuthError) -> Value {
        try refreshIfExpired(&active)
        do throws(AuthError) {
            return try sendOnce(activity, &active, request)
        } catch {
            guard error.reason.meansInvalidSession, error.replacement == nil, !error.isAfterSuccess,
                try refresh(&active)
            else {
                throw explain(error, active)
            }
        }
        do throws(AuthError) {
            return try sendOnce(activity, &active, request)
        } catch {
            throw explain(error, active)
        }
    }

    /// Requests the session's user, without saving the user. An e-mail that the response leaves out stays known.
    func fetchUser(_ activity: String, with active: inout ActiveSession) throws(AuthError) -> User {
        let backend = try backends.connect()
        let user = try send(activity, with: &active) { session throws(AuthError) in try backend.currentUser(session) }
        return user.keepingEmail(of: active.user)
    }

    private func sendOnce<Value>(
        _ activity: String, _ active: inout ActiveSession, _ request: (Session) throws(AuthError) -> Reply<Value>
    ) throws(AuthError) -> Value {
        let session = active.session
        let reply: Reply<Value>
        do throws(AuthError) {
            reply = try backends.call(activity) { () throws(AuthError) in try request(session) }
        } catch {
            if let replacement = error.replacement { try replace(&active, with: replacement) }
            throw error
        }
        guard let replacement = reply.replacement else { return reply.value }
        do throws(AuthError) {
            try replace(&active, with: replacement)
        } catch {
            var error = error
            error.isAfterSuccess = true
            throw error
        }
        return reply.value
    }

    private func replace(_ active: inout ActiveSession, with replacement: Session) throws(AuthError) {
        let earlier = active.session.token
        active.session = replacement
        guard active.source == .file else { return }
        do throws(AuthError) {
            try openStore().update(stored(active), ifStill: earlier)
        } catch {
            throw error.explaining("the new session could not be saved")
        }
    }

    // MARK: - Errors

    /// Explains a failed request, or a failure to save the session after a successful one.
    ///
    /// - Parameter done: what succeeded in the second case: `the address was verified`.
    func explain(_ error: AuthError, failure: String, done: String) -> AuthError {
        guard error.isAfterSuccess else { return error.explaining(failure) }
        var error = error
        error.message = "\(done), but \(error.message)"
        return error.suggesting(afterwards: NextStep("log in again", run: ["login"]))
    }

    /// Adds the next step to the error of an expired or rejected session.
    func explain(_ error: AuthError, _ active: ActiveSession) -> AuthError {
        guard error.reason.meansInvalidSession else { return error }
        var error = error
        if active.hasExpired(at: clock.now()) { error.reason = .sessionExpired }
        if let environmentToken {
            let variable = environmentToken.variable
            return error.suggesting(NextStep("set \(variable) to a new session token"), NextStep("unset \(variable)"))
        }
        return error.suggesting(NextStep("log in again", run: ["login"]))
    }

    /// Warns that a command uses the saved session although the environment overrides it.
    func warnOfEnvironmentToken() {
        guard let environmentToken else { return }
        let clause = Origin.environment(environmentToken.variable).clause
        events.warn("the session\(clause) overrides the saved one; this command uses the saved one")
    }
}
