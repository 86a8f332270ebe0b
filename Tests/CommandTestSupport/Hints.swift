package import AuthModel

extension AuthError {
    /// The next steps as a user reads them, without the options in force: `reset the password: authctl password reset ADDRESS`.
    package var hints: [String] {
        nextSteps.map { step in
            step.command.isEmpty
                ? step.sentence : (["\(step.sentence): authctl"] + step.command).joined(separator: " ")
        }
    }
}
