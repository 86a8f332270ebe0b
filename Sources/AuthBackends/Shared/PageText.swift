import Platform
import Transport

/// Extracts the text of an HTML page that replaced a response, such as the login page of a captive portal.
enum PageText {
    /// The first line with text outside tags, at most 200 characters; `nil` if the body is not a page.
    ///
    /// Truncated JSON is not a page, because it could show a session.
    static func firstLine(of response: HTTPResponse, _ masker: Masker) -> String? {
        guard let page = String(validating: response.body, as: UTF8.self), isPage(page, response) else { return nil }
        // Masked again without tags, because a tag may split a secret.
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
                // The mark of a masked secret, not a tag.
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
