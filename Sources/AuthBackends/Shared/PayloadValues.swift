import AuthModel
import JSON
import Platform
import Transport

/// Reads values whose formats several kinds of server share.
extension JSONValue {
    /// The value as an id: an integer of any size, or a non-empty string such as a UUID; `nil` for any other value.
    var identifier: String? {
        if case .number = self { return text.isASCIIDigits ? text : nil }
        return integer.map { String($0) } ?? filledText
    }

    var isToken: Bool { string?.isToken ?? false }

    /// The string; `nil` if it is empty, because servers send an empty string for a missing value.
    var filledText: String? { string.flatMap { $0.isEmpty ? nil : $0 } }
}

extension Secret {
    /// Reads a token from a response, and registers it as a secret. Returns `nil` if the token is invalid.
    init?(token value: JSONValue?, _ masker: Masker) {
        guard let token = value?.string, token.isToken else { return nil }
        masker.register(token)
        self.init(token)
    }
}

extension Secret {
    /// A server whose passwords are hashed with bcrypt refuses a longer one, with no reason or with status 500. Source:
    /// the exchanges `stock/signup-password-73` of PocketBase, `open/signup-long-password` of Supabase Auth.
    func requireAtMost72Bytes() throws(BackendError) {
        guard reveal().utf8.count > 72 else { return }
        let fault = FieldFault("password", "is longer than 72 bytes")
        throw BackendError(.weakPassword, fault.sentence, fields: [fault])
    }
}

extension Optional {
    /// The session or token that a response must have.
    func orNoSession() throws(BackendError) -> Wrapped {
        guard let self else { throw .holdsNoSession() }
        return self
    }
}

extension Secret? {
    /// The administrator's key, without which no request of the administrator is made.
    func required() throws(BackendError) -> Secret {
        guard let self else { throw BackendError(.internal, "no key of the administrator") }
        return self
    }
}

extension User {
    /// Returns the user, marked as having no e-mail if `member` is `null` or an empty string.
    func reading(email member: JSONValue?) -> User {
        var user = self
        user.lacksEmail = member == .null || member == ""
        return user
    }
}

extension HTTPResponse {
    var json: JSONValue? { try? JSONValue(parsing: body) }

    /// Describes why a response with a success status is not the required JSON.
    func formFault(_ masker: Masker) -> String {
        if let line = PageText.firstLine(of: self, masker) { return "the response is a page, not JSON: \"\(line)\"" }
        return body.isEmpty ? "the response is empty" : "the response is not a JSON object"
    }
}

/// Extracts text from a page (HTML or plain text) that arrived instead of JSON, such as the page of a captive portal.
enum PageText {
    /// Returns the first line with text outside of tags, at most 200 characters; `nil` if the body is not a page or has
    /// no such line.
    ///
    /// Truncated JSON does not count as a page, because its text could contain a session token.
    static func firstLine(of response: HTTPResponse, _ masker: Masker) -> String? {
        guard let page = String(validating: response.body, as: UTF8.self), isPage(page, response) else { return nil }
        // Masked again after tags are removed, because a tag may split a secret.
        let text = masker.mask(withoutTags(masker.mask(page).start(16_384)))
        let lines = text.split(whereSeparator: \.isNewline)
        let line = lines.lazy.map(cleaned).first { !$0.isEmpty }
        return line.map { $0.start(200) }
    }

    private static func isPage(_ text: String, _ response: HTTPResponse) -> Bool {
        guard let first = text.unicodeScalars.first(where: { !$0.properties.isWhitespace }) else { return false }
        if first == "<" { return true }
        let isText = response.headers["Content-Type"]?.lowercased().hasPrefix("text/") ?? false
        return isText && first.properties.isAlphabetic && !text.holds("sessionToken")
    }

    private static func withoutTags(_ text: String) -> String {
        var tag: String.UnicodeScalarView?
        var content = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": tag = String.UnicodeScalarView()
            case ">" where tag != nil:
                // `<redacted>` replaces a masked secret and is not a tag.
                if let mark = tag, String(mark) == "redacted" { content += "<redacted>".unicodeScalars }
                tag = nil
            default: if tag?.append(scalar) == nil { content.append(scalar) }
            }
        }
        return String(content)
    }

    /// Replaces each run of white space and control characters with one space.
    private static func cleaned(_ line: Substring) -> String {
        line.unicodeScalars
            .split { $0.properties.isWhitespace || $0.properties.generalCategory == .control }
            .map { String($0) }
            .joined(separator: " ")
    }
}
