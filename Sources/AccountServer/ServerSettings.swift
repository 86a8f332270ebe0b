package import Platform

/// What an account server is told when it starts.
package struct ServerSettings: Sendable {
    /// The database file; it and its folder are made if they are missing.
    package var database: FileLocation
    /// The URL under which the routes lie, without a slash at its end, such as `local:/parse`.
    package var baseURL: String
    /// What `X-Parse-Application-Id` must say.
    package var applicationID: String
    package var clock: WallClock
    package var randomness: Randomness
    package var passwordCost: PasswordCost
    /// How long to wait for other processes that use the database.
    package var busyTimeout: Duration

    package init(
        database: FileLocation, baseURL: String, applicationID: String, clock: WallClock = .system,
        randomness: Randomness = .system, passwordCost: PasswordCost = .standard, busyTimeout: Duration = .seconds(10)
    ) {
        self.database = database
        self.baseURL = baseURL
        self.applicationID = applicationID
        self.clock = clock
        self.randomness = randomness
        self.passwordCost = passwordCost
        self.busyTimeout = busyTimeout
    }
}
