package import AuthModel
import Synchronization

/// Creates the backend that the settings select, at most once. Shows progress during calls to the backend.
package final class BackendProvider: Sendable {
    let settings: Settings
    private let events: any Events
    let advice: Advice
    private let sources: any ClientSources
    private let backend = Mutex<(any Backend)?>(nil)

    init(settings: Settings, sources: any ClientSources, events: any Events, isVerbose: Bool = false) {
        self.settings = settings
        self.events = events
        advice = Advice(settings: settings, isVerbose: isVerbose)
        self.sources = sources
    }

    /// Returns the backend. The first call creates the backend; this may read a key file and warn about plain http.
    func connect() throws(AuthError) -> any Backend {
        try backend.withLock { backend throws(AuthError) in
            if let backend { return backend }
            do throws(AuthError) {
                let made = try sources.backend(settings)
                backend = made
                return made
            } catch {
                throw advice.completing(error)
            }
        }
    }

    /// Returns the backend as a type with an optional ability, such as `SessionListing`.
    ///
    /// - Throws: `AuthError` `unsupported`, such as `backend 'local' cannot list sessions`.
    func require<Ability>(_ ability: Ability.Type, to activity: String) throws(AuthError) -> Ability {
        guard let able = try connect() as? Ability else { throw cannot(activity) }
        return able
    }

    func cannot(_ activity: String) -> AuthError {
        AuthError(.unsupported, "backend '\(settings.backendName)' cannot \(activity)")
    }

    /// The header fields that authenticate a request with this session.
    package func headers(of session: Session) throws(AuthError) -> SessionHeaders {
        try connect().headers(of: session)
    }

    /// Returns the administrator's key, after the server has accepted it if it would treat a wrong key like none.
    package func checked(_ adminKey: Secret?) throws(AuthError) -> Secret? {
        guard let adminKey, let backend = try connect() as? any Administering else { return adminKey }
        let failure = "cannot use the \(settings.backend.value.adminKey?.name ?? "key")"
        try call("checking the key", else: failure) { () throws(BackendError) in try backend.check(adminKey: adminKey) }
        return adminKey
    }

    func has<Ability>(_ ability: Ability.Type) -> Bool {
        // `try?`: a backend that cannot be created has no abilities.
        (try? connect()) is Ability
    }

    /// Shows progress during `body`, and adds the next steps that depend on the settings to an error that it throws.
    ///
    /// - Parameters:
    ///   - activity: the text shown on a terminal, such as "logging in".
    ///   - failure: the operation that has failed, as a prefix of the error.
    ///   - keep: see `converting`.
    func call<Result>(
        _ activity: String, else failure: String? = nil,
        keeping keep: (Session) throws(AuthError) -> Void = { _ in }, _ body: () throws(BackendError) -> Result
    ) throws(AuthError) -> Result {
        events.began(activity)
        defer { events.ended() }
        do throws(AuthError) {
            return try converting(advice, keeping: keep, body)
        } catch {
            throw failure.map(error.explaining) ?? error
        }
    }
}

/// Runs `body`, and converts its error to the error that the user sees.
///
/// - Parameters:
///   - advice: adds the next steps that depend on the settings.
///   - keep: saves the session that replaces the one used for the request.
func converting<Result>(
    _ advice: Advice? = nil, keeping keep: (Session) throws(AuthError) -> Void = { _ in },
    _ body: () throws(BackendError) -> Result
) throws(AuthError) -> Result {
    do throws(BackendError) {
        return try body()
    } catch {
        if let replacement = error.replacement { try keep(replacement) }
        throw advice?.completing(error.shown) ?? error.shown
    }
}

/// Runs `body`, and prefixes its error with the failed operation, such as "cannot list sessions".
///
/// - Parameter clear: an outcome whose errors need no prefix.
package func failing<Value>(
    as failure: String, unless clear: Outcome? = nil, _ body: () throws(AuthError) -> Value
) throws(AuthError) -> Value {
    do throws(AuthError) {
        return try body()
    } catch {
        throw error.outcome == clear ? error : error.explaining(failure)
    }
}

extension Backend {
    /// Whether revoking this session logs out all devices of its user.
    func sharesAmongDevices(_ session: Session) -> Bool {
        (self as? any SessionSharing)?.isShared(session) ?? false
    }
}
