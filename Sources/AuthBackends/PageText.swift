import Platform
import Transport

/// What a page for people says that came in the place of an answer, such as that of a network which wants a log-in.
enum PageText {
    /// The first line with any text outside of tags, at most 200 characters; `nil` if this is no page.
    ///
    /// What may be cut-off JSON is none: it could show a session.
    ///
    /// - Parameter masking: takes out what was sent in secret: before anything is left out or cut, where it would not be
    ///   known again, and once more where tags stood within it.
    static func firstLine(of response: HTTPResponse, masking: (String) -> String) -> String? {
        guard let page = String(validating: response.body, as: UTF8.self), isPage(page, response) else { return nil }
        let text = withoutTags(masking(page).start(16_384))
        let lines = masking(text).split(whereSeparator: \.isNewline)
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
                // No tag, but the mark of what was taken out.
                if let mark = tag, String(mark) == "redacted" { content += "<redacted>".unicodeScalars }
                tag = nil
            default: if tag?.append(scalar) == nil { content.append(scalar) }
            }
        }
        return String(content)
    }

    /// One space for any run of spaces and controls.
    private static func cleaned(_ line: Substring) -> String {
        line.unicodeScalars
            .split { $0.properties.isWhitespace || $0.properties.generalCategory == .control }
            .map { String($0) }
            .joined(separator: " ")
    }
}
