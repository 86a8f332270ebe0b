/// A client for one kind of account server. Converts model values to requests, and responses to model values.
///
/// Conforming types return values; they never store, print or prompt. The protocols in `Abilities/` add optional
/// features. A command that requires such a protocol fails with `BackendError` `unsupported` if the backend does not
/// conform to it.
///
/// Most calls return a `Reply`, because a server may issue a new token in any response.
package protocol Backend: Sendable {
    /// Creates an account. Once the request is sent, it is never retried: if no response arrives, the error is
    /// `outcomeUnknown`.
    func signUp(_ account: NewAccount) throws(BackendError) -> Reply<SignUpOutcome>

    /// Logs in. Throws `wrongPassword` if the username or the password is wrong.
    func logIn(_ credentials: Credentials) throws(BackendError) -> Reply<LogInOutcome>

    /// Revokes the session on the server. Returns `.already` if the session was already invalid.
    func logOut(_ session: Session) throws(BackendError) -> Reply<Revocation>

    /// Requests the session's user. Throws `sessionRevoked` or `sessionExpired` only if the response reports that the
    /// session is revoked or expired.
    func currentUser(_ session: Session) throws(BackendError) -> Reply<User>
}

/// The result of a backend call.
package struct Reply<Value: Sendable>: Sendable {
    package let value: Value
    /// The session that replaces the one used for the request. The caller must save it before any further step.
    package let replacement: Session?

    package init(_ value: Value, replacement: Session? = nil) {
        self.value = value
        self.replacement = replacement
    }
}

extension Reply: Equatable where Value: Equatable {}

/// The result of a login or signup.
package struct NewSession: Sendable, Equatable {
    package var user: User
    package var session: Session
    /// Whether the request created the account; `nil` if the server does not report it.
    package var createdAccount: Bool?
    /// The time since the account was created, measured by the server's clock; `nil` if the server does not report it.
    package var accountAge: Duration?

    package init(user: User, session: Session, createdAccount: Bool? = false) {
        self.user = user
        self.session = session
        self.createdAccount = createdAccount
    }
}

/// A step that the server requires before it creates a session.
package struct Pending: Sendable, Equatable {
    package enum Step: String, Sendable {
        /// The user must follow the link in an e-mail, or enter the code from the e-mail.
        case emailVerification = "email-verification"
    }

    package let step: Step
    /// The server's token for the unfinished signup or login, if it can be resumed.
    package let token: Secret?
    /// `false` if the response does not show whether the address already belonged to an account.
    package let isCertain: Bool

    package init(_ step: Step, token: Secret? = nil, isCertain: Bool = true) {
        self.step = step
        self.token = token
        self.isCertain = isCertain
    }

    package static let emailVerification = Pending(.emailVerification)
}

package enum SignUpOutcome: Sendable, Equatable {
    case session(NewSession)
    case pending(Pending, User)
    /// The account exists, but the response contained no usable session. A login may create a session.
    case created(User)
}

package enum LogInOutcome: Sendable, Equatable {
    case session(NewSession)
    case pending(Pending, User)
}

/// Whether the server revoked a session.
package enum Revocation: String, Sendable, Equatable {
    case yes
    /// The session was already invalid.
    case already
    /// The server cannot revoke sessions. The session stays valid until it expires.
    case unsupported
    /// The outcome is unknown: no request was sent, or the request failed.
    case unknown
}
