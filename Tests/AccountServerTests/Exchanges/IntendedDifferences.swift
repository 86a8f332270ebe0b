/// The exchanges in which the embedded server differs from Parse Server on purpose.
enum IntendedDifferences {
    /// The reason for each difference, by the name of the exchange.
    static let table = [
        "signup.field-type-clash":
            "a field has no type, because a type from a first wrong value could not be corrected",
        "signup.invalid-field-name":
            "an invalid field name is rejected; the recorded server had a hook that dropped it",
        "signup.underscore-field": "an invalid field name is rejected; the recorded server had a hook that dropped it",
        "signup.username-nul": "a NUL in a username is rejected; Parse shows its database's error",
        "authdata.empty": "an account without an authentication method is not created",
        "users.put-username-empty": "an empty username is rejected; Parse accepts it",
        "users.put-password-empty":
            "an empty password is rejected; Parse accepts it, and the user can no longer log in",
        "users.put-password-empty-old-token": "the empty password was rejected, so the session is still valid",
        "users.put-password-empty-login-old": "the empty password was rejected, so the old password is still valid",
        "users.put-password-null": "a null password is rejected like an empty one; Parse fails",
        "users.where-password": "a query cannot use a hidden field; Parse shows its database's error",
        "users.delete-self-sessions": "the token of a deleted user is invalid at once, not after the cache's 5 s",
        "users.delete-self-again": "the token of a deleted user is invalid at once, and rejected as an invalid token",
        "sessions.list-where-malformed": "a filter that is not JSON is an error of the client",
        "sessions.list-negative-limit": "a negative limit is an error of the client; Parse shows its database's error",
        "sessions.list-limit-text":
            "a limit that is not a number is an error of the client; Parse shows its database's error",
        "sessions.put-own-expires":
            "a client cannot set the expiry of a session, as in later releases of Parse",
        "short.me-expired": "an expired token is invalid at once, not after the cache's 5 s",
        "short.session-me-expired": "every route rejects an expired session, as before Parse Server 7",
        "facebook.limited-login":
            "tokens of Limited Login are rejected, because the server cannot verify RSA signatures",
        "facebook.limited-link":
            "tokens of Limited Login are rejected, because the server cannot verify RSA signatures",
        "schemas.nomaster": "the classes are described to everyone, because there is no master key",
        "strict.reset-unknown": "the response does not reveal whether an address has an account",
        "verification.unknown": "the response does not reveal whether an address has an account",
        "strict.verification-unknown": "the response does not reveal whether an address has an account",
        "strict.verification-already": "the response does not reveal whether an address is verified",
        "strict.verify-link": "the link is the page itself; Parse redirects to one",
        "strict.verify-link-bad": "the link is the page itself; Parse redirects to one",
        "strict.reset-link": "the link is the page itself; Parse redirects to one",
    ]
}
