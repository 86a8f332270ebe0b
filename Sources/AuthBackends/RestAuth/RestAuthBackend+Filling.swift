import AuthModel
import JSON

/// Source: README of the recorded exchanges, section 2.
extension RestAuthBackend: UserFilling {
    /// Both names at once. An address cannot be changed here.
    func fillings(of user: User, from profile: FacebookProfile) -> [JSONObject] {
        var names = JSONObject()
        for (name, value) in [("first_name", profile.firstName), ("last_name", profile.lastName)] {
            // A site that does not show the field does not take it either.
            if let value, user.fields[name] == "" { names[name] = .string(value) }
        }
        return names.members.isEmpty ? [] : [names]
    }

    func fill(_ fields: JSONObject, of user: User, _ session: Session) throws(AuthError) -> Reply<User> {
        let answer = try send(endpoints.updateUser(fields, session), .session)
        return Reply(RestAuthPayloads.user(answer.object ?? [:]).withoutTokens(of: session))
    }
}
