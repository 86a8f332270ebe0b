import AuthModel
import JSON
import Transport

extension ParseBackend: PasswordVerifying {
    /// The server does not check the current password, so a separate request does.
    func changePassword(
        from current: Secret, to new: Secret, of session: Session
    ) throws(AuthError) -> Reply<Void> {
        let id = try checkPassword(current, of: session)
        let payload = try send(endpoints.changePassword(to: new, id: id, session), .changePassword)
        return Reply((), replacement: ParsePayloads.token(payload, masker).map(self.session))
    }

    func verifyPassword(_ current: Secret, of session: Session) throws(AuthError) -> Reply<Void> {
        _ = try checkPassword(current, of: session)
        return Reply(())
    }

    /// - Returns: the id of the session's user.
    private func checkPassword(_ password: Secret, of session: Session) throws(AuthError) -> String {
        let user = user(try send(endpoints.currentUser(session), .currentUser))
        guard let id = user.id, let name = user.username else { throw .namesNoUser() }
        let credentials = Credentials(login: name, password: password)
        do throws(AuthError) {
            _ = try send(endpoints.verifyPassword(credentials), .verifyPassword)
        } catch {
            switch error.reason {
            // Sent only after the right password.
            case .emailUnverified: break
            // Servers before 7.1 have no such request.
            case .wrongEndpoint: try tryLogIn(credentials)
            default: throw error
            }
        }
        return id
    }

    /// Checks the password with a login, and revokes its session at once.
    private func tryLogIn(_ credentials: Credentials) throws(AuthError) {
        do throws(AuthError) {
            let payload = try send(endpoints.logIn(credentials), .logIn)
            if let token = ParsePayloads.token(payload, masker) { _ = try logOut(Session(token: token)) }
        } catch {
            switch error.reason {
            // The server checks the password before the address and the second factor. Source: Parse Server,
            // `UsersRouter.handleLogIn`.
            case .emailUnverified, .secondFactorRequired: break
            case .wrongPassword:
                var error = error
                error.message = "the current password is wrong"
                throw error
            default: throw error
            }
        }
    }
}

extension ParseBackend: PasswordResetting {
    func resetPassword(email: String) throws(AuthError) {
        _ = try send(endpoints.resetPassword(email: email), .requestPasswordReset)
    }
}

extension ParseBackend: EmailVerifying {
    var reportsSentEmails: Bool { traits.reportsSentEmails }

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

    /// - Parameter key: the whole link; the embedded server also accepts its token alone.
    func verifyEmail(key: String) throws(AuthError) {
        let link = VerificationLink(key)
        guard traits.confirmsKeys || link != nil else {
            throw AuthError(
                .unsupported, "a Parse server verifies an e-mail only by its link", .needsWholeLink)
        }
        if let link, link.applicationID != endpoints.appID {
            throw AuthError(
                .usage, "the link is of application '\(link.applicationID)', not of '\(endpoints.appID)'",
                .otherApplication)
        }
        let token = link?.token ?? key
        masker.register(token)
        let request = endpoints.verifyEmail(key: token, username: link?.username)
        let response = try transport.response(to: request, .verifyEmail)
        guard response.status == 200, traits.confirmsKeys || Self.isSuccess(response) else {
            throw AuthError(
                .notFound, "the key is unknown, used or expired",
                server: ServerDetail(status: response.status))
        }
    }

    /// Whether a page with status 200 says that the address is verified. Parse Server redirects to a page that also has
    /// this status if the link is invalid. Source: Parse Server, `public/*.html` and `public_html/*.html`.
    private static func isSuccess(_ page: HTTPResponse) -> Bool {
        let text = String(decoding: page.body, as: UTF8.self).lowercased()
        return text.holds("verified") && !text.holds("invalid")
    }
}
