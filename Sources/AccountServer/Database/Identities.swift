internal import SQLite

/// A user's identity: the id that a provider has for the user, or the id that an anonymous user's device generated.
struct Identity: Equatable {
    let provider: String
    let id: String
}

/// The table `identities`. A user has at most one identity per provider.
struct Identities {
    let database: GuardedDatabase

    /// The id of the user with this identity.
    func owner(of identity: Identity) throws(RequestError) -> String? {
        let sql = "SELECT user_id FROM identities WHERE provider = ? AND id = ?"
        return try database.row(sql, [.text(identity.provider), .text(identity.id)]) { $0.text(0) }
    }

    func identities(of userID: String) throws(RequestError) -> [Identity] {
        let sql = "SELECT provider, id FROM identities WHERE user_id = ? ORDER BY provider"
        return try database.rows(sql, [.text(userID)]) { Identity(provider: $0.text(0), id: $0.text(1)) }
    }

    /// Replaces the user's identity at this provider. The caller must check that no other user has the identity.
    func set(_ identity: Identity, of userID: String) throws(RequestError) {
        try delete(identity.provider, of: userID)
        let sql = "INSERT INTO identities (provider, id, user_id) VALUES (?, ?, ?)"
        try database.run(sql, [.text(identity.provider), .text(identity.id), .text(userID)])
    }

    func delete(_ provider: String, of userID: String) throws(RequestError) {
        let sql = "DELETE FROM identities WHERE user_id = ? AND provider = ?"
        try database.run(sql, [.text(userID), .text(provider)])
    }
}
