/// A backend whose accounts can be linked with a Facebook identity, and entered with it.
///
/// The token proves who somebody is; no conformance keeps it, shows it, or puts it into a `User`.
package protocol FacebookLinking: Backend {
    /// The identity that is linked to the session's user.
    func facebookStatus(of session: Session) throws(AuthError) -> Reply<FacebookStatus>

    /// Links an identity to the session's user, in the place of the one linked before.
    ///
    /// - Throws: `AuthError` `tokenRefused` if Facebook, or the server, does not take the token for that identity;
    ///   `identityTaken` if it is another user's; `usage` if the server needs an id and none was given.
    func linkFacebook(
        _ identity: FacebookIdentity, to session: Session
    ) throws(AuthError) -> Reply<FacebookChange>

    /// Takes the identity away from the session's user; where none is linked, nothing changes.
    func unlinkFacebook(from session: Session) throws(AuthError) -> Reply<FacebookChange>

    /// Starts a session of the user whom the identity is linked to; where there is none, an account is made.
    ///
    /// - Throws: as linking does, but for `identityTaken`.
    func logIn(facebook identity: FacebookIdentity) throws(AuthError) -> Reply<LogIn>
}

/// Somebody at Facebook, and what proves it.
package struct FacebookIdentity: Sendable, Equatable {
    /// Facebook's id of the user, opaque; `nil` if it was not given: many servers ask Facebook for it.
    package let id: String?
    /// A user access token of the app that the server knows.
    package let token: Secret

    package init(id: String? = nil, token: Secret) {
        self.id = id
        self.token = token
    }
}

/// Whether an account is linked with a Facebook identity.
package enum FacebookLink: Sendable, Equatable {
    case none
    /// `id` is `nil` where the server does not tell it.
    case linked(id: String?)

    package var id: String? { if case .linked(let id) = self { id } else { nil } }
}

/// A user, and the Facebook identity they are linked with.
package struct FacebookStatus: Sendable, Equatable {
    package let user: User
    package let link: FacebookLink

    package init(user: User, link: FacebookLink) {
        self.user = user
        self.link = link
    }
}

/// What linking or unlinking did.
package struct FacebookChange: Sendable, Equatable {
    package let before: FacebookLink
    /// How it is now.
    package let status: FacebookStatus

    package init(before: FacebookLink, status: FacebookStatus) {
        self.before = before
        self.status = status
    }

    package var hasChanged: Bool { before != status.link }

    /// The id that another one took the place of.
    package var replacedID: String? {
        guard hasChanged, case .linked = status.link else { return nil }
        return before.id
    }
}
