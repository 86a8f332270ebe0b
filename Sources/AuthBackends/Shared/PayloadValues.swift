import AuthModel
import JSON
import Platform
import Transport

/// Values in the formats of Django sites, Kii and Facebook.
extension JSONValue {
    /// An id: a number in most projects, a UUID in some.
    var identifier: String? { integer.map { String($0) } ?? filledText }

    var isToken: Bool { string?.isToken ?? false }

    /// The string; `nil` if it is empty, which means no value.
    var filledText: String? { string.flatMap { $0.isEmpty ? nil : $0 } }
}

extension Secret {
    /// A token in a response, if it is valid. It is masked from now on.
    init?(token value: JSONValue?, _ masker: Masker) {
        guard let token = value?.string, token.isToken else { return nil }
        masker.register(token)
        self.init(token)
    }
}

extension User {
    /// The user, who lacks an e-mail if this member of the response is `null` or empty.
    func reading(email member: JSONValue?) -> User {
        var user = self
        user.lacksEmail = member == .null || member == ""
        return user
    }
}

extension HTTPResponse {
    /// Whether the content type is JSON, or missing.
    ///
    /// Every account server sends it. A response of another type comes from a gateway or a web page.
    var isSaidToBeJSON: Bool {
        guard let type = headers["Content-Type"] else { return true }
        let name = type.prefix { $0 != ";" && $0 != " " }.lowercased()
        return name == "application/json" || name.hasPrefix("application/") && name.hasSuffix("+json")
    }

    var json: JSONValue? { try? JSONValue(parsing: body) }

    /// Why a response with a success status is not the required JSON.
    func formFault(_ masker: Masker) -> String {
        if let line = PageText.firstLine(of: self, masker) { return "the response is a page, not JSON: \"\(line)\"" }
        return body.isEmpty ? "the response is empty" : "the response is not a JSON object"
    }
}

extension HTTPHeaders {
    init(_ fields: [HeaderField]) {
        self.init(fields.map { Field(name: $0.name, value: $0.value.reveal()) })
    }

    mutating func add(_ fields: [HeaderField]) {
        for field in fields { add(field.name, field.value.reveal()) }
    }
}
