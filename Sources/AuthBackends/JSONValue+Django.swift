import JSON

/// How sites made with Django write what they know.
extension JSONValue {
    /// An id: a number in most projects, a UUID in some.
    var identifier: String? { integer.map { String($0) } ?? filledText }

    /// A text; an empty one says that the server knows nothing.
    var filledText: String? { string.flatMap { $0.isEmpty ? nil : $0 } }
}

/// Whether a member of a user must not be seen: sites add what they like.
func isSecretMember(_ name: String) -> Bool {
    switch name {
    case "key", "token", "access", "refresh", "access_token", "refresh_token", "session_token", "ephemeral_token",
        "password":
        true
    default: name.hasPrefix("_")
    }
}
