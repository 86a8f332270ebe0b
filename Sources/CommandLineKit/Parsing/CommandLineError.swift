/// A command line that does not match the declaration.
///
/// Unexpected arguments and the values of unknown or refused options may be secrets. No message repeats them.
package struct CommandLineError: Error, Equatable {
    package let message: String
    /// Next steps, one per hint.
    package let hints: [String]
    package let correction: Correction?

    package struct Correction: Equatable, Sendable {
        /// The advice: "put '--' before the command".
        package let sentence: String
        /// The corrected command line, beginning with the program's name.
        package let words: [String]
    }

    package init(_ message: String, hints: [String] = [], correction: Correction? = nil) {
        self.message = message
        self.hints = hints
        self.correction = correction
    }

    /// An error with a hint that refers to the help page of `path`. A guess is shown before that hint.
    static func misuse(_ message: String, path: String, guess: String? = nil) -> CommandLineError {
        CommandLineError(message, hints: [guess, "see '\(path) --help'"].compactMap(\.self))
    }
}
