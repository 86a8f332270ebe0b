import AuthModel
import JSON
import Platform
import Transport

/// Values in the formats of Django sites, Kii and Facebook.
extension JSONValue {
    /// An id: a number in most projects, a UUID in some.
    var identifier: String? { integer.map { String($0) } ?? filledText }

    /// The string; `nil` if it is empty, which means no value.
    var filledText: String? { string.flatMap { $0.isEmpty ? nil : $0 } }
}

extension Secret {
    /// A token in a response, if it is valid.
    init?(token value: JSONValue?) {
        guard let token = value?.string, token.isToken else { return nil }
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

    /// Why a response with a success status is not the required JSON.
    var formFault: String {
        if let line = PageText.firstLine(of: self) { return "the response is a page, not JSON: \"\(line)\"" }
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

extension HTTPRequest {
    /// The same request with secrets that it contains.
    func carrying(_ secrets: Secret?...) -> HTTPRequest { carrying(secrets) }

    /// The same request for a session. All tokens of the session are redacted, even those that are not sent.
    func carrying(tokensOf session: Session?) -> HTTPRequest { carrying(session?.tokens ?? []) }

    /// The same request after an earlier one: the response may repeat the secrets and names of both.
    func carrying(secretsOf earlier: HTTPRequest) -> HTTPRequest {
        var request = self
        request.secrets += earlier.secrets
        request.publicValues += earlier.publicValues
        return request
    }

    /// The same request with application keys that it contains.
    func carrying(applicationKeys keys: Secret?...) -> HTTPRequest {
        var request = self
        request.applicationKeys += keys.compactMap { $0?.reveal() }
        return request
    }

    private func carrying(_ secrets: [Secret?]) -> HTTPRequest {
        var request = self
        request.secrets += secrets.compactMap { $0?.reveal() }
        return request
    }

    /// The same request with names that the user typed.
    func naming(_ names: String?...) -> HTTPRequest { naming(names) }

    func naming(_ names: [String?]) -> HTTPRequest {
        var request = self
        request.publicValues += names.compactMap(\.self)
        return request
    }

    /// The same request, with the members of the response that contain tokens.
    func expecting(tokens: [String]) -> HTTPRequest {
        var request = self
        request.tokenMembers = tokens
        return request
    }
}

extension String {
    /// A key from the link in an e-mail, in which colons may be percent-encoded. Invalid UTF-8 is not decoded.
    var percentDecoded: String { String(validating: percentDecoded(plusIsSpace: false), as: UTF8.self) ?? self }
}
