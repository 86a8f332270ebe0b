import AuthModel

extension AllauthBackend: PasswordChanging {
    func changePassword(
        from current: Secret, to new: Secret, of session: Session
    ) throws(AuthError) -> Reply<Void> {
        try following(session) { session throws(AuthError) in
            _ = try send(.changePassword, as: &session) { endpoints.changePassword(from: current, to: new, $0) }
        }
    }
}

extension AllauthBackend: PasswordResetting {
    /// A code belongs to the session that requested it. Source: allauth 65.21, `flows/password_reset_by_code.py`.
    func resetPassword(email: String) throws(AuthError) -> Secret? {
        let answer = try send(endpoints.resetPassword(email: email), .requestPasswordReset)
        return answer.pending.contains(.resetByCode) ? answer.session?.token : nil
    }

    /// Django compares a hash of the password with the one in the session.
    var sessionsAfterReset: SessionsAfterReset { .revoked }

    func resetPassword(
        key: MailKey, to new: Secret, of address: String?, pending: Secret?
    ) throws(AuthError) -> NewSession? {
        let answer = try send(endpoints.resetPassword(key: key.key(masker), to: new, pending), .finishPasswordReset)
        guard answer.isAuthenticated, let session = answer.session else { return nil }
        return NewSession(user: AllauthPayloads.user(answer.data) ?? User(), session: session)
    }
}
