package import AuthModel
package import Platform

@testable package import AuthClient

extension Instant {
    /// 2026-01-02T03:04:05Z, the start of the sample sessions.
    package static let sampleStart = Instant(seconds: 1_767_323_045)
    /// 2026-06-01T00:00:00Z, the current time in tests.
    package static let sampleNow = Instant(seconds: 1_780_272_000)
    /// 2027-01-02T03:04:05Z, the expiry of the sample sessions.
    package static let sampleEnd = Instant(seconds: 1_798_859_045)
}

extension Session {
    package static let ada = Session(
        token: Secret("r:0123456789abcdef0123456789abcdef"), id: "Xk2LmN3oPq", createdAt: .sampleStart,
        expiresAt: .sampleEnd)

    package static func sample(_ token: String, id: String? = nil, expiresAt: Instant? = .sampleEnd) -> Session {
        Session(token: Secret(token), id: id, createdAt: .sampleStart, expiresAt: expiresAt)
    }
}

extension User {
    package static let ada = User(
        id: "g7y9tkhB7O", username: "ada", email: "ada@example.org", createdAt: .sampleStart, identities: [])
}

extension Connection {
    package static let local = Connection(backend: "local")
}

extension SessionKey {
    /// The key of a profile's session for local accounts.
    package static func local(_ profile: String, as name: String? = nil) -> SessionKey {
        StoredSession.sample(profile: profile, as: name).key
    }
}

extension StoredSession {
    package static let ada = sample()

    package static func sample(
        profile: String = "default", as name: String? = nil, connection: Connection = .local, session: Session = .ada,
        user: User = .ada, method: AuthMethod? = nil
    ) -> StoredSession {
        StoredSession(
            profile: profile, name: name, connection: connection, session: session, user: user, method: method)
    }
}

extension MailKey: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(text) }
}

extension AuthError {
    /// The hints, such as `reset the password: authctl password reset ADDRESS`, without connection options.
    package var hints: [String] {
        nextSteps.map { step in
            step.command.isEmpty
                ? step.sentence : (["\(step.sentence): authctl"] + step.command).joined(separator: " ")
        }
    }
}

extension LogInOutcome {
    /// The new session; `nil` if the login is pending.
    package var session: NewSession? { if case .session(let new) = self { new } else { nil } }
}
