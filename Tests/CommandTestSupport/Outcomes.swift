package import AuthModel

extension LogInOutcome {
    /// The new session; `nil` if the login is pending.
    package var session: NewSession? { if case .session(let new) = self { new } else { nil } }
}
