/// Words that do not fit the declaration.
///
/// No text here repeats a value of an unknown or a refused option, or an argument too many: it may be a secret.
package struct CommandLineError: Error, Equatable {
    package let message: String
    /// What to do next, if that is known.
    package let hint: String?

    package init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}

extension CommandLineError {
    /// An error that the help page of `path` explains; a guess at what was meant stands before that.
    static func misuse(_ message: String, path: String, guess: String? = nil) -> CommandLineError {
        let page = "see '\(path) --help'"
        return CommandLineError(message, hint: guess.map { "\($0) \(page)" } ?? page)
    }
}
