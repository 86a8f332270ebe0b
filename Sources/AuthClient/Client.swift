package import AuthModel
package import Platform

/// The dependencies of the use cases: the settings, the account server, the saved session and the user's terminal.
package struct Client: Sendable {
    package typealias Failure = AuthError

    package let settings: Settings
    package let sessions: SessionProvider
    package let backends: BackendProvider
    let events: any Events
    /// Masks the tokens of saved sessions, and the other secrets that use cases read.
    let masker: Masker
    let clock: WallClock
    let randomness: Randomness
    let waiting: Waiting
    let makeFacebook: @Sendable () throws(Failure) -> any FacebookService

    /// - Parameters:
    ///   - backend: creates the backend; called before the first request to the server.
    ///   - store: opens the session store; called when a session is loaded or saved.
    ///   - profileExists: returns whether the profile still exists; called before a session is saved.
    ///   - environmentToken: a session token that overrides the saved session.
    ///   - facebook: creates the Facebook client; called before a request to Facebook.
    ///   - requestLimit: returns the time limit of a request; the wait for another process's refresh depends on it.
    ///   - isVerbose: whether `--verbose` shows the requests to the user.
    package init(
        settings: Settings, backend: @escaping @Sendable () throws(Failure) -> any Backend,
        store: @escaping @Sendable () throws(Failure) -> any SessionStore,
        profileExists: @escaping @Sendable () throws(Failure) -> Bool, environmentToken: EnvironmentToken?,
        events: any Events, masker: Masker, clock: WallClock, randomness: Randomness, waiting: Waiting = Waiting(),
        facebook: @escaping @Sendable () throws(Failure) -> any FacebookService,
        requestLimit: @escaping @Sendable () throws(Failure) -> Duration, isVerbose: Bool = false
    ) {
        self.settings = settings
        self.events = events
        self.masker = masker
        self.clock = clock
        self.randomness = randomness
        self.waiting = waiting
        backends = BackendProvider(settings: settings, events: events, isVerbose: isVerbose, make: backend)
        sessions = SessionProvider(
            settings: settings, backends: backends, openStore: store, profileExists: profileExists,
            environmentToken: environmentToken,
            requestLimit: requestLimit, events: events, masker: masker, clock: clock)
        makeFacebook = facebook
    }

    var profile: String { settings.profile.value }
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
