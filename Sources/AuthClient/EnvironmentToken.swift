package import AuthModel

/// A session that the environment gives, to be used instead of the stored one.
package struct EnvironmentToken: Sendable {
    package typealias Failure = AuthError

    /// The variable that gives it.
    package let variable: String
    /// Reads it; only commands that use it fail if it is unusable.
    package let read: @Sendable () throws(Failure) -> Secret

    package init(variable: String, read: @escaping @Sendable () throws(Failure) -> Secret) {
        self.variable = variable
        self.read = read
    }

    var isUnbound: AuthError {
        AuthError(
            .usage, "the session\(Origin.environment(variable).clause) is for a server that nothing names",
            hint: "name it with --backend or AUTHCTL_BACKEND, or choose a profile that does")
    }
}
