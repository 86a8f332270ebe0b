package import AuthModel
import Platform

/// Loads, saves and refreshes the session of one profile, session name and connection.
///
/// Use cases get their session from this type, and send their requests with `send`. `send` refreshes an expired session
/// before the request, and saves a new session from the response before it returns.
package struct SessionProvider: Sendable {
    let settings: Settings
    let backends: BackendProvider
    let sources: any ClientSources
    /// The variable with a session token that overrides the saved session.
    let tokenVariable: String?
    let events: any Events
    let masker: Masker
    let clock: WallClock
    /// Reads the password that a server may require before a request; returns `nil` if there is none. `nil` if the
    /// command takes no password.
    package var password: (@Sendable () throws(AuthError) -> Secret?)?
    /// The same, for an account that has no password yet: a prompt asks twice.
    package var newPassword: (@Sendable () throws(AuthError) -> Secret?)?

    var profile: String { settings.profile.value }

    package var pending: PendingLogin { PendingLogin(sessions: self) }

    // MARK: - Finding the session

    /// Returns the session from the environment, else the saved session.
    ///
    /// - Throws: `AuthError` `noSession` if there is neither.
    package func current() throws(AuthError) -> ActiveSession {
        guard let active = try find() else { throw noSession() }
        return active
    }

    /// Returns the session from the environment, else the saved session; `nil` if there is neither.
    package func find() throws(AuthError) -> ActiveSession? {
        if let tokenVariable {
            return ActiveSession(
                stored(try session(from: tokenVariable), User(), by: nil), from: .environment)
        }
        return try load().map { ActiveSession($0) }
    }

    /// Reads the session token that a variable provides.
    ///
    /// - Throws: `AuthError` `usage` if the options name a connection other than the token's.
    private func session(from variable: String) throws(AuthError) -> Session {
        let failure = "cannot use the session\(Origin.environment(variable).clause)"
        let own = try failing(as: failure, sources.connectionOfEnvironment)
        guard own == settings.connection else {
            throw AuthError(
                .usage, "\(failure): it belongs to \(own.name), and the options name \(settings.connection.name)",
                nextSteps: [
                    "set AUTHCTL_BACKEND, AUTHCTL_SERVER and AUTHCTL_APP_ID instead of the options",
                    NextStep("or unset \(variable) to use the saved session"),
                ])
        }
        let token = try sources.token(from: variable)
        // A server that renews tokens may treat an expired token like none.
        return Session(token: token, expiresAt: policy.means == .token ? JWT(token)?.expiresAt : nil)
    }

    /// Loads the saved session of this profile, session name and connection.
    func load() throws(AuthError) -> StoredSession? { masked(try sources.sessions().load(key)) }

    /// Registers the tokens of a session for masking, and returns the session.
    func masked(_ stored: StoredSession?) -> StoredSession? {
        masker.register(stored?.session)
        return stored
    }

    var key: SessionKey { settings.sessionKey }

    /// The profile's sessions for other connections. Unreadable sessions are omitted.
    package func sessionsOfOtherConnections() -> [StoredSession] {
        // `try?`: the hint about other sessions is optional.
        (try? sources.sessions().list(of: profile, except: settings.connection))?.readable ?? []
    }

    /// Rejects a new session name that differs only in case from a saved session name. On a case-insensitive file
    /// system, both names would have the same file.
    package func requireDistinctName() throws(AuthError) {
        guard let name = settings.sessionName else { return }
        let lowercased = name.value.lowercased()
        let saved = try sources.sessions().names(of: profile, settings.connection)
        guard let other = saved.first(where: { $0 != name.value && $0.lowercased() == lowercased }) else { return }
        throw AuthError(
            .usage,
            "session name '\(name.value)'\(name.origin.clause) differs only in case from the saved one '\(other)'",
            nextSteps: ["use the saved name, --as '\(other)', or another one"])
    }

    /// Returns a session that has not expired, as far as is known. Refreshes a session that expires too soon, if
    /// possible.
    ///
    /// - Parameter minimum: the time for which the session must stay valid. A session with unknown expiry is accepted.
    /// - Throws: `AuthError` `noSession` or `sessionExpired`, or the error of a failed refresh or of a failed request
    ///   for the expiry.
    package func liveSession(lasting minimum: Duration = .zero) throws(AuthError) -> ActiveSession {
        var active = try current()
        let end = clock.now().adding(minimum)
        if mayBeExtended(active) { try updateTimes(of: &active, neededUntil: end) }
        try refresh(&active, ifExpiredAt: end, neededUntil: end)
        let now = clock.now()
        guard !active.hasExpired(at: now) else { throw completing(.sessionExpired, active) }
        guard !active.hasExpired(at: now.adding(minimum)) else {
            let left = active.session.expiresAt.map { ($0.milliseconds - now.milliseconds) / 1000 } ?? 0
            throw completing(
                AuthError(.sessionExpired, "the session expires in \(left) s, which is less than \(minimum.text)"),
                active)
        }
        return active
    }

    /// Whether the server may have extended the session beyond the saved expiry.
    func mayBeExtended(_ active: ActiveSession) -> Bool {
        settings.backend.value.has(.omitsSessionTimes) && active.source == .file
    }

    /// Requests the expiry if the saved expiry is unknown or too early.
    ///
    /// - Throws: `AuthError` `sessionExpired` or `sessionRevoked` if the server rejects the session. If the saved
    ///   expiry is too early, also any other error of the request.
    private func updateTimes(of active: inout ActiveSession, neededUntil end: Instant) throws(AuthError) {
        let isUnknown = active.session.id == nil
        guard isUnknown || active.hasExpired(at: end) else { return }
        do throws(AuthError) {
            // Use a short time limit if the command can continue without a response.
            try describe(&active, within: isUnknown ? .seconds(3) : nil)
        } catch {
            if error.reason.meansInvalidSession { throw completing(error, active) }
            if !isUnknown { throw error.explaining("cannot check whether the server has extended the session") }
        }
    }

    /// Requests and saves the id and times of a session, if the backend reports them.
    func describe(_ active: inout ActiveSession, within limit: Duration?) throws(AuthError) {
        guard mayBeExtended(active), let backend = try backends.connect() as? any SessionDescribing else { return }
        let session = active.session
        let described = try backends.call("requesting the session") { () throws(BackendError) in
            try backend.describe(session, within: limit)
        }
        saveTimes(of: described, &active)
    }

    /// Saves the id and times that the server reports for the session.
    func saveTimes(of described: Session, _ active: inout ActiveSession) {
        guard described != active.session else { return }
        active.session = described
        // `try?`: the next command requests the id and times again.
        try? sources.sessions().update(active.stored, ifStill: described.presentedToken, patience: .zero)
    }

    /// - Parameter namesOthers: whether the command can use another saved session.
    package func noSession(namesOthers: Bool = true) -> AuthError {
        let name = settings.sessionName.map { ", session '\($0.value)'" } ?? ""
        return AuthError(
            .noSession, "not logged in (profile '\(profile)'\(name))",
            nextSteps: (namesOthers ? stepsToOtherSessions() : []) + [
                NextStep("log in", run: settings.logInCommand)
            ]
                + (settings.backend.value.has(.hasOnlyLogin)
                    ? []
                    : [
                        pending.stepToComplete() ?? NextStep("create an account", run: settings.signUpCommand)
                    ]))
    }

    /// Returns steps that use other saved sessions of the profile.
    private func stepsToOtherSessions() -> [NextStep] {
        // `try?`: the hint about session names is optional.
        let names = (try? sources.sessions().names(of: profile, settings.connection)) ?? []
        let others = sessionsOfOtherConnections()
        let steps = others.prefix(3).map { other in
            NextStep(
                (other.user.displayName.map { "'\($0)'" } ?? "an unnamed user")
                    + " is logged in to \(other.connection.name); to use that session",
                run: ["whoami"] + other.key.nameOption(insteadOf: settings.sessionName?.value)
                    + other.connection.options)
        }
        guard !names.isEmpty else { return steps }
        return [NextStep("use a saved session name with --as: \(names.quotedList(atMost: 20))")]
            + steps
    }

    // MARK: - Sending requests

    /// Sends a request with a session. If the response or error contains a new session, saves the new session.
    ///
    /// Refreshes an expired session before the request. If the server rejects the session, refreshes it and sends the
    /// request once more. If the server requires a recent proof of the password, proves it and sends the request once
    /// more. This is safe, because a rejected request has no effect.
    ///
    /// - Parameters:
    ///   - activity: the text shown on a terminal, such as "reading the sessions".
    ///   - isRejection: whether the server rejects the session with this error of `request`.
    func send<Value>(
        _ activity: String, with active: inout ActiveSession,
        isRejection: (AuthError) -> Bool = \.reason.meansInvalidSession,
        _ request: (Session) throws(BackendError) -> Reply<Value>
    ) throws(AuthError) -> Value {
        do throws(AuthError) {
            return try sendRefreshing(activity, &active, isRejection, request)
        } catch {
            guard error.reason == .reauthenticationRequired, error.fact != .wantsPassword, !error.isAfterSuccess,
                password != nil,
                let backend = try backends.connect() as? any PasswordProving
            else { throw error }
            let (password, user) = (try requirePassword(or: error), active.user)
            try sendRefreshing("checking the password", &active, \.reason.meansInvalidSession) {
                session throws(BackendError) in
                try backend.prove(password, of: user, session)
            }
        }
        return try sendRefreshing(activity, &active, isRejection, request)
    }

    func requirePassword(or error: AuthError) throws(AuthError) -> Secret {
        guard let password = try password?() else {
            throw error.suggesting("use --password-stdin, --password-file FILE or AUTHCTL_PASSWORD")
        }
        return password
    }

    private func sendRefreshing<Value>(
        _ activity: String, _ active: inout ActiveSession, _ isRejection: (AuthError) -> Bool,
        _ request: (Session) throws(BackendError) -> Reply<Value>
    ) throws(AuthError) -> Value {
        var isReplaced = false
        try refresh(&active, ifExpiredAt: clock.now())
        do throws(AuthError) {
            return try sendOnce(activity, &active, &isReplaced, request)
        } catch {
            guard isRejection(error), !isReplaced, !error.isAfterSuccess, try renew(&active, after: error) else {
                throw completing(error, active, isRejection: isRejection(error))
            }
        }
        do throws(AuthError) {
            return try sendOnce(activity, &active, &isReplaced, request)
        } catch {
            throw completing(error, active, isRejection: isRejection(error))
        }
    }

    /// Makes a rejected session acceptable, if that is possible.
    private func renew(_ active: inout ActiveSession, after error: AuthError) throws(AuthError) -> Bool {
        if learnsWord(of: &active) { return true }
        guard policy.renews(after: error.reason) else { return false }
        return try refresh(&active)
    }

    /// Requests the session's user, without saving the user. Keeps the known names if the response omits them.
    func fetchUser(
        _ activity: String = "requesting the user", with active: inout ActiveSession
    ) throws(AuthError) -> User {
        let backend = try backends.connect()
        let user = try send(activity, with: &active) { session throws(BackendError) in try backend.currentUser(session)
        }
        return user.keepingNames(of: active.user).keepingEmail(of: active.user)
    }

    /// - Parameter isReplaced: set if the error of the request contained a new session.
    private func sendOnce<Value>(
        _ activity: String, _ active: inout ActiveSession, _ isReplaced: inout Bool,
        _ request: (Session) throws(BackendError) -> Reply<Value>
    ) throws(AuthError) -> Value {
        let (session, backend) = (active.session, try backends.connect())
        var kept: Session?
        let reply: Reply<Value>
        do throws(AuthError) {
            reply = try backends.call(
                activity, keeping: { kept = $0 }, { () throws(BackendError) in try request(session) })
        } catch {
            guard let kept = kept ?? backend.renewed(session) else { throw error }
            isReplaced = true
            try replace(&active, with: kept)
            throw error
        }
        guard let replacement = reply.replacement ?? backend.renewed(session) else { return reply.value }
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
        let earlier = active.session.presentedToken
        active.session = replacement
        active.isRefreshRejected = false
        guard active.source == .file else { return }
        try failing(as: "the new session could not be saved") { [active] () throws(AuthError) in
            try sources.sessions().update(active.stored, ifStill: earlier)
        }
    }

    // MARK: - Errors

    /// Explains a failed request, or a failure to save the session after a successful request.
    ///
    /// - Parameter done: the part that succeeded if only saving failed, such as `the address was verified`.
    func explaining(_ error: AuthError, failure: String, done: String) -> AuthError {
        guard error.isAfterSuccess else { return error.explaining(failure) }
        var error = error
        error.message = "\(done), but \(error.message)"
        return error.suggesting(afterwards: NextStep("log in again", run: ["login"]))
    }

    /// Adds the next steps to the error of a request with this session.
    ///
    /// All errors about an expired session have the same words, whether the server or the clock showed the expiry.
    ///
    /// - Parameter isRejection: whether the error means that the session is invalid; `nil` if its reason tells.
    func completing(_ error: AuthError, _ active: ActiveSession, isRejection: Bool? = nil) -> AuthError {
        var error = error
        let isRejection = isRejection ?? error.reason.meansInvalidSession
        // A token from the environment has no saved expiry.
        let end = active.session.expiresAt ?? JWT(active.session.token)?.expiresAt
        if isRejection, !policy.tellsExpiry, let end, end <= clock.now() {
            (error.reason, error.message) = (.sessionExpired, AuthError.sessionExpired.message)
        }
        // Without a backend setting, a token in the environment is used for local accounts. Users may not expect this.
        if active.source == .environment, settings.backend.origin == .builtIn {
            error.nextSteps.insert("if it is a session of a server, set AUTHCTL_BACKEND and AUTHCTL_SERVER", at: 0)
        }
        if error.reason == .secondFactorRequired, let name = active.user.email ?? active.user.displayName {
            error.nextSteps = error.nextSteps.map { step in
                NextStep(step.sentence, run: step.command.map { $0 == NextStep.account ? name : $0 })
            }
        }
        guard isRejection else { return error }
        guard let tokenVariable else {
            return error.suggesting(NextStep("log in again", run: settings.logInCommand(again: active)))
        }
        return error.suggesting(
            NextStep("set \(tokenVariable) to a new session token"), NextStep("unset \(tokenVariable)"))
    }

    /// Warns that this command uses the saved session, although most commands use the session from the environment.
    func warnOfEnvironmentToken() {
        guard let tokenVariable else { return }
        events.warn(
            "this command uses the saved session; other commands use the session from \(tokenVariable)")
    }
}
