package import AuthModel

extension LogInOutcome {
    /// `nil`: something must be done before there is a session.
    package var session: NewSession? { if case .session(let new) = self { new } else { nil } }
}
