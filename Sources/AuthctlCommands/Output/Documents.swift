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

extension StoredSession {
    /// A session for another connection: `{"backend","server","as","username"}`.
    var mention: JSONValue {
        [
            "backend": .string(connection.backend), "server": JSONValue(connection.server), "as": JSONValue(name),
            "username": JSONValue(user.displayName),
        ]
    }

    /// For messages: `of 'anna' for 'https://example.org/parse' (backend 'parse', application 'shop')`.
    var description: String {
        (user.displayName.map { "of '\($0)' " } ?? "") + "for \(connection.name)"
            + (name.map { " and --as '\($0)'" } ?? "")
    }
}

extension Settings {
    /// For messages: `(profile 'ci', session 'bob', local accounts)`.
    var place: String {
        let name = sessionName.map { ", session '\($0.value)'" } ?? ""
        return "(profile '\(profile.value)'\(name), \(connection.placeName.shown))"
    }
}

extension JSONValue {
    /// The JSON of an optional value; `nil` becomes `null`.
    init<Part>(_ part: Part?, _ json: (Part) -> JSONValue) {
        self = part.map(json) ?? .null
    }
}
