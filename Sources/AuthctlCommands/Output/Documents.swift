import AuthClient
import AuthModel
import JSON

/// Objects that the documents of several commands share.
extension Session {
    /// `{"id","createdAt","expiresAt"}`: never the token.
    var json: JSONValue {
        [
            "id": JSONValue(id),
            "createdAt": JSONValue(createdAt.map(\.text)),
            "expiresAt": JSONValue(expiresAt.map(\.text)),
        ]
    }
}

extension JSONValue {
    /// The JSON of an optional value; `nil` becomes `null`.
    init<Part>(_ part: Part?, _ json: (Part) -> JSONValue) {
        self = part.map(json) ?? .null
    }
}
