import AuthModel
import JSON

extension ParseBackend: PasswordChanging {
    /// The server does not ask for the current password, so it is tried by a log-in of its own, ended at once.
    func changePassword(
        from current: Secret, to new: Secret, of session: Session
    ) throws(AuthError) -> Reply<Void> {
        let user = ParsePayloads.user(try send(endpoints.currentUser(session), .session))
        guard let id = user.id, let name = user.username else {
            throw AuthError(.brokenAnswer, "the server's answer names no user")
        }
        try tryPassword(Credentials(login: name, password: current))
        let payload = try send(
            endpoints.updateUser(id: id, ["password": .string(new.reveal())], session), .update)
        return Reply((), replacement: ParsePayloads.token(payload).map { self.session($0) })
    }

    private func tryPassword(_ credentials: Credentials) throws(AuthError) {
        let payload = try send(endpoints.logIn(credentials), .logIn)
        guard let token = ParsePayloads.token(payload) else { return }
        _ = try logOut(Session(token: token))
    }
}

extension ParseBackend: PasswordResetting {
    func resetPassword(email: String) throws(AuthError) {
        _ = try send(endpoints.resetPassword(email: email), .mail)
    }
}

extension ParseBackend: EmailVerifying {
    func sendVerification(email: String) throws(AuthError) -> Bool {
        do throws(AuthError) {
            _ = try send(endpoints.sendVerification(email: email), .mail)
            return true
        } catch {
            // "Other", which here is only said of an address that is verified already.
            guard error.server?.code == .integer(-1) else { throw error }
            return false
        }
    }

    func verifyEmail(key: String) throws(AuthError) {
        guard traits.confirmsKeys else {
            throw AuthError(
                .unsupported, "a Parse server confirms an address only by its link", hint: "open the link of the mail")
        }
        let response = try transport.answer(to: endpoints.verifyEmail(key: key))
        guard response.status == 200 else {
            throw AuthError(
                .notFound, "the key is unknown, used, or has run out",
                hint: "have a new mail sent: authctl verify-email",
                server: ServerDetail(status: response.status))
        }
    }
}
