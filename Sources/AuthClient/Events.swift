package import AuthModel
package import Platform

/// Receives the messages that a command shows while it runs.
package protocol Events: Sendable {
    /// Reports a problem that does not stop the command.
    func warn(_ text: String, next step: NextStep?)
    /// Prints information for the user; omitted with `--quiet` and in JSON output.
    func note(_ text: String, next step: NextStep?)
    /// Prints information that scripts need, too: a note in text output, a warning in JSON output.
    func inform(_ text: String, next step: NextStep?)
    /// Shows a code that the user must enter in a browser before the code expires.
    ///
    /// - Throws: `AuthError` `notWritten` if the code cannot be shown.
    func show(_ code: DeviceCode, until end: Instant) throws(AuthError)
    /// Called before an operation that may take a while, such as "logging in".
    func began(_ activity: String)
    func ended()
}

extension Events {
    package func warn(_ text: String) { warn(text, next: nil) }
    package func note(_ text: String) { note(text, next: nil) }
    package func inform(_ text: String) { inform(text, next: nil) }

    package func during<Result, Failure: Error>(
        _ activity: String, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        began(activity)
        defer { ended() }
        return try body()
    }
}
