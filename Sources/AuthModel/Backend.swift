/// A kind of account server: turns our vocabulary into its requests and its answers back.
///
/// A conformance returns values. It never stores, prints or asks. What else a kind of server can do is a protocol in
/// `Abilities/` that its backend also conforms to; a missing conformance is `AuthError.unsupported`.
///
/// Every call answers a `Reply`, because a server may hand out a new token in any of its answers.
package protocol Backend: Sendable {
    /// Makes an account. Sent once and never repeated: an answer that got lost is `outcomeUnknown`.
    func signUp(_ account: NewAccount) throws(AuthError) -> Reply<SignUpOutcome>

    /// Starts a session. Wrong credentials are `wrongPassword`, whichever part is wrong.
    func logIn(_ credentials: Credentials) throws(AuthError) -> Reply<LogInOutcome>

    /// Ends the session at the server. One that is dead already is `.already`, not an error.
    func logOut(_ session: Session) throws(AuthError) -> Reply<Revocation>

    /// Whose session it is. Only an answer that says so makes it `sessionRevoked` or `sessionExpired`.
    func currentUser(_ session: Session) throws(AuthError) -> Reply<User>
}

/// What a backend call answers.
package struct Reply<Value: Sendable>: Sendable {
    package let value: Value
    /// The session that takes the place of the one the call was made with; stored before anything else happens.
    package let replacement: Session?

    package init(_ value: Value, replacement: Session? = nil) {
        self.value = value
        self.replacement = replacement
    }
}

extension Reply: Equatable where Value: Equatable {}

/// Somebody logged in.
package struct NewSession: Sendable, Equatable {
    package var user: User
    package var session: Session
    /// Whether this log-in made the account, as a first one with an outside identity does; `nil`: the server does not say.
    package var createdAccount: Bool?

    package init(user: User, session: Session, createdAccount: Bool? = false) {
        self.user = user
        self.session = session
        self.createdAccount = createdAccount
    }
}

/// What the server wants done before there is a session.
package struct Pending: Sendable, Equatable {
    package enum Step: String, Sendable {
        /// The link in a mail followed, or its code given.
        case emailVerification = "email-verification"
    }

    package let step: Step
    /// What the server knows the unfinished sign-up or log-in by, where that can be gone on with.
    package let token: Secret?
    /// `false`: the server answers the same where an account has that address already.
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
    /// The account is made, and the answer brought no session that can be used; a log-in may bring one.
    case created(User)
}

package enum LogInOutcome: Sendable, Equatable {
    case session(NewSession)
    case pending(Pending, User)
}

/// What became of a session at the server.
package enum Revocation: String, Sendable, Equatable {
    case yes
    /// It was dead before.
    case already
    /// The server keeps sessions alive until they expire.
    case unsupported
    /// The server could not be asked.
    case unknown
}
