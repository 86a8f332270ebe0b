/// A kind of account server: translates the model into requests, and responses into the model.
///
/// A conformance returns values. It never stores, prints or prompts. Further features of a server are protocols in
/// `Abilities/` that its backend also conforms to. A missing conformance leads to `AuthError.unsupported`.
///
/// Every call returns a `Reply`, because a server may issue a new token in any response.
package protocol Backend: Sendable {
    /// Creates an account. The request is never retried: without a response, the error is `outcomeUnknown`.
    func signUp(_ account: NewAccount) throws(AuthError) -> Reply<SignUpOutcome>

    /// Logs in. Wrong credentials are `wrongPassword`, whichever part is wrong.
    func logIn(_ credentials: Credentials) throws(AuthError) -> Reply<LogInOutcome>

    /// Revokes the session on the server. A session that is invalid already is `.already`, not an error.
    func logOut(_ session: Session) throws(AuthError) -> Reply<Revocation>

    /// Requests the session's user. `sessionRevoked` and `sessionExpired` only if the response says so explicitly.
    func currentUser(_ session: Session) throws(AuthError) -> Reply<User>
}

/// The result of a backend call.
package struct Reply<Value: Sendable>: Sendable {
    package let value: Value
    /// The session that replaces the session of the call. It must be saved before anything else happens.
    package let replacement: Session?

    package init(_ value: Value, replacement: Session? = nil) {
        self.value = value
        self.replacement = replacement
    }
}

extension Reply: Equatable where Value: Equatable {}

/// The result of a login.
package struct NewSession: Sendable, Equatable {
    package var user: User
    package var session: Session
    /// Whether this login created the account, as the first login with an identity does; `nil`: the server does not report it.
    package var createdAccount: Bool?

    package init(user: User, session: Session, createdAccount: Bool? = false) {
        self.user = user
        self.session = session
        self.createdAccount = createdAccount
    }
}

/// What the server requires before it creates a session.
package struct Pending: Sendable, Equatable {
    package enum Step: String, Sendable {
        /// The user must follow the link in an e-mail, or enter its code.
        case emailVerification = "email-verification"
    }

    package let step: Step
    /// The server's token of the unfinished signup or login, if it can be resumed.
    package let token: Secret?
    /// `false`: the server responds the same if another account has that address.
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
    /// The account exists, but the response carried no usable session. A login may create one.
    case created(User)
}

package enum LogInOutcome: Sendable, Equatable {
    case session(NewSession)
    case pending(Pending, User)
}

/// Whether the server revoked a session.
package enum Revocation: String, Sendable, Equatable {
    case yes
    /// The session was invalid before.
    case already
    /// The server cannot revoke sessions; they expire.
    case unsupported
    /// The server did not respond.
    case unknown
}
