/// Text in HTML.
enum HTMLText {
    /// Safe as content and in attributes with quotes.
    ///
    /// By scalars: a quote with an accent on it would be another character to Swift, yet it ends an attribute.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }
}
