import AuthModel

extension AllauthBackend: PasswordChanging {
    func changePassword(
        from current: Secret, to new: Secret, of session: Session
    ) throws(AuthError) -> Reply<Void> {
        try following(session) { session throws(AuthError) in
            _ = try send(.passwordChange, as: &session) { endpoints.changePassword(from: current, to: new, $0) }
        }
    }
}

extension AllauthBackend: PasswordResetting {
    /// Where a code is mailed, the answer says that it is waited for.
    func resetPassword(email: String) throws(AuthError) {
        _ = try send(endpoints.resetPassword(email: email), .reset)
    }
}
