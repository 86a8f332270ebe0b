import Platform
internal import SQLite

/// The table `mail_tokens`: what the links in mails prove. Each token is good for one use, and for one user's purpose
/// only the newest. They are kept like those of sessions, as hashes.
struct MailTokens {
    /// What a link does; the raw value is its name in the database.
    enum Purpose: String {
        case verifyEmail = "verify"
        case resetPassword = "reset"

        /// An address is verified when it suits its owner; who asks for a new password waits for the mail.
        var lifetime: Duration {
            switch self {
            case .verifyEmail: .seconds(7 * 24 * 3600)
            case .resetPassword: .seconds(3600)
            }
        }
    }

    let connection: DatabaseConnection

    func insert(_ token: String, _ purpose: Purpose, of userID: String, at now: Instant) throws(SQLiteError) {
        try delete(purpose, of: userID)
        try connection.run(
            "INSERT INTO mail_tokens (token_hash, purpose, user_id, expires_at) VALUES (?, ?, ?, ?)",
            [
                .blob(SessionToken(token).hash), .text(purpose.rawValue), .text(userID),
                .integer(now.adding(purpose.lifetime).milliseconds),
            ])
    }

    /// The user whom a token belongs to; `nil` for one that is unknown, used or too old.
    func owner(of token: String, _ purpose: Purpose, at now: Instant) throws(SQLiteError) -> String? {
        try connection.row(
            "SELECT user_id FROM mail_tokens WHERE token_hash = ? AND purpose = ? AND expires_at > ?",
            [.blob(SessionToken(token).hash), .text(purpose.rawValue), .integer(now.milliseconds)]
        ) { $0.text(0) }
    }

    func delete(_ purpose: Purpose, of userID: String) throws(SQLiteError) {
        let sql = "DELETE FROM mail_tokens WHERE user_id = ? AND purpose = ?"
        try connection.run(sql, [.text(userID), .text(purpose.rawValue)])
    }
}
