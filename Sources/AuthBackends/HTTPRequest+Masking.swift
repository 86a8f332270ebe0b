import AuthModel
import JSON
package import Transport

extension HTTPRequest {
    /// What gives the same text without the passwords, tokens and keys that this request carries, and those of its
    /// session: servers quote what they were sent.
    ///
    /// For many texts it is to be got once: that costs more than most texts do.
    package var masking: (String) -> String {
        // `try?`: a body that is no JSON has no password in it.
        let fields = body.flatMap { try? JSONValue(parsing: $0) }
        let members = Self.secretMembers.flatMap { Self.texts(in: fields?[$0]) }
        return SecretEchoes(sessionSecrets + headerSecrets + formSecrets + members).masking
    }

    /// The same request for a session, whose other tokens no answer may show either.
    func of(_ session: Session?) -> HTTPRequest {
        var request = self
        request.sessionSecrets = session?.tokens.compactMap { $0?.reveal() } ?? []
        return request
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
