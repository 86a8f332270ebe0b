package import AuthModel

extension AuthError {
    /// The hints, such as `reset the password: authctl password reset ADDRESS`, without connection options.
    package var hints: [String] {
        nextSteps.map { step in
            step.command.isEmpty
                ? step.sentence : (["\(step.sentence): authctl"] + step.command).joined(separator: " ")
        }
    }
}
