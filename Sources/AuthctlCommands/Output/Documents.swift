import AuthClient
import AuthModel
import JSON

/// Parts that the documents of several commands share.
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
    /// A part that may be missing.
    init<Part>(_ part: Part?, _ json: (Part) -> JSONValue) {
        self = part.map(json) ?? .null
    }
}
