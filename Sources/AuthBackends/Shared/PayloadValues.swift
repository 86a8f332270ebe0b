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

extension NewAccount {
    /// The fields as they may be shown and saved: without the password, if a text in them repeats it.
    var shownFields: JSONObject {
        let redactor = SecretRedactor([password.reveal()])
        return JSONObject(fields.members.map { JSONObject.Member(name: $0.name, value: $0.value.masked(redactor)) })
    }
}

extension JSONValue {
    fileprivate func masked(_ redactor: SecretRedactor) -> JSONValue {
        switch self {
        case .string(let text): .string(redactor.redact(text))
        case .array(let elements): .array(elements.map { $0.masked(redactor) })
        case .object(let object):
            .object(
                JSONObject(
                    object.members.map { JSONObject.Member(name: $0.name, value: $0.value.masked(redactor)) }))
        case .null, .bool, .integer, .number: self
        }
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
        if let line = PageText.firstLine(of: self) { return "the response is a page, not JSON: \"\(line)\"" }
        return body.isEmpty ? "the response is empty" : "the response is not a JSON object"
    }
}

extension HTTPRequest {
    /// The same request, with secrets that it carries.
    func carrying(_ secrets: Secret?...) -> HTTPRequest { carrying(secrets) }

    /// The same request for a session: none of its tokens may be shown, also those that are not sent.
    func carrying(tokensOf session: Session?) -> HTTPRequest { carrying(session?.tokens ?? []) }

    /// The same request, which follows another one: the response to it may repeat the secrets and names of both.
    func carrying(secretsOf earlier: HTTPRequest) -> HTTPRequest {
        var request = self
        request.secrets += earlier.secrets
        request.publicValues += earlier.publicValues
        return request
    }

    /// The same request, with keys of the application in it.
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

extension String {
    /// A key as it stands in the link of an e-mail, where its colons may be percent-encoded; unchanged if the decoded
    /// bytes are not UTF-8.
    var percentDecoded: String { String(validating: percentDecoded(plusIsSpace: false), as: UTF8.self) ?? self }
}
