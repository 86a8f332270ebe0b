package import JSON
package import Platform

package typealias Secret = Platform.Secret

extension Secret {
    /// Why the text cannot be a password: a predicate such as "contains a line break"; `nil` if it can be one. Nobody
    /// could type such a password at a prompt, and it is almost always an error in a file or script.
    package var passwordFault: String? {
        let bytes = reveal().utf8
        if bytes.contains(UInt8(ascii: "\n")) { return "contains a line break" }
        if bytes.contains(UInt8(ascii: "\r")) { return "contains a carriage return" }
        return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? "begins with a byte-order mark" : nil
    }
}

extension Masker {
    package func register(_ secret: Secret?, isPassword: Bool = false) {
        if let secret { register(secret.reveal(), isPassword: isPassword) }
    }

    /// Registers the tokens of a session for masking.
    package func register(_ session: Session?) {
        register(session?.token)
        for cookie in session.flatMap({ Cookies($0.token) })?.all ?? [] { register(cookie.value) }
        register(session?.refreshToken)
        register(session?.accessToken)
    }
}

extension JSONObject {
    /// The object without members whose names suggest a secret, at any depth, even in a text that is JSON.
    package var withoutSecrets: JSONObject {
        JSONObject(
            members.filter { !namesSecret($0.name) }.map { Member(name: $0.name, value: $0.value.withoutSecrets) })
    }

    /// The names of the members that `withoutSecrets` leaves out, such as `prefs.apiToken`.
    package var secretNames: [String] {
        members.flatMap { member in
            namesSecret(member.name) ? [member.name] : member.value.secretNames.map { "\(member.name).\($0)" }
        }
    }
}

extension JSONValue {
    fileprivate var secretNames: [String] {
        switch self {
        case .array(let elements): elements.flatMap(\.secretNames)
        case .object(let object): object.secretNames
        case .string: nested?.secretNames ?? []
        case .null, .bool, .integer, .number: []
        }
    }

    /// The object or array in a text, such as Firebase's `customAttributes`.
    private var nested: JSONValue? {
        guard let text = string, let first = text.utf8.first(where: { !" \t\r\n".utf8.contains($0) }),
            "{[".utf8.contains(first)
        else { return nil }
        // `try?`: any other text has no members.
        return try? JSONValue(parsing: text.utf8)
    }

    package var withoutSecrets: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map { $0.withoutSecrets })
        case .object(let object): .object(object.withoutSecrets)
        case .string: nested.flatMap { $0.secretNames.isEmpty ? nil : .string($0.withoutSecrets.text) } ?? self
        case .null, .bool, .integer, .number: self
        }
    }
}

/// Whether a member's name suggests a secret: `accessToken`, `api_key`, `RECOVERY-CODES`. See `authctl help json`.
package func namesSecret(_ name: String) -> Bool {
    let words = words(of: name)
    if words.contains(where: { word in secretWords.contains { word.elementsEqual($0.utf8) } }) { return true }
    let end = words.suffix(2)
    return secretEnds.contains { end.elementsEqual($0) { $0.elementsEqual($1.utf8) } }
}

private let secretWords = ["password", "passwd", "secret", "token"]

private let secretEnds = [
    ["api", "key"], ["private", "key"], ["access", "key"], ["recovery", "code"], ["recovery", "codes"],
]

/// The words of a name in lower case, split at `_`, `-`, `.` and case changes: `userAPIKey` is `user`, `api`, `key`.
private func words(of name: String) -> [ArraySlice<UInt8>] {
    let bytes = Array(name.utf8)
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
        let startsWord =
            byte.isASCIICapital && index > 0
            && (!bytes[index - 1].isASCIICapital || index + 1 < bytes.count && bytes[index + 1].isASCIISmall)
        if startsWord { text.append(UInt8(ascii: "_")) }
        text.append("-.".utf8.contains(byte) ? UInt8(ascii: "_") : byte.lowercasedASCII)
    }
    return text.split(separator: UInt8(ascii: "_"))
}

extension UInt8 {
    fileprivate var isASCIICapital: Bool { isASCIILetter && self & 0x20 == 0 }
    fileprivate var isASCIISmall: Bool { isASCIILetter && self & 0x20 != 0 }
}
