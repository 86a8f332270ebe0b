package import JSON

/// The parts of an account besides its own fields.
package struct AccountParts: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The generic initializer would slow down the start of each command.
    package init(arrayLiteral parts: AccountParts...) {
        rawValue = parts.reduce(0) { $0 | $1.rawValue }
    }

    package static let id = AccountParts(rawValue: 1 << 0)
    package static let username = AccountParts(rawValue: 1 << 1)
    package static let email = AccountParts(rawValue: 1 << 2)
    package static let phone = AccountParts(rawValue: 1 << 3)
    /// A verified e-mail.
    package static let verified = AccountParts(rawValue: 1 << 4)
    /// An e-mail that is not verified.
    package static let unverified = AccountParts(rawValue: 1 << 5)
    package static let phoneVerified = AccountParts(rawValue: 1 << 6)
    /// Whether the account is disabled: nobody can log in to it.
    package static let disabled = AccountParts(rawValue: 1 << 7)
    package static let claims = AccountParts(rawValue: 1 << 8)
    package static let roles = AccountParts(rawValue: 1 << 9)
    /// Identities with Parse's proofs.
    package static let authData = AccountParts(rawValue: 1 << 10)
    package static let password = AccountParts(rawValue: 1 << 11)
    /// The end of all sessions.
    package static let sessions = AccountParts(rawValue: 1 << 12)
    /// A password as its hash.
    package static let passwordHash = AccountParts(rawValue: 1 << 13)
    /// No password: users log in by their identities.
    package static let noPassword = AccountParts(rawValue: 1 << 14)
    /// A phone number beside an e-mail.
    package static let emailAndPhone = AccountParts(rawValue: 1 << 15)
}

/// What a kind of server keeps of an account.
package struct AccountKeeping: Sendable, Equatable {
    /// What a new account gets by a signup, which needs no key.
    package let bySignUp: AccountParts
    /// What a new account gets besides if the administrator creates it.
    package let byAdministrator: AccountParts
    /// What the administrator can change.
    package let changes: AccountParts
    /// The names of the fields that accounts can have; `nil` if the server knows them, or takes any.
    package let fields: [String]?
    /// The members of the server's own accounts that are no field of the user, so that no field may have their names.
    package let ownMembers: [String]
    /// The server's own names of columns: `app_metadata` is `claims`.
    package let otherNames: [String: String]
    /// The field that keeps the username of an account which the server knows by its e-mail; `nil` if there is none.
    package let usernameField: String?
    /// The names of claims that only the server sets.
    package let reservedClaims: [String]
    /// The kinds of password hashes that a new account can have in place of a password.
    package let hashes: [HashLimit]
    /// The ids that a new account can be given; `nil` if the server always chooses them.
    package let ids: IDForm?

    package init(
        _ bySignUp: AccountParts = [.username, .email], byAdministrator: AccountParts = [],
        changes: AccountParts = [], fields: [String]? = nil, ownMembers: [String] = [],
        otherNames: [String: String] = [:], usernameField: String? = nil, reservedClaims: [String] = [],
        hashes: [HashLimit] = [], ids: IDForm? = nil
    ) {
        self.bySignUp = bySignUp
        self.byAdministrator = byAdministrator
        self.changes = changes
        self.fields = fields
        self.ownMembers = ownMembers
        self.otherNames = otherNames
        self.usernameField = usernameField
        self.reservedClaims = reservedClaims
        self.hashes = hashes
        self.ids = ids
    }
}

extension AccountKeeping {
    /// Why no account can have these claims; `nil` if one can.
    package func fault(of claims: JSONObject) -> FieldFault? {
        claims.names.first(where: reservedClaims.contains).map {
            FieldFault("claims", "have the name '\($0)', which is reserved for the server")
        }
    }
}
