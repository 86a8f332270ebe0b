import AuthModel

extension AllauthBackend: PasswordChanging {
    func changePassword(
        from current: Secret, to new: Secret, of session: Session
    ) throws(AuthError) -> Reply<Void> {
        let answer = try send(endpoints.changePassword(from: current, to: new, session), .passwordChange)
        return Reply((), replacement: session.replaced(by: answer))
    }
}

extension AllauthBackend: PasswordResetting {
    /// Where a code is mailed, the answer says that it is waited for.
    func resetPassword(email: String) throws(AuthError) {
        _ = try send(endpoints.resetPassword(email: email), .reset)
    }
}
