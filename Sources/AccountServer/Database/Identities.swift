internal import SQLite

/// Who somebody is to a provider: Facebook's id of an account, or the id that an anonymous user's device made up.
struct Identity: Equatable {
    let provider: String
    let id: String
}

/// The table `identities`. Of one provider a user has one identity at most.
struct Identities {
    let connection: DatabaseConnection

    /// The user's id.
    func owner(of identity: Identity) throws(SQLiteError) -> String? {
        let sql = "SELECT user_id FROM identities WHERE provider = ? AND id = ?"
        return try connection.row(sql, [.text(identity.provider), .text(identity.id)]) { $0.text(0) }
    }

    func identities(of userID: String) throws(SQLiteError) -> [Identity] {
        let sql = "SELECT provider, id FROM identities WHERE user_id = ? ORDER BY provider"
        return try connection.rows(sql, [.text(userID)]) { Identity(provider: $0.text(0), id: $0.text(1)) }
    }

    /// In place of the user's earlier one. The caller has seen that it is nobody else's.
    func set(_ identity: Identity, of userID: String) throws(SQLiteError) {
        try delete(identity.provider, of: userID)
        let sql = "INSERT INTO identities (provider, id, user_id) VALUES (?, ?, ?)"
        try connection.run(sql, [.text(identity.provider), .text(identity.id), .text(userID)])
    }

    func delete(_ provider: String, of userID: String) throws(SQLiteError) {
        let sql = "DELETE FROM identities WHERE user_id = ? AND provider = ?"
        try connection.run(sql, [.text(userID), .text(provider)])
    }
}
