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
    /// A reset by code is not supported: the code is valid only in the session that requested it.
    func resetPassword(email: String) throws(AuthError) {
        let site = try send(endpoints.configuration(), .describeSite).data
        guard !AllauthPayloads.resetsPasswordsByCode(site) else {
            throw AuthError(
                .unsupported, "the site sends a reset code by e-mail, which only its own pages accept",
                .needsPagesOfSite)
        }
        _ = try send(endpoints.resetPassword(email: email), .requestPasswordReset)
    }

    /// Django compares a hash of the password with the one in the session.
    var sessionsAfterReset: SessionsAfterReset { .revoked }

    func resetPassword(key: MailKey, to new: Secret, of address: String?) throws(AuthError) -> NewSession? {
        let answer = try send(endpoints.resetPassword(key: key.key(masker), to: new), .finishPasswordReset)
        guard answer.isAuthenticated, let session = answer.session else { return nil }
        return NewSession(user: AllauthPayloads.user(answer.data) ?? User(), session: session)
    }
}
