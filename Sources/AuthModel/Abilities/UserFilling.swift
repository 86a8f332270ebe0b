package import JSON

/// A backend whose users can be told more of themselves than they said when the account was made.
package protocol UserFilling: Backend {
    /// The fields of a user that are empty and that somebody's profile at Facebook can fill.
    ///
    /// - Returns: by the server's names for them; each object is a change that the server makes as a whole or not at all.
    func fillings(of user: User, from profile: FacebookProfile) -> [JSONObject]

    /// Makes such a change to the session's user, as they are known now.
    ///
    /// - Returns: the user as the server knows them then: it may have let the change be, or wait for something.
    func fill(_ fields: JSONObject, of user: User, _ session: Session) throws(AuthError) -> Reply<User>
}
