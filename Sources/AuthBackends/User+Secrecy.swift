import AuthModel
import JSON
import Platform

extension User {
    /// The same user without fields in which a site repeats the tokens of the session.
    func withoutTokens(of session: Session) -> User {
        let tokens = [session.token, session.refreshToken].compactMap { $0?.reveal() }
        var user = self
        user.fields = JSONObject(
            fields.members.filter { member in
                let text = member.value.text
                return !tokens.contains { text.holds($0) }
            })
        return user
    }
}
