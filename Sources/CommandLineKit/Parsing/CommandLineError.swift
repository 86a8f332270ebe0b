/// Words that do not fit the declaration.
///
/// No text here repeats a value of an unknown or a refused option, or an argument too many: it may be a secret.
package struct CommandLineError: Error, Equatable {
    package let message: String
    /// What to do next, one step each.
    package let hints: [String]

    package init(_ message: String, hints: [String] = []) {
        self.message = message
        self.hints = hints
    }
}

extension CommandLineError {
    /// An error that the help page of `path` explains. A guess comes before the pointer to that page.
    static func misuse(_ message: String, path: String, guess: String? = nil) -> CommandLineError {
        CommandLineError(message, hints: [guess, "see '\(path) --help'"].compactMap(\.self))
    }
}
