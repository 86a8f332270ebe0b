package import AuthModel

extension AuthError {
    /// The hints to the user, without the options in force: `reset the password: authctl password reset ADDRESS`.
    package var hints: [String] {
        nextSteps.map { step in
            step.command.isEmpty
                ? step.sentence : (["\(step.sentence): authctl"] + step.command).joined(separator: " ")
        }
    }
}
