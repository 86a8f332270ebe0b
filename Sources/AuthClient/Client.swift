package import AuthModel
package import Platform

/// What can be done with an account: the backend asked, the session kept.
///
/// Only this type stores what a backend answers, and it does so before anything else happens.
package struct Client: Sendable {
    package typealias Failure = AuthError

    package let settings: Settings
    private let makeBackend: @Sendable () throws(Failure) -> any Backend
    private let openStore: @Sendable () throws(Failure) -> any SessionStore
    let requestLimit: @Sendable () throws(Failure) -> Duration
    let environmentToken: EnvironmentToken?
    let events: any Events
    let clock: WallClock
    let randomness: Randomness
    let waiting: Waiting
    private let makeFacebook: @Sendable () throws(Failure) -> any FacebookService

    /// - Parameters:
    ///   - backend: asked for when a server is to be asked something, and not before.
    ///   - store: asked for when a session is to be looked up or kept.
    ///   - environmentToken: a session to use instead of the stored one.
    ///   - facebook: asked for when Facebook itself is to be asked something.
    ///   - requestLimit: how long one request may take; asked for when somebody else's is to be waited for.
    package init(
        settings: Settings, backend: @escaping @Sendable () throws(Failure) -> any Backend,
        store: @escaping @Sendable () throws(Failure) -> any SessionStore, environmentToken: EnvironmentToken?,
        events: any Events, clock: WallClock, randomness: Randomness, waiting: Waiting = Waiting(),
        facebook: @escaping @Sendable () throws(Failure) -> any FacebookService,
        requestLimit: @escaping @Sendable () throws(Failure) -> Duration
    ) {
        self.settings = settings
        makeBackend = backend
        openStore = store
        self.environmentToken = environmentToken
        self.events = events
        self.clock = clock
        self.randomness = randomness
        self.waiting = waiting
        makeFacebook = facebook
        self.requestLimit = requestLimit
    }

    var profile: String { settings.profile.value }

    var backend: any Backend {
        get throws(AuthError) { try makeBackend() }
    }

    var facebook: any FacebookService {
        get throws(AuthError) { try makeFacebook() }
    }

    var store: any SessionStore {
        get throws(AuthError) { try openStore() }
    }

    /// The backend's conformance to one more ability.
    func ability<Ability>(_ ability: Ability.Type, to doSomething: String) throws(AuthError) -> Ability {
        guard let able = try backend as? Ability else {
            throw AuthError(.unsupported, "backend '\(settings.connection.backend)' cannot \(doSomething)")
        }
        return able
    }

    /// Asks the server with a session, and keeps the one that it may give in the place of it, also in a refusal.
    ///
    /// A session that has run out is renewed before, if it can be; one that the server calls dead is renewed after that
    /// answer, and the request made once more: what was refused had no effect.
    ///
    /// - Parameter activity: what somebody at a terminal is told meanwhile: "reading the sessions".
    func ask<Value>(
        _ activity: String, with active: inout ActiveSession,
        _ request: (Session) throws(AuthError) -> Reply<Value>
    ) throws(AuthError) -> Value {
        try renewIfExpired(&active)
        do throws(AuthError) {
            return try askOnce(activity, &active, request)
        } catch {
            guard error.reason.meansDeadSession, error.replacement == nil, !error.isAfterSuccess, try renew(&active)
            else {
                throw explain(error, active)
            }
        }
        do throws(AuthError) {
            return try askOnce(activity, &active, request)
        } catch {
            throw explain(error, active)
        }
    }

    private func askOnce<Value>(
        _ activity: String, _ active: inout ActiveSession, _ request: (Session) throws(AuthError) -> Reply<Value>
    ) throws(AuthError) -> Value {
        let session = active.session
        let reply: Reply<Value>
        do throws(AuthError) {
            reply = try during(activity) { () throws(AuthError) in try request(session) }
        } catch {
            if let replacement = error.replacement { try keep(replacement, insteadOf: &active) }
            throw error
        }
        guard let replacement = reply.replacement else { return reply.value }
        do throws(AuthError) {
            try keep(replacement, insteadOf: &active)
        } catch {
            var error = error
            error.isAfterSuccess = true
            throw error
        }
        return reply.value
    }

    private func keep(_ replacement: Session, insteadOf active: inout ActiveSession) throws(AuthError) {
        let earlier = active.session.token
        active.session = replacement
        guard active.source == .file else { return }
        do throws(AuthError) {
            try store.update(stored(active), ifStill: earlier)
        } catch {
            throw error.explaining("the new session could not be kept")
        }
    }

    /// What went wrong with a request, or with keeping the session that came with the answer to it.
    ///
    /// - Parameter done: what is true in the second case: `the address was confirmed`.
    func explain(_ error: AuthError, failure: String, done: String) -> AuthError {
        guard error.isAfterSuccess else { return error.explaining(failure) }
        var error = error
        error.message = "\(done), but \(error.message)"
        return error.hinting(afterwards: "log in again: authctl login\(givenOptions)")
    }

    func stored(_ active: ActiveSession) -> StoredSession {
        StoredSession(
            profile: profile, connection: settings.connection, session: active.session, user: active.user,
            way: active.way)
    }
}

/// A session to work with.
package struct ActiveSession: Sendable, Equatable {
    package enum Source: String, Sendable {
        case file, environment
    }

    /// What became of it since the command found it.
    enum Age: Equatable {
        case asFound
        /// Another process has put it in the place of the one that was found. It is used whatever the clock here says.
        case takenOver
        /// Renewed by this command. One that seemed to have run out even then is used whatever the clock here says.
        case renewed(isGood: Bool)
    }

    package var session: Session
    package var user: User
    package let source: Source
    /// What it was got with, where that is known.
    var way: AuthMethod?
    var age = Age.asFound

    init(session: Session, user: User, source: Source, way: AuthMethod? = nil) {
        self.session = session
        self.user = user
        self.source = source
        self.way = way
    }

    init(_ stored: StoredSession) {
        self.init(session: stored.session, user: stored.user, source: .file, way: stored.way)
    }

    /// Whether it has run out as far as is known here.
    func hasExpired(at now: Instant) -> Bool {
        switch age {
        case .asFound, .renewed(isGood: true): session.hasExpired(at: now)
        case .takenOver, .renewed(isGood: false): false
        }
    }

    /// Whether it is one that this command got, and that has not run out since: another one would be no better.
    func isFresh(at now: Instant) -> Bool {
        if case .renewed = age { !hasExpired(at: now) } else { false }
    }
}

extension Client {
    /// The session of this profile: the environment's, else the stored one.
    ///
    /// - Throws: `AuthError` `noSession`.
    package func activeSession() throws(AuthError) -> ActiveSession {
        guard let active = try activeSessionIfAny() else { throw noSession() }
        return active
    }

    package func activeSessionIfAny() throws(AuthError) -> ActiveSession? {
        if let environmentToken {
            // A token alone does not say which server it is for.
            guard settings.backend.origin != .builtIn else { throw environmentToken.isUnbound }
            return ActiveSession(
                session: Session(token: try environmentToken.read()), user: User(), source: .environment)
        }
        guard let stored = try store.load(profile), stored.connection == settings.connection else { return nil }
        return ActiveSession(stored)
    }

    package func noSession() -> AuthError {
        let email = settings.backend.value.naming == .usernameOrEmail ? " --email ADDRESS" : ""
        return AuthError(
            .noSession, "nobody is logged in (profile '\(profile)')",
            hint: "log in: authctl login\(givenOptions) USERNAME, "
                + "or make an account: authctl signup\(givenOptions) USERNAME\(email)")
    }

    /// The options that a command to copy needs, to mean the same profile and the same server.
    package var givenOptions: String {
        let profileWords = settings.profile.origin == .option("--profile") ? ["-p", profile] : []
        return (profileWords + settings.connectionOptions).map { " \($0)" }.joined()
    }

    /// The error for a session that has run out, or was refused.
    func explain(_ error: AuthError, _ active: ActiveSession) -> AuthError {
        guard error.reason.meansDeadSession else { return error }
        var error = error
        if active.hasExpired(at: clock.now()) { error.reason = .sessionExpired }
        if let environmentToken {
            return error.hinting("put a new session into \(environmentToken.variable), or unset it")
        }
        return error.hinting("log in again: authctl login\(givenOptions)")
    }
}

extension Client {
    /// The token, if it can still be used as far as is known here; renewed if it can be and must be.
    ///
    /// - Throws: `AuthError` `noSession`, `sessionExpired`; what keeps it from being renewed.
    package func liveToken() throws(AuthError) -> LiveToken {
        if let quick = try quickToken() { return quick }
        var active = try activeSession()
        try renewIfExpired(&active)
        guard !active.hasExpired(at: clock.now()) else {
            throw explain(AuthError(.sessionExpired, "the session has expired"), active)
        }
        return LiveToken(token: active.session.token, expiresAt: active.session.expiresAt)
    }

    private func quickToken() throws(AuthError) -> LiveToken? {
        guard environmentToken == nil,
            let token = try store.token(profile, for: settings.connection),
            token.expiresAt.map({ $0 > clock.now() }) ?? true
        else { return nil }
        return token
    }
}
