/// The exchanges in which the embedded server differs from Parse Server on purpose.
enum IntendedDifferences {
    /// The reasons by the names of the exchanges.
    static let table = [
        "signup.field-type-clash": "a field has no type here: that of its first value could not be corrected",
        "signup.invalid-field-name": "an invalid name is refused, as by Parse without the hook of the recording",
        "signup.underscore-field": "an invalid name is refused, as by Parse without the hook of the recording",
        "signup.username-nul": "a NUL in a name is refused; Parse shows its database's error",
        "authdata.empty": "an account without an authentication method is not created",
        "users.put-username-empty": "an empty name is refused; Parse takes it",
        "users.put-password-empty": "an empty password is refused; Parse takes it, and locks the user out",
        "users.put-password-empty-old-token": "since that was refused, the session goes on",
        "users.put-password-empty-login-old": "since that was refused, the old password is good",
        "users.put-password-null": "no password is refused like an empty one; Parse fails",
        "users.where-password": "a hidden field is no field of a query; Parse shows its database's error",
        "users.delete-self-sessions": "the token of a deleted user is invalid at once, not after the cache's 5 s",
        "users.delete-self-again": "the token of a deleted user is invalid at once, and refused as such",
        "sessions.list-where-malformed": "a filter that is no JSON is the client's fault",
        "sessions.list-negative-limit": "a limit under 0 is the client's fault; Parse shows its database's error",
        "sessions.list-limit-text": "a limit that is no number is the client's fault; Parse shows its database's",
        "sessions.put-own-expires":
            "how long a session lives is not the client's to say, as in Parse's later releases",
        "short.me-expired": "an expired token is invalid at once, not after the cache's 5 s",
        "short.session-me-expired": "an expired session is refused everywhere, as before Parse Server 7",
        "facebook.limited-login": "tokens of Limited Login are not taken: their RSA signature cannot be checked",
        "facebook.limited-link": "tokens of Limited Login are not taken: their RSA signature cannot be checked",
        "strict.reset-unknown": "whether an address has an account is not told",
        "verification.unknown": "whether an address has an account is not told",
        "strict.verification-unknown": "whether an address has an account is not told",
        "strict.verification-already": "whether an address is verified is not told",
        "strict.verify-link": "the link is the page itself; Parse redirects to one",
        "strict.verify-link-bad": "the link is the page itself; Parse redirects to one",
        "strict.reset-link": "the link is the page itself; Parse redirects to one",
    ]
}
