import Platform
internal import SQLite

/// The table `mail_tokens`: the tokens in e-mail links. A token works once. A new token replaces the user's earlier
/// token for the same purpose. Tokens are stored as hashes, like session tokens.
struct MailTokens {
    /// The action of a link; the raw value is its name in the database.
    enum Purpose: String {
        case verifyEmail = "verify"
        case resetPassword = "reset"

        /// Users often open a verification link days later, but a reset link at once.
        var lifetime: Duration {
            switch self {
            case .verifyEmail: .seconds(7 * 24 * 3600)
            case .resetPassword: .seconds(3600)
            }
        }
    }

    let database: GuardedDatabase

    func insert(_ token: String, _ purpose: Purpose, of userID: String, at now: Instant) throws(RequestError) {
        try delete(purpose, of: userID)
        try database.run(
            "INSERT INTO mail_tokens (token_hash, purpose, user_id, expires_at) VALUES (?, ?, ?, ?)",
            [
                .blob(SessionToken(token).hash), .text(purpose.rawValue), .text(userID),
                .integer(now.adding(purpose.lifetime).milliseconds),
            ])
    }

    func deleteExpired(at now: Instant) throws(RequestError) {
        try database.run("DELETE FROM mail_tokens WHERE expires_at <= ?", [.integer(now.milliseconds)])
    }

    /// The id of the token's user; `nil` if the token is unknown, used or expired.
    func owner(of token: String, _ purpose: Purpose, at now: Instant) throws(RequestError) -> String? {
        try database.row(
            "SELECT user_id FROM mail_tokens WHERE token_hash = ? AND purpose = ? AND expires_at > ?",
            [.blob(SessionToken(token).hash), .text(purpose.rawValue), .integer(now.milliseconds)]
        ) { $0.text(0) }
    }

    func delete(_ purpose: Purpose, of userID: String) throws(RequestError) {
        let sql = "DELETE FROM mail_tokens WHERE user_id = ? AND purpose = ?"
        try database.run(sql, [.text(userID), .text(purpose.rawValue)])
    }
}
