import AuthModel
import JSON

extension Backend {
    /// The fields of a new account that the server does not show as they were sent. It may have dropped a field, or
    /// stored another value.
    ///
    /// - Parameters:
    ///   - user: the new user as the server shows it.
    ///   - showsAll: whether a user without any field has none. The response to a signup may tell nothing.
    func unkept(_ fields: JSONObject, in user: User, showsAll: Bool = false) -> [String] {
        guard !fields.isEmpty, showsAll || !user.fields.isEmpty else { return [] }
        let sent = UserChange(fields: fields)
        return sent.missing(in: user).filter { name in
            // `try?`: a field that no update can set is not shown as a field, like one that suggests a secret.
            !sent.isRewritten(name, in: user) && !namesSecret(name) && fields[name]?["__op"] == nil
                && (try? check(UserChange(fields: [name: fields[name] ?? .null]))) != nil
        }
    }
}

extension [String] {
    var unkeptClause: String { "the server does not show these values as they were sent: \(quotedList(atMost: 20))" }
}
