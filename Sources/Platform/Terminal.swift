/// A terminal where somebody can be asked.
package protocol Terminal: Sendable {
    /// Asks for one line, shown as it is typed.
    func ask(_ prompt: String) throws(TerminalError) -> String

    /// Asks for one line that is not shown.
    func askHidden(_ prompt: String) throws(TerminalError) -> String
}

package enum TerminalError: Error, Equatable {
    /// There is no terminal, or it went away.
    case unavailable
    /// The input was ended (Ctrl-D) instead of answered.
    case endOfInput
    /// The line is longer than a terminal takes, and its end is lost.
    case lineTooLong
    case notUTF8
}
