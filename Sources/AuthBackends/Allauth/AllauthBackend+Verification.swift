import AuthModel

/// A link's key is good by itself; a code belongs to what waits for it: a sign-up, a log-in or a session.
extension AllauthBackend: PendingLoginResuming {
    func sendVerification(email: String, as requester: Requester) throws(AuthError) -> Reply<Bool> {
        switch requester {
        case .pending(let token):
            let answer = try send(endpoints.resendCode(token), .sendVerification)
            return Reply(true, replacement: answer.session)
        case .session(let session):
            return try following(session) { session throws(AuthError) in try sendLink(email, &session) }
        case .anonymous:
            throw AuthError(
                .unsupported, "the site sends verification e-mails only during a login",
                next: "log in with the right password to get a new e-mail")
        }
    }

    /// A mail is refused to an address that is confirmed, and shortly after another one, with the same words.
    private func sendLink(_ email: String, _ session: inout Session) throws(AuthError) -> Bool {
        let emails = try send(.currentUser, as: &session, endpoints.emails)
        if AllauthPayloads.isVerified(email, emails.data) == true { return false }
        _ = try send(.sendVerification, as: &session) { endpoints.sendVerification(email: email, $0) }
        return true
    }

    /// - Parameter key: as it stands in the link of the mail, where its colons may be percent-encoded, or a code.
    func verifyEmail(key: String, as requester: Requester) throws(AuthError) -> Reply<NewSession?> {
        let key = key.percentDecoded
        switch requester {
        case .anonymous:
            _ = try send(endpoints.verifyEmail(key: key, nil), .verifyEmail)
            return Reply(nil)
        case .session(let session):
            // A code for an address that was added to an account belongs to the session that asked for it.
            return try following(session) { session throws(AuthError) in
                _ = try verify(key, as: &session)
                return nil
            }
        case .pending(let token):
            var waiting = Session(token: token)
            let answer = try verify(key, as: &waiting)
            guard answer.status == 200, let session = answer.session else { return Reply(nil) }
            return Reply(NewSession(user: AllauthPayloads.user(answer.data) ?? User(), session: session))
        }
    }

    /// What asks may be gone, and then everything that is sent with it is refused, a link's key, too.
    private func verify(_ key: String, as session: inout Session) throws(AuthError) -> AllauthAnswer {
        do throws(AuthError) {
            return try send(.verifyEmail, as: &session) { endpoints.verifyEmail(key: key, $0) }
        } catch {
            guard error.reason == .sessionRevoked else { throw error }
            return try send(endpoints.verifyEmail(key: key, nil), .verifyEmail)
        }
    }
}
