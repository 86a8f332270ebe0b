package import AuthModel
package import Platform

/// What must be seen before a command ends.
package protocol Events: Sendable {
    /// Something is wrong, but the command goes on.
    func warn(_ text: String, next step: NextStep?)
    /// Shown only to people.
    func note(_ text: String)
    /// The user must enter a code elsewhere, before a point in time.
    ///
    /// - Throws: `AuthError` `notWritten` if the code cannot be shown.
    func show(_ code: DeviceCode, until end: Instant) throws(AuthError)
    /// A call that may take a while has begun: "logging in".
    func began(_ activity: String)
    /// That call is over.
    func ended()
}

extension Events {
    package func warn(_ text: String) { warn(text, next: nil) }

    /// Does something that may take a while.
    package func during<Result, Failure: Error>(
        _ activity: String, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        began(activity)
        defer { ended() }
        return try body()
    }
}
