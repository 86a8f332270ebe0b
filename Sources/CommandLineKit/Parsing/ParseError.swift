/// Words that do not fit the declaration.
///
/// No text here repeats a value of an unknown or a refused option: it may be a secret.
package struct ParseError: Error, Equatable {
    package let message: String
    /// What to do next, if that is known.
    package let hint: String?

    package init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}

extension ParseError {
    /// "did you mean '--json'? see 'authctl login --help'", or only the second half.
    static func hint(for word: String, among candidates: [String], path: String) -> String {
        let page = "see '\(path) --help'"
        guard let question = Suggestions.question(for: word, among: candidates) else { return page }
        return "\(question) \(page)"
    }
}
