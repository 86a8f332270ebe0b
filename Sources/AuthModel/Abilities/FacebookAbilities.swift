package import JSON

/// A backend whose accounts can be linked with a Facebook identity, and entered with it.
///
/// The token proves who somebody is; no conformance keeps it, shows it, or puts it into a `User`.
package protocol FacebookLinking: Backend {
    var facebookTraits: FacebookTraits { get }

    /// The identity that is linked to the session's user.
    func facebookStatus(of session: Session) throws(AuthError) -> Reply<FacebookStatus>

    /// Links an identity to the session's user, in the place of the one linked before.
    ///
    /// - Throws: `AuthError` `tokenRefused` if Facebook, or the server, does not take the token for that identity;
    ///   `identityTaken` if it is another user's; `unsupported` if it takes no tokens of that kind.
    func linkFacebook(
        _ identity: FacebookIdentity, to session: Session
    ) throws(AuthError) -> Reply<FacebookChange>

    /// Takes the identity away from the session's user; where none is linked, nothing changes.
    func unlinkFacebook(from session: Session) throws(AuthError) -> Reply<FacebookChange>

    /// Starts a session of the user whom the identity is linked to; where there is none, an account is made.
    ///
    /// - Throws: as linking does, but for `identityTaken`.
    func logIn(facebook identity: FacebookIdentity) throws(AuthError) -> Reply<NewSession>
}

/// What the servers of a backend want to see of a Facebook identity.
package struct FacebookTraits: Sendable, Equatable {
    /// Whether the id must stand beside the token.
    package let needsID: Bool
    /// Whether tokens of Limited Login are taken.
    package let takesIDTokens: Bool

    package init(needsID: Bool, takesIDTokens: Bool) {
        self.needsID = needsID
        self.takesIDTokens = takesIDTokens
    }
}

/// Whether an account is linked with a Facebook identity.
package enum FacebookLink: Sendable, Equatable {
    case none
    /// The one that was asked about first; some servers link an account with several. Empty where they are not told.
    case linked(ids: [String])

    package static func linked(id: String?) -> FacebookLink { .linked(ids: id.map { [$0] } ?? []) }

    package var ids: [String] { if case .linked(let ids) = self { ids } else { [] } }
    package var id: String? { ids.first }

    /// The same, with one of the identities first.
    package func startingWith(_ id: String?) -> FacebookLink {
        guard let id, ids.contains(id) else { return self }
        return .linked(ids: [id] + ids.filter { $0 != id })
    }
}

/// A user, and the Facebook identity they are linked with.
package struct FacebookStatus: Sendable, Equatable {
    package let user: User
    package let link: FacebookLink
    /// Whether the user can log in without Facebook; `nil`: the server does not say.
    package let hasOtherWayIn: Bool?

    package init(user: User, link: FacebookLink, hasOtherWayIn: Bool? = nil) {
        self.user = user
        self.link = link
        self.hasOtherWayIn = hasOtherWayIn
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

    /// In whatever order a server lists several.
    package var hasChanged: Bool {
        (before == .none) != (status.link == .none) || before.ids.sorted() != status.link.ids.sorted()
    }

    /// The id that another one took the place of.
    package var replacedID: String? {
        guard case .linked = status.link else { return nil }
        return before.ids.first { !status.link.ids.contains($0) }
    }
}

/// A backend whose users can be told more of themselves than they said when the account was made.
package protocol UserFilling: Backend {
    /// The fields of a user that are empty and that somebody's profile at Facebook can fill.
    ///
    /// - Returns: by the server's names for them; each object is a change that the server makes as a whole or not at all.
    func fillings(of user: User, from profile: FacebookProfile) -> [JSONObject]

    /// Makes such a change to the session's user, as they are known now.
    ///
    /// - Returns: the user as the server knows them then: it may have let the change be, or wait for something.
    func fill(_ fields: JSONObject, of user: User, _ session: Session) throws(AuthError) -> Reply<User>
}
