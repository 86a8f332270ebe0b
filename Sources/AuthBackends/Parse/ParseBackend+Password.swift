import AuthModel
import JSON

extension ParseBackend: PasswordChanging {
    /// The server does not check the current password, so this logs in with it, and revokes that session at once.
    func changePassword(
        from current: Secret, to new: Secret, of session: Session
    ) throws(AuthError) -> Reply<Void> {
        let user = ParsePayloads.user(try send(endpoints.currentUser(session), .currentUser))
        guard let id = user.id, let name = user.username else {
            throw .namesNoUser()
        }
        try checkPassword(Credentials(login: name, password: current))
        let request = endpoints.changePassword(to: new, id: id, session).carrying(current)
        let payload = try send(request, .changePassword)
        return Reply((), replacement: ParsePayloads.token(payload).map { self.session($0, after: request) })
    }

    private func checkPassword(_ credentials: Credentials) throws(AuthError) {
        let payload = try send(endpoints.logIn(credentials), .logIn)
        guard let token = ParsePayloads.token(payload) else { return }
        _ = try logOut(Session(token: token))
    }
}

extension ParseBackend: PasswordResetting {
    func resetPassword(email: String) throws(AuthError) {
        _ = try send(endpoints.resetPassword(email: email), .requestPasswordReset)
    }
}

extension ParseBackend: EmailVerifying {
    func sendVerification(email: String) throws(AuthError) -> Bool {
        do throws(AuthError) {
            _ = try send(endpoints.sendVerification(email: email), .sendVerification)
            return true
        } catch {
            // "Other error": for this request, the address is verified already.
            guard error.server?.code == .integer(-1) else { throw error }
            return false
        }
    }

    func verifyEmail(key: String) throws(AuthError) {
        guard traits.confirmsKeys else {
            throw AuthError(
                .unsupported, "a Parse server verifies an e-mail only by its link",
                next: "open the link in the e-mail")
        }
        let response = try transport.response(to: endpoints.verifyEmail(key: key), .verifyEmail)
        guard response.status == 200 else {
            throw AuthError(
                .notFound, "the key is unknown, used or expired",
                server: ServerDetail(status: response.status))
        }
    }
}
