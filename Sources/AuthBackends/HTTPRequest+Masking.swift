import JSON
import Transport

extension String {
    /// As pages write it: with entities for what means something there.
    fileprivate var inPage: String {
        let entities: [Unicode.Scalar: String] = [
            "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;",
        ]
        return unicodeScalars.map { entities[$0] ?? String($0) }.joined()
    }
}

extension String {
    /// Without white space around it.
    fileprivate var trimmed: String {
        let scalars = unicodeScalars.drop { $0.properties.isWhitespace }
        let end = scalars.lastIndex { !$0.properties.isWhitespace }
        return end.map { String(scalars[...$0]) } ?? ""
    }
}

extension HTTPRequest {
    /// The same text without the passwords, tokens and keys that this request carries: servers quote what they were
    /// sent.
    func masking(_ text: String) -> String {
        // The longest first: one may be a part of another.
        let secrets = secrets.map { Array($0.utf8) }.sorted { $0.count > $1.count }
        var masked: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.first {
            if let secret = secrets.first(where: { rest.starts(with: $0) }) {
                masked += Array("<redacted>".utf8)
                rest = rest.dropFirst(secret.count)
            } else {
                masked.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: masked, as: UTF8.self)
    }

    /// As they are, and as they stand in JSON, in a page or in a URL. Shorter ones would blot out half of any text.
    private var secrets: [String] {
        // `try?`: a body that is no JSON has no password in it.
        let fields = body.flatMap { try? JSONValue(parsing: $0) }
        let given = headerSecrets + formSecrets + Self.secretMembers.flatMap { Self.texts(in: fields?[$0]) }
        // Some servers strip the white space around them before they repeat them.
        let texts = given + given.map(\.trimmed)
        let inJSON = texts.map { String(JSONValue.string($0).text.dropFirst().dropLast()) }
        return (texts + inJSON + texts.map(\.inPage) + texts.map(\.percentEncoded)).filter { $0.utf8.count >= 4 }
    }

    private var headerSecrets: [String] {
        let keys = ["X-Parse-Session-Token", "X-Parse-REST-API-Key", "X-Session-Token"].compactMap { headers[$0] }
        // `Token K`: the scheme is none.
        let words = headers["Authorization"]?.split(separator: " " as Character).map { String($0) } ?? []
        guard words.first == "Basic", let pair = [UInt8](base64: words.last ?? "") else {
            return keys + words.dropFirst()
        }
        // `Basic` and `name:key`, encoded.
        let key = pair.split(separator: UInt8(ascii: ":"), maxSplits: 1).dropFirst()
        return keys + words.dropFirst() + key.map { String(decoding: $0, as: UTF8.self) }
    }

    /// `access_token=1000%7Cabc&code=…`; of a text with a bar, what stands behind it is a secret of its own.
    private var formSecrets: [String] {
        guard headers["Content-Type"] == "application/x-www-form-urlencoded", let body else { return [] }
        let fields = String(decoding: body, as: UTF8.self).split(separator: "&" as Character)
        return fields.flatMap { field -> [String] in
            let parts = field.split(separator: "=" as Character, maxSplits: 1)
            guard parts.count == 2, Self.secretMembers.contains(String(parts[0])) else { return [] }
            let value = String(parts[1]).percentDecoded
            let tail = value.split(separator: "|" as Character, maxSplits: 1).dropFirst()
            return [value] + tail.map { String($0) }
        }
    }

    /// Members of bodies that say what nobody else may know, of all backends.
    private static let secretMembers = [
        "password", "authData", "password1", "password2", "old_password", "new_password1", "new_password2", "refresh",
        "access_token", "ephemeral_token", "code", "key", "current_password", "new_password", "refresh_token", "token",
        "oldPassword", "newPassword", "accessToken", "verificationCode",
    ]

    private static func texts(in value: JSONValue?) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(texts)
        case .object(let object): object.members.flatMap { texts(in: $0.value) }
        case nil, .null, .bool, .integer, .number: []
        }
    }
}
