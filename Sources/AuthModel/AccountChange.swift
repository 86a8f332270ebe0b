package import JSON

/// What only the administrator of a server decides about an account.
package struct AccountState: Sendable, Equatable {
    /// `nil` for the rule of the server; the same for the following two.
    package var emailVerified: Bool?
    package var phoneVerified: Bool?
    /// Whether nobody can log in to the account.
    package var disabled: Bool?
    /// What the tokens of the account carry, and the user cannot change: Supabase's `app_metadata`, Firebase's custom
    /// claims.
    package var claims: JSONObject = [:]
    /// The names of Parse roles.
    package var roles: [String] = []

    package init() {}
}

/// A change of an account by the administrator. What it does not contain keeps its value.
package struct AccountChange: Sendable, Equatable {
    /// The e-mail, the password and the fields.
    package var user = UserChange()
    package var emailVerified: Bool?
    /// What the account must show: no server changes it.
    package var phoneVerified: Bool?
    package var disabled: Bool?
    /// New values by name; `null` removes a claim. Other claims stay.
    package var claims: JSONObject = [:]
    package var addedRoles: [String] = []
    package var removedRoles: [String] = []
    package var endsSessions = false

    package init() {}

    /// The change that gives an account this state. No change verifies a phone number.
    package init(_ state: AccountState) {
        (emailVerified, disabled) = (state.emailVerified, state.disabled)
        (claims, addedRoles) = (state.claims, state.roles)
    }

    package var isEmpty: Bool { self == AccountChange() }

    /// The parts that the change concerns.
    package var parts: AccountParts {
        var parts: AccountParts = []
        if user.email != nil { parts.insert(.email) }
        if user.password != nil { parts.insert(.password) }
        if let emailVerified { parts.insert(emailVerified ? .verified : .unverified) }
        if phoneVerified != nil { parts.insert(.phoneVerified) }
        if disabled != nil { parts.insert(.disabled) }
        if !claims.isEmpty { parts.insert(.claims) }
        if !(addedRoles + removedRoles).isEmpty { parts.insert(.roles) }
        if endsSessions { parts.insert(.sessions) }
        return parts
    }

    /// The part of this change that `user` does not show. No account shows a password, or that its sessions have ended.
    package func missing(in user: User) -> AccountChange {
        var rest = self
        if rest.user.email == user.email { rest.user.email = nil }
        let names = self.user.missing(in: user)
        rest.user.fields = JSONObject(self.user.fields.members.filter { names.contains($0.name) })
        // An account does not show a value whose name suggests a secret.
        rest.user.unset = self.user.unset.filter { names.contains($0) || namesSecret($0) }
        // A server may set the flag anew with another address.
        if emailVerified == user.emailVerified, rest.user.email == nil { rest.emailVerified = nil }
        if phoneVerified == user.phoneVerified { rest.phoneVerified = nil }
        // An account that does not say so is enabled.
        if disabled == user.disabled ?? false { rest.disabled = nil }
        let known = user.claims ?? [:]
        rest.claims = JSONObject(
            claims.members.filter {
                namesSecret($0.name) || !$0.value.isStored(as: known[$0.name] ?? .null)
            })
        rest.addedRoles = addedRoles.filter { user.roles?.contains($0) != true }
        rest.removedRoles = removedRoles.filter { user.roles?.contains($0) != false }
        return rest
    }

    /// The names of the values that `user` does not show as they were sent, or as servers rewrite them. A name that
    /// suggests a secret is never shown.
    package func unkept(in user: User) -> [String] {
        let rest = missing(in: user)
        let fields = rest.user.values.names.filter { !self.user.isRewritten($0, in: user) && !namesSecret($0) }
        let state = [
            rest.emailVerified == nil ? nil : "emailVerified", rest.disabled == nil ? nil : "disabled",
        ].compactMap(\.self)
        let claims = rest.claims.names.filter { !namesSecret($0) }.map { "claims.\($0)" }
        return fields + state + claims + (rest.addedRoles + rest.removedRoles).map { "roles.\($0)" }
    }

    /// Whether the change has changed anything, given the account before and after it.
    package func hasChanged(_ before: User, to after: User) -> Bool {
        user.password != nil || endsSessions || before.email != after.email
            || before.emailVerified != after.emailVerified || before.disabled ?? false != after.disabled ?? false
            || (user.fields.names + user.unset).contains { before[$0] != after[$0] || namesSecret($0) }
            || claims.names.contains { before.claims?[$0] != after.claims?[$0] || namesSecret($0) }
            || (addedRoles + removedRoles).contains {
                (before.roles ?? []).contains($0) != (after.roles ?? []).contains($0)
            }
    }
}
