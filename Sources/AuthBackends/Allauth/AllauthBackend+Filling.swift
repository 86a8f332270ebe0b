import AuthModel
import JSON

/// Source: documentation of django-allauth, "Manage email addresses".
extension AllauthBackend: UserFilling {
    /// An address alone: names cannot be changed here.
    func fillings(of user: User, from profile: FacebookProfile) -> [JSONObject] {
        guard user.email == nil, let email = profile.email else { return [] }
        return [["email": .string(email)]]
    }

    /// The address is the user's own when the link in its mail has been followed.
    func fill(_ fields: JSONObject, of user: User, _ session: Session) throws(AuthError) -> Reply<User> {
        try following(session) { session throws(AuthError) in
            guard let email = fields["email"]?.string else { return user }
            do throws(AuthError) {
                _ = try send(.resend, as: &session) { endpoints.addEmail(email, $0) }
            } catch {
                // It is the account's already, and waits for somebody to follow the link.
                guard error.server?.code == "duplicate_email" else { throw error }
            }
            return try currentUser(&session)
        }
    }
}
