import Platform
import Transport

/// What a page for people says that came in the place of an answer, such as that of a network which wants a log-in.
enum PageText {
    /// The first line with any text outside of tags, at most 200 characters; `nil` if this is no page.
    ///
    /// What may be cut-off JSON is none: it could show a session.
    static func firstLine(of response: HTTPResponse) -> String? {
        guard let text = String(validating: response.body.prefix(16_384), as: UTF8.self), isPage(text, response) else {
            return nil
        }
        let lines = withoutTags(text).split(whereSeparator: \.isNewline)
        let line = lines.lazy.map(cleaned).first { !$0.isEmpty }
        return line.map { String($0.prefix(200)) }
    }

    private static func isPage(_ text: String, _ response: HTTPResponse) -> Bool {
        guard let first = text.unicodeScalars.first(where: { !$0.properties.isWhitespace }) else { return false }
        if first == "<" { return true }
        let isText = response.headers["Content-Type"]?.lowercased().hasPrefix("text/") ?? false
        return isText && first.properties.isAlphabetic && !text.holds("sessionToken")
    }

    private static func withoutTags(_ text: String) -> String {
        var isInTag = false
        var content = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": isInTag = true
            case ">" where isInTag: isInTag = false
            default: if !isInTag { content.append(scalar) }
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
