package import AuthModel
package import Platform

/// The session that a command works with.
package struct ActiveSession: Sendable, Equatable {
    package enum Source: String, Sendable {
        case file, environment
    }

    /// Whether the session was refreshed since the command loaded it.
    enum Age: Equatable {
        case asFound
        /// Another process refreshed it. It is used even if it has expired by this machine's clock.
        case refreshedElsewhere
        /// This command refreshed it. If it was already expired then by this machine's clock, the clock is not trusted.
        case refreshed(isGood: Bool)
    }

    package var session: Session
    package var user: User
    package let source: Source
    /// The login method, if it is known.
    var method: AuthMethod?
    /// Whether the server has rejected the refresh token.
    var isRefreshRejected = false
    var age = Age.asFound

    init(session: Session, user: User, source: Source, method: AuthMethod? = nil) {
        self.session = session
        self.user = user
        self.source = source
        self.method = method
    }

    init(_ stored: StoredSession) {
        self.init(session: stored.session, user: stored.user, source: .file, method: stored.method)
        isRefreshRejected = stored.isRefreshRejected
    }

    /// Whether it can be refreshed, as far as is known.
    package var isRefreshable: Bool { session.refreshToken != nil && !isRefreshRejected }

    /// Whether it has expired by this machine's clock.
    func hasExpired(at now: Instant) -> Bool {
        switch age {
        case .asFound, .refreshed(isGood: true): session.hasExpired(at: now)
        case .refreshedElsewhere, .refreshed(isGood: false): false
        }
    }

    /// Whether this command refreshed it and it has not expired since. Refreshing it again would not help.
    func isFresh(at now: Instant) -> Bool {
        if case .refreshed = age { !hasExpired(at: now) } else { false }
    }
}

/// A token and its expiry, for commands that pass it on.
package struct LiveToken: Sendable, Equatable {
    package let token: Secret
    package let expiresAt: Instant?

    package init(token: Secret, expiresAt: Instant?) {
        self.token = token
        self.expiresAt = expiresAt
    }
}

/// A session from the environment. It overrides the saved one.
package struct EnvironmentToken: Sendable {
    package typealias Failure = AuthError

    /// The variable that contains it.
    package let variable: String
    /// Reads the token. Commands that do not use it must not fail if it is invalid.
    package let read: @Sendable () throws(Failure) -> Secret
    /// The connection that the environment names, else that of the profile. The token is only sent there.
    package let connection: @Sendable () throws(Failure) -> Connection

    package init(
        variable: String, read: @escaping @Sendable () throws(Failure) -> Secret,
        connection: @escaping @Sendable () throws(Failure) -> Connection
    ) {
        self.variable = variable
        self.read = read
        self.connection = connection
    }

    /// - Throws: `AuthError` `usage` if the options name another connection than the token's.
    func session(for connection: Connection) throws(AuthError) -> Session {
        let failure = "cannot use the session\(Origin.environment(variable).clause)"
        let own: Connection
        do throws(AuthError) {
            own = try self.connection()
        } catch {
            throw error.explaining(failure)
        }
        guard own == connection else {
            throw AuthError(
                .usage, "\(failure): it belongs to \(own.name), and the options name \(connection.name)",
                nextSteps: [
                    "set AUTHCTL_BACKEND, AUTHCTL_SERVER and AUTHCTL_APP_ID instead of the options",
                    NextStep("or unset \(variable) to use the saved session"),
                ])
        }
        return Session(token: try read())
    }
}

extension Connection {
    /// For messages: `'https://example.org/parse' (backend 'parse', application 'shop')`.
    package var name: String {
        guard let server else { return "local accounts" }
        return "'\(server)' (backend '\(backend)'" + (appID.map { ", application '\($0)'" } ?? "") + ")"
    }

    /// The options that select this connection.
    package var options: [String] {
        let isExposed = (try? server.map(ServerURL.init))?.map { !$0.isSecure && !$0.isLoopback } ?? false
        return ["--backend", backend] + (server.map { ["--server", $0] } ?? [])
            + (appID.map { ["--app-id", $0] } ?? []) + (isExposed ? ["--allow-http"] : [])
    }
}
