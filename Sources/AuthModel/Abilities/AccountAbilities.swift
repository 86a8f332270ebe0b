/// A backend that can check the current password before the user chooses a new password.
package protocol PasswordVerifying: Backend {
    /// - Throws: `BackendError` `wrongPassword` if `current` is not the password of the session's user.
    func verifyPassword(_ current: Secret, of session: Session) throws(BackendError) -> Reply<Void>
}

/// A backend whose server can require a new proof of the user for a password change: a code that it sends. Accounts
/// without a password can set one.
package protocol PasswordReauthenticating: Backend {
    /// - Parameters:
    ///   - current: `nil` for an account without a password.
    ///   - code: the code that an earlier change with the error `reauthenticationRequired` has requested.
    func changePassword(
        from current: Secret?, to new: Secret, code: Secret?, of session: Session
    ) throws(BackendError) -> Reply<Void>
}

extension PasswordReauthenticating {
    package func changePassword(
        from current: Secret, to new: Secret, of session: Session
    ) throws(BackendError) -> Reply<Void> {
        try changePassword(from: current, to: new, code: nil, of: session)
    }
}

/// What a server does with the sessions of an account whose password was reset.
package enum SessionsAfterReset: Sendable {
    case revoked
    /// By default, the server revokes the sessions. Its configuration can change this.
    case usuallyRevoked
    /// The server does not tell, or its configuration decides.
    case unknown
}

/// A backend whose verification requests can contain the token of a session, or of an unfinished signup or login. A
/// code from an e-mail completes the signup or login.
package protocol PendingLoginResuming: Backend {
    /// Requests another verification e-mail.
    ///
    /// - Returns: `false` if the address is verified already. The reply may replace the requester's token.
    func sendVerification(email: String, as requester: Requester) throws(BackendError) -> Reply<Bool>

    /// Verifies an address with the key from a link, or with a code.
    ///
    /// - Returns: the session, if the request completed a pending login; otherwise `nil`.
    func verifyEmail(key: MailKey, as requester: Requester) throws(BackendError) -> Reply<NewSession?>
}

/// A backend whose server starts a session when an address is verified. Its codes are valid only with their address.
package protocol AddressVerifying: Backend {
    /// - Parameter address: the e-mail or phone number that the code was sent to; not needed for a link.
    /// - Returns: the session; `nil` if another address must be confirmed, too, before the e-mail changes.
    /// - Throws: the errors of `verifyEmail`; `usage` if a required `address` is missing.
    func verify(_ key: MailKey, of address: String?) throws(BackendError) -> NewSession?
}

extension AddressVerifying {
    package func verifyEmail(key: MailKey) throws(BackendError) { _ = try verify(key, of: nil) }
}

/// A backend whose accounts can have several addresses. A verified address becomes the account's e-mail only by another
/// request: an update of the e-mail.
package protocol EmailChoosing: Backend {
    /// The verified addresses of the session's user other than the e-mail of the account.
    func otherVerifiedEmails(of session: Session) throws(BackendError) -> Reply<[String]>
}

/// The token that a verification request contains, if any.
package enum Requester: Sendable, Equatable {
    case anonymous
    case session(Session)
    /// The token of an unfinished signup or login.
    case pending(Secret)
}

extension PendingLoginResuming {
    package func sendVerification(email: String) throws(BackendError) -> Bool {
        try sendVerification(email: email, as: .anonymous).value
    }

    package func verifyEmail(key: MailKey) throws(BackendError) {
        _ = try verifyEmail(key: key, as: .anonymous)
    }
}

/// A backend whose users can delete their account.
package protocol AccountDeleting: Backend {
    /// Deletes the session's user and all sessions of this user.
    ///
    /// - Parameter user: the user as last returned by the server.
    func deleteAccount(of user: User, _ session: Session) throws(BackendError) -> Reply<Void>
}

/// A backend whose administrator can delete every account.
package protocol AdminDeleting: Backend {
    /// Requests the account with this id.
    ///
    /// - Parameter adminKey: the key that grants all rights on the server; `nil` for local accounts, which have no master
    ///   key.
    /// - Throws: `BackendError` `notFound` only if no account has this id; `badAppKey` if the server rejects the key.
    func user(id: String, adminKey: Secret?) throws(BackendError) -> User

    /// Deletes the account with this id and all of its sessions.
    func deleteUser(id: String, adminKey: Secret?) throws(BackendError)
}

/// A backend that lists all accounts for the administrator of the server.
package protocol UserListing: Backend {
    /// Requests a page of accounts.
    ///
    /// - Parameters:
    ///   - cursor: `next` of the previous page; `nil` for the first page.
    ///   - limit: at most 100.
    ///   - adminKey: the key that grants all rights on the server; `nil` for local accounts, which have no master key.
    /// - Returns: a page without users after the last page. The server may return fewer users than requested on any page,
    ///   or more.
    /// - Throws: `BackendError` `badAppKey` if the server does not accept the key.
    func users(after cursor: String?, limit: Int, adminKey: Secret?) throws(BackendError) -> UserPage
}

/// A page of a list of accounts.
package struct UserPage: Sendable, Equatable {
    package let users: [User]
    /// The beginning of the next page; `nil` if this is the last page.
    package let next: String?

    package init(_ users: [User], next: String?) {
        self.users = users
        self.next = next
    }

    /// A page of a list that is ordered by id.
    package init(orderedByID users: [User]) { self.init(users, next: users.last?.id) }
}

/// A backend whose server may require a recent proof of the password. Only such a backend throws
/// `reauthenticationRequired` for a request that succeeds after `reauthenticate`.
package protocol Reauthenticating: Backend {
    /// Proves the password, or logs in again with it. If this starts a new session, the reply has it.
    ///
    /// - Parameter user: the user as last returned by the server; empty if only the session's token is known.
    /// - Throws: `BackendError` `wrongPassword` if the password is wrong.
    func reauthenticate(_ password: Secret, of user: User, _ session: Session) throws(BackendError) -> Reply<Void>
}
