/// The exchanges in which the embedded server differs from Parse Server on purpose.
enum IntendedDifferences {
    struct Line {
        /// The name of an exchange, or the prefix of several names followed by `*`.
        let name: String
        let reason: String

        init(_ name: String, _ reason: String) {
            self.name = name
            self.reason = reason
        }

        func covers(_ exchange: String) -> Bool {
            name.hasSuffix("*") ? exchange.hasPrefix(name.dropLast()) : exchange == name
        }
    }

    static let table: [Line] = [
        Line("signup.field-type-clash", "a field has no type here: that of its first value could not be corrected"),
        Line("signup.invalid-field-name", "an invalid name is refused, as by Parse without the hook of the recording"),
        Line("signup.underscore-field", "an invalid name is refused, as by Parse without the hook of the recording"),
        Line("signup.username-nul", "a NUL in a name is refused; Parse shows its database's error"),
        Line("authdata.empty", "an account without an authentication method is not created"),
        Line("users.put-username-empty", "an empty name is refused; Parse takes it"),
        Line("users.put-password-empty", "an empty password is refused; Parse takes it, and locks the user out"),
        Line("users.put-password-empty-old-token", "since that was refused, the session goes on"),
        Line("users.put-password-empty-login-old", "since that was refused, the old password is good"),
        Line("users.put-password-null", "no password is refused like an empty one; Parse fails"),
        Line("users.where-password", "a hidden field is no field of a query; Parse shows its database's error"),
        Line("users.delete-self-sessions", "the token of a deleted user is invalid at once, not after the cache's 5 s"),
        Line("users.delete-self-again", "the token of a deleted user is invalid at once, and refused as such"),
        Line("sessions.list-where-malformed", "a filter that is no JSON is the client's fault"),
        Line("sessions.list-negative-limit", "a limit under 0 is the client's fault; Parse shows its database's error"),
        Line("sessions.list-limit-text", "a limit that is no number is the client's fault; Parse shows its database's"),
        Line(
            "sessions.put-own-expires",
            "how long a session lives is not the client's to say, as in Parse's later releases"),
        Line("short.me-expired", "an expired token is invalid at once, not after the cache's 5 s"),
        Line("short.session-me-expired", "an expired session is refused everywhere, as before Parse Server 7"),
        Line("upgrade.*", "there never were tokens of the old kind to upgrade"),
        Line("facebook.limited-login", "tokens of Limited Login are not taken: their RSA signature cannot be checked"),
        Line("facebook.limited-link", "tokens of Limited Login are not taken: their RSA signature cannot be checked"),
        Line("nofb.*", "without a configured app there are no Facebook logins; Parse accepts tokens of any app"),
        Line("mfa.*", "there is no second factor"),
        Line("challenge.*", "there is no second factor"),
        Line("strict.reset-unknown", "whether an address has an account is not told"),
        Line("verification.unknown", "whether an address has an account is not told"),
        Line("strict.verification-unknown", "whether an address has an account is not told"),
        Line("strict.verification-already", "whether an address is verified is not told"),
        Line("strict.verify-link", "the link is the page itself; Parse redirects to one"),
        Line("strict.verify-link-bad", "the link is the page itself; Parse redirects to one"),
        Line("strict.reset-link", "the link is the page itself; Parse redirects to one"),
    ]
}
