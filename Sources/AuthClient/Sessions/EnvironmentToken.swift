package import AuthModel

/// A session token from the environment, which overrides the saved session.
package struct EnvironmentToken: Sendable {
    package typealias Failure = AuthError

    package let variable: String
    /// Reads the token. Called only by commands that use it, so that an invalid token does not break other commands.
    package let read: @Sendable () throws(Failure) -> Secret
    /// The connection from the environment, else the profile's connection. The token is sent only to this connection.
    package let connection: @Sendable () throws(Failure) -> Connection

    package init(
        variable: String, read: @escaping @Sendable () throws(Failure) -> Secret,
        connection: @escaping @Sendable () throws(Failure) -> Connection
    ) {
        self.variable = variable
        self.read = read
        self.connection = connection
    }

    /// - Throws: `AuthError` `usage` if the options name a connection other than the token's.
    func session(for connection: Connection) throws(AuthError) -> Session {
        let failure = "cannot use the session\(Origin.environment(variable).clause)"
        let own = try failing(as: failure, self.connection)
        guard own == connection else {
            throw AuthError(
                .usage, "\(failure): it belongs to \(own.name), and the options name \(connection.name)",
                nextSteps: [
                    "set AUTHCTL_BACKEND, AUTHCTL_SERVER and AUTHCTL_APP_ID instead of the options",
                    NextStep("or unset \(variable) to use the saved session"),
                ])
        }
        return Session(token: try read())
    }
}
