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
