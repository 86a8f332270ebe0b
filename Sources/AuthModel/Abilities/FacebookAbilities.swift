package import JSON

/// A backend whose accounts can be linked to a Facebook identity, and whose users can log in with it.
///
/// The token is a credential: no conformance saves it, shows it, or copies it into a `User`.
package protocol FacebookLinking: Backend {
    var facebookTraits: FacebookTraits { get }

    /// Requests the identity that is linked to the session's user.
    func facebookStatus(of session: Session) throws(AuthError) -> Reply<FacebookStatus>

    /// Links an identity to the session's user. It replaces an identity linked before.
    ///
    /// - Throws: `AuthError` `tokenRefused` if Facebook or the server rejects the token for that identity,
    ///   `identityTaken` if the identity is linked to another user, `unsupported` if the server does not accept that
    ///   kind of token.
    func linkFacebook(
        _ identity: FacebookIdentity, to session: Session
    ) throws(AuthError) -> Reply<FacebookChange>

    /// Unlinks the identity from the session's user. Does nothing if none is linked.
    func unlinkFacebook(from session: Session) throws(AuthError) -> Reply<FacebookChange>

    /// Logs in as the user whom the identity is linked to, or creates an account.
    ///
    /// - Throws: the errors of `linkFacebook`, except `identityTaken`.
    func logIn(facebook identity: FacebookIdentity) throws(AuthError) -> Reply<NewSession>
}

/// What the servers of a backend require of a Facebook identity.
package struct FacebookTraits: Sendable, Equatable {
    /// Whether the request must contain the user's id beside the token.
    package let needsID: Bool
    /// Whether the servers accept tokens of Limited Login.
    package let takesIDTokens: Bool

    package init(needsID: Bool, takesIDTokens: Bool) {
        self.needsID = needsID
        self.takesIDTokens = takesIDTokens
    }
}

/// Whether an account is linked to a Facebook identity.
package enum FacebookLink: Sendable, Equatable {
    /// The server does not say.
    case unknown
    case none
    /// The requested id comes first; some servers link several to an account. Empty if the server does not report ids.
    case linked(ids: [String])

    package static func linked(id: String?) -> FacebookLink { .linked(ids: id.map { [$0] } ?? []) }

    package var ids: [String] { if case .linked(let ids) = self { ids } else { [] } }
    package var id: String? { ids.first }

    /// The same link with this id first, if it is one of the ids.
    package func startingWith(_ id: String?) -> FacebookLink {
        guard let id, ids.contains(id) else { return self }
        return .linked(ids: [id] + ids.filter { $0 != id })
    }
}

/// A user and the Facebook identity linked to the account.
package struct FacebookStatus: Sendable, Equatable {
    package let user: User
    package let link: FacebookLink
    /// Whether the user can log in without Facebook; `nil`: the server does not report it.
    package let hasOtherLoginMethod: Bool?

    package init(user: User, link: FacebookLink, hasOtherLoginMethod: Bool? = nil) {
        self.user = user
        self.link = link
        self.hasOtherLoginMethod = hasOtherLoginMethod
    }
}

/// The result of linking or unlinking.
package struct FacebookChange: Sendable, Equatable {
    package let before: FacebookLink
    /// The status after the change.
    package let status: FacebookStatus

    package init(before: FacebookLink, status: FacebookStatus) {
        self.before = before
        self.status = status
    }

    /// Whether the linked ids differ; `nil` if the server does not say what was linked before. Their order does not
    /// count, because servers list several ids in any order.
    package var hasChanged: Bool? {
        if before == .unknown { return nil }
        return (before == .none) != (status.link == .none) || before.ids.sorted() != status.link.ids.sorted()
    }

    /// The id that linking removed from the account.
    package var replacedID: String? {
        guard case .linked = status.link else { return nil }
        return before.ids.first { !status.link.ids.contains($0) }
    }
}

/// A backend that can fill empty fields of a user after signup.
package protocol UserFilling: Backend {
    /// Returns the user's empty fields that a Facebook profile can fill.
    ///
    /// - Returns: changes, by the server's field names. The server makes each one completely or not at all.
    func emptyFieldValues(of user: User, from profile: FacebookProfile) -> [JSONObject]

    /// Makes one of these changes to the session's user.
    ///
    /// - Parameter user: the user as last returned by the server.
    /// - Returns: the user after the change. The server may have ignored it, or may require a verification first.
    func fill(_ fields: JSONObject, of user: User, _ session: Session) throws(AuthError) -> Reply<User>
}
