import AuthModel
import JSON

/// Source: Parse REST guide, "Updating Users".
extension ParseBackend: UserFilling {
    /// Each by itself: a taken e-mail need not cost the name. `name` is nobody's own field, but what apps call it.
    func fillings(of user: User, from profile: FacebookProfile) -> [JSONObject] {
        var fillings: [JSONObject] = []
        if user.email?.isEmpty ?? true, let email = profile.email { fillings.append(["email": .string(email)]) }
        if [nil, .null, ""].contains(user.fields["name"]), let name = profile.name {
            fillings.append(["name": .string(name)])
        }
        return fillings
    }

    /// The answer holds nothing but the time: the rest is as it was sent.
    func fill(_ fields: JSONObject, of user: User, _ session: Session) throws(AuthError) -> Reply<User> {
        guard let id = user.id else { throw AuthError(.brokenAnswer, "the server's answer names no user") }
        let payload = try send(endpoints.updateUser(id: id, fields, session), .update)
        var user = user
        for field in fields.members where field.name != "email" { user.fields[field.name] = field.value }
        if let email = fields["email"]?.string {
            user.email = email
            user.emailVerified = nil
        }
        return Reply(user, replacement: ParsePayloads.token(payload).map { self.session($0) })
    }
}
