/// A backend that can check the password of a session's user. Some servers require a recent proof of the password: such a
/// server rejects a request with `reauthenticationRequired`, and accepts it after `prove`.
package protocol PasswordProving: Backend {
    /// Proves the password. If this starts a new session, the reply has it.
    ///
    /// - Parameter user: the user as last returned by the server; empty if only the session's token is known.
    /// - Throws: `BackendError` `wrongPassword` if the password is wrong.
    func prove(_ password: Secret, of user: User, _ session: Session) throws(BackendError) -> Reply<Void>
}

/// What a server does with the sessions of an account whose password was reset.
package enum SessionsAfterReset: Sendable {
    case revoked
    /// By default, the server revokes the sessions. Its configuration can change this.
    case usuallyRevoked
    /// The server does not tell, or its configuration decides.
    case unknown
}

/// A backend whose accounts can have several addresses. A verified address becomes the account's e-mail only by another
/// request: an update of the e-mail.
package protocol EmailChoosing: Backend {
    /// The verified addresses of the session's user other than the e-mail of the account.
    func otherVerifiedEmails(of session: Session) throws(BackendError) -> Reply<[String]>
}

/// A backend whose users can delete their account.
package protocol AccountDeleting: Backend {
    /// Deletes the session's user and all sessions of this user.
    ///
    /// - Parameter user: the user as last returned by the server.
    func deleteAccount(of user: User, _ session: Session) throws(BackendError) -> Reply<Void>
}
