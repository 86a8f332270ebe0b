import AuthModel
import JSON
import Platform
import Transport

/// How sites made with Django, Kii and Facebook write values.
extension JSONValue {
    /// An id: a number in most projects, a UUID in some.
    var identifier: String? { integer.map { String($0) } ?? filledText }

    /// A text; an empty one means that the server has no value.
    var filledText: String? { string.flatMap { $0.isEmpty ? nil : $0 } }
}

extension Secret {
    /// A token in a response, if it is a possible one: visible ASCII, which a header can carry, and at most 8 KiB.
    init?(token value: JSONValue?) {
        guard let token = value?.string, (1...8192).contains(token.utf8.count),
            token.isVisibleASCII
        else { return nil }
        self.init(token)
    }
}

/// Whether a member of a user must not be shown: sites add what they like.
func isSecretMember(_ name: String) -> Bool {
    switch name {
    case "key", "token", "access", "refresh", "access_token", "refresh_token", "session_token", "ephemeral_token",
        "password":
        true
    default: name.hasPrefix("_")
    }
}

extension HTTPResponse {
    /// Whether the content type is JSON, or missing.
    ///
    /// Every account server sends it; a response of another type comes from something else.
    var isSaidToBeJSON: Bool {
        guard let type = headers["Content-Type"] else { return true }
        let name = type.prefix { $0 != ";" && $0 != " " }.lowercased()
        return name == "application/json" || name.hasPrefix("application/") && name.hasSuffix("+json")
    }

    /// Why a response with a good status is not the JSON that it should be.
    var formFault: String {
        if let line = PageText.firstLine(of: self) { return "the server's answer is a page, not JSON: \"\(line)\"" }
        return body.isEmpty ? "the server's answer is empty" : "the server's answer is no JSON object"
    }
}

extension HTTPRequest {
    /// The same request, with secrets that it carries.
    func carrying(_ secrets: Secret?...) -> HTTPRequest { carrying(secrets) }

    /// The same request for a session: none of its tokens may be shown, also those that are not sent.
    func carrying(tokensOf session: Session?) -> HTTPRequest { carrying(session?.tokens ?? []) }

    private func carrying(_ secrets: [Secret?]) -> HTTPRequest {
        var request = self
        request.secrets += secrets.compactMap { $0?.reveal() }
        return request
    }

    /// The same request, with names in it that the user typed.
    func naming(_ names: String?...) -> HTTPRequest { naming(names) }

    func naming(_ names: [String?]) -> HTTPRequest {
        var request = self
        request.publicValues += names.compactMap(\.self)
        return request
    }

    /// The same request, whose response has tokens in these members.
    func expecting(tokens: [String]) -> HTTPRequest {
        var request = self
        request.tokenMembers = tokens
        return request
    }
}
