package import AuthModel

extension LogInOutcome {
    /// `nil` if the login is pending.
    package var session: NewSession? { if case .session(let new) = self { new } else { nil } }
}
