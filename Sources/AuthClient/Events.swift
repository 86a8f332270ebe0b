package import AuthModel
package import Platform

/// What must be seen before a command ends.
package protocol Events: Sendable {
    /// Something is not as it should be, but the command goes on.
    func warn(_ text: String)
    /// Something worth knowing.
    func note(_ text: String)
    /// Somebody must enter a code elsewhere, before a point in time.
    ///
    /// - Throws: `AuthError` `notWritten` if nobody can see it.
    func show(_ code: DeviceCode, until end: Instant) throws(AuthError)
    /// A call that may take a while has begun: "logging in".
    func began(_ activity: String)
    /// That call is over.
    func ended()
}

extension Events {
    /// Does something that may take a while.
    package func during<Result, Failure: Error>(
        _ activity: String, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        began(activity)
        defer { ended() }
        return try body()
    }
}
