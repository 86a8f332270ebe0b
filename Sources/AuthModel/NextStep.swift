/// A next step that helps the user: a short sentence and, if there is one, the command to run.
///
///     NextStep("reset the password", run: ["password", "reset", "ada@example.org"])
///
/// The command is a list of words without the program's name and without global options: only the command layer knows
/// how a command line is written and which options are in force. Words in capitals stand for values to fill in.
package struct NextStep: Sendable, Equatable {
    /// Lower case, no full stop.
    package var sentence: String
    /// Empty if no command helps.
    package var command: [String]

    package init(_ sentence: String, run command: [String] = []) {
        self.sentence = sentence
        self.command = command
    }
}

extension NextStep: ExpressibleByStringInterpolation {
    package init(stringLiteral sentence: String) {
        self.init(sentence)
    }
}
