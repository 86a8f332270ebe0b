import JSON
import Transport

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

    /// As they are, and as they stand in JSON. Shorter ones would blot out half of any text.
    private var secrets: [String] {
        let header = headers["X-Parse-Session-Token"].map { [$0] } ?? []
        // `try?`: a body that is no JSON has no password in it.
        let fields = body.flatMap { try? JSONValue(parsing: $0) }
        let texts = header + Self.texts(in: fields?["password"]) + Self.texts(in: fields?["authData"])
        let escaped = texts.map { String(JSONValue.string($0).text.dropFirst().dropLast()) }
        return (texts + escaped).filter { $0.utf8.count >= 4 }
    }

    private static func texts(in value: JSONValue?) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(texts)
        case .object(let object): object.members.flatMap { texts(in: $0.value) }
        case nil, .null, .bool, .integer, .number: []
        }
    }
}
