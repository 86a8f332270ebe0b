package import AuthModel
package import Platform

/// What a client takes from its surroundings when a use case needs it: `Context` in the program.
package protocol ClientSources: Sendable {
    /// Makes the backend. This may read a key file, and warns about plain http.
    func backend(_ settings: Settings) throws(AuthError) -> any Backend
    /// Makes the Facebook client.
    func facebook(_ settings: Settings) throws(AuthError) -> any FacebookService
    func sessions() throws(AuthError) -> any SessionStore
    func configuration() throws(AuthError) -> any ConfigurationStore
    /// The time limit of a request; the wait for another process's refresh depends on it.
    func requestLimit() throws(AuthError) -> Duration
    /// Reads the session token that a variable holds, or the file that it names. Called only by commands that use the
    /// token, so that an invalid token does not break other commands.
    func token(from variable: String) throws(AuthError) -> Secret
    /// The connection from the environment, else the profile's connection. The token is sent only to this connection.
    func connectionOfEnvironment() throws(AuthError) -> Connection
}

/// The dependencies of the use cases: the settings, the account server, the saved session and the user's terminal.
package struct Client: Sendable {
    package private(set) var settings: Settings
    package var sessions: SessionProvider
    package let backends: BackendProvider
    let sources: any ClientSources
    let events: any Events
    /// Masks the tokens of saved sessions, and the other secrets that use cases read.
    let masker: Masker
    let clock: WallClock
    let randomness: Randomness
    let waiting: Waiting

    /// - Parameters:
    ///   - tokenVariable: the variable with a session token that overrides the saved session.
    ///   - isVerbose: whether `--verbose` shows the requests to the user.
    package init(
        settings: Settings, sources: any ClientSources, tokenVariable: String?, events: any Events, masker: Masker,
        clock: WallClock, randomness: Randomness, waiting: Waiting = Waiting(), isVerbose: Bool = false
    ) {
        self.settings = settings
        self.sources = sources
        self.events = events
        self.masker = masker
        self.clock = clock
        self.randomness = randomness
        self.waiting = waiting
        backends = BackendProvider(settings: settings, sources: sources, events: events, isVerbose: isVerbose)
        sessions = SessionProvider(
            settings: settings, backends: backends, sources: sources, tokenVariable: tokenVariable, events: events,
            masker: masker, clock: clock)
    }

    var profile: String { settings.profile.value }

    /// The client of a saved session of the same profile and connection, which shares the connection to the server.
    func named(_ name: String) -> Client {
        var other = self
        other.settings.sessionName = Setting(name, from: .option("--as"))
        other.sessions = SessionProvider(
            settings: other.settings, backends: backends, sources: sources, tokenVariable: nil, events: events,
            masker: masker, clock: clock)
        return other
    }
}

/// What a user does with an account, with the dependencies of a client.
protocol UseCase {
    var client: Client { get }
}

extension UseCase {
    var sessions: SessionProvider { client.sessions }
    var backends: BackendProvider { client.backends }
}

/// A monotonic clock and a pause function, which tests can replace.
package struct Waiting: Sendable {
    /// Monotonic time since an unspecified start.
    package let now: @Sendable () -> Duration
    package let pause: @Sendable (Duration) -> Void

    package init(
        now: @escaping @Sendable () -> Duration = { monotonicNow() },
        pause: @escaping @Sendable (Duration) -> Void = { Platform.pause($0) }
    ) {
        self.now = now
        self.pause = pause
    }
}

extension Client {
    /// Requests a session by a method other than a password.
    ///
    /// - Parameter activity: completes "cannot …" in the error message, such as "log in with the token".
    func requestSession<Value>(
        _ activity: String, _ request: () throws(BackendError) -> Reply<Value>
    ) throws(AuthError) -> Value {
        sessions.warnOfEnvironmentToken()
        return try backends.call("logging in", else: "cannot \(activity)") { () throws(BackendError) in
            try request().value
        }
    }

    /// Rejects a username in place of an e-mail address, unless the server also accepts phone numbers. Requires only an
    /// `@`, because servers have different rules for addresses.
    ///
    /// - Throws: `AuthError` `invalidFields`.
    func requireAddress(_ email: String, _ failure: String) throws(AuthError) {
        let isPhone = settings.backend.value.has(.takesPhone) && email.looksLikePhone
        guard !email.looksLikeEmail, !isPhone else { return }
        let fault = FieldFault("email", "is not an address")
        throw AuthError(
            .invalidFields, "\(failure): \(fault.sentence)", next: "use the e-mail of the account, not its username",
            fields: [fault])
    }

    /// Warns if a password starts or ends with white space that the server ignores.
    func warnOfTrimming(_ passwords: Secret...) {
        guard settings.backend.value.has(.trimsPasswords), passwords.contains(where: \.hasSpaceAround) else { return }
        events.warn("the server ignores the white space around this password")
    }
}

extension Secret {
    fileprivate var hasSpaceAround: Bool {
        let scalars = reveal().unicodeScalars
        return [scalars.first, scalars.last].contains { $0?.properties.isWhitespace ?? false }
    }
}
