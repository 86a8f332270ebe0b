package import JSON

/// Whether an account is linked to an identity of a provider.
package enum IdentityLink: Sendable, Equatable {
    /// The server does not report links.
    case unknown
    case none
    /// The linked ids; after a link request, the id of the new identity is first. Empty if the ids are unknown.
    case linked(ids: [String])

    package static func linked(id: String?) -> IdentityLink { .linked(ids: id.map { [$0] } ?? []) }

    package var ids: [String] { if case .linked(let ids) = self { ids } else { [] } }
    package var id: String? { ids.first }

    /// This link with `id` as its first id, if `id` is linked.
    package func startingWith(_ id: String?) -> IdentityLink {
        guard let id, ids.contains(id) else { return self }
        return .linked(ids: [id] + ids.filter { $0 != id })
    }
}

/// A user with the linked identities.
package struct IdentityStatus: Sendable, Equatable {
    package let user: User
    /// Whether the user can log in with a password; `nil` if the server does not report it.
    package let hasPassword: Bool?
    /// Whether the server refuses to unlink the last identity, even if the user has a password.
    package let keepsLast: Bool

    package init(user: User, hasPassword: Bool? = nil, keepsLast: Bool = false) {
        self.user = user
        self.hasPassword = hasPassword
        self.keepsLast = keepsLast
    }

    package func link(to provider: IdentityProvider) -> IdentityLink {
        user.identities?.link(to: provider) ?? .unknown
    }

    /// Whether the user can log in without the provider; `nil` if the server does not report it.
    package func hasLoginMethod(besides provider: IdentityProvider) -> Bool? {
        // Not a login method: authctl does not save the id of an anonymous identity.
        let others = Set(user.providers ?? []).subtracting([provider.name, "anonymous"])
        return others.isEmpty ? hasPassword : true
    }
}

/// The result of linking or unlinking.
package struct IdentityChange: Sendable, Equatable {
    package let before: IdentityLink
    package let after: IdentityLink
    /// The user after the change.
    package let user: User

    package init(before: IdentityLink, after: IdentityLink, user: User) {
        self.before = before
        self.after = after
        self.user = user
    }

    /// Whether the change altered the link or its ids; `nil` if the earlier link is unknown. The order of the ids is
    /// ignored, because servers return them in any order.
    package var hasChanged: Bool? {
        if before == .unknown { return nil }
        return (before == .none) != (after == .none) || before.ids.sorted() != after.ids.sorted()
    }

    /// The id that the new link replaced; `nil` if no id was replaced.
    package var replacedID: String? {
        guard case .linked = after else { return nil }
        return before.ids.first { !after.ids.contains($0) }
    }
}

/// A backend that can fill empty fields of a user from a provider's profile.
package protocol UserFilling: Backend {
    /// Returns values from the provider's profile for the user's empty fields.
    ///
    /// - Returns: changes, keyed by the server's field names. The server applies each change completely or not at all.
    func emptyFieldValues(of user: User, from profile: IdentityProfile) -> [JSONObject]
}
