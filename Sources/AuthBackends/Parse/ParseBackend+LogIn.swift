import AuthModel
import JSON
import Transport

extension ParseBackend {
    func logIn(token: Secret) throws(BackendError) -> Reply<NewSession> {
        let user = user(try send(endpoints.currentUser(Session(token: token), .logInWithToken)))
        return Reply(NewSession(user: user, session: session(token)))
    }
}

extension ParseBackend {
    /// Parse Server before 6.4 checks the password and ignores the code.
    func logIn(_ credentials: Credentials, code: Secret?) throws(BackendError) -> Reply<LogInOutcome> {
        guard let code else {
            return Reply(try LogInOutcome(try logIn(endpoints.logIn(credentials), as: credentials.login)))
        }
        do throws(BackendError) {
            let request = endpoints.logIn(credentials, code: code)
            return Reply(try LogInOutcome(try logIn(request, as: credentials.login)))
        } catch {
            guard error.reason == .unsupported else { throw error }
            var error = error
            error.message = "a second factor is not supported"
            error.nextSteps = ["remove --otp"]
            throw error
        }
    }
}

extension ParseBackend: AnonymousLogin {
    func logInAnonymously(identity: String) throws(BackendError) -> Reply<NewSession> {
        // The identity is a secret, because it is sufficient for a login.
        masker.register(identity)
        let (status, payload) = try answer(to: endpoints.signUpAnonymously(identity: identity))
        let token = try token(in: payload)
        let user = newUser(of: Identity(provider: "anonymous", id: nil), payload)
        return Reply(NewSession(user: user, session: session(token), createdAccount: status == 201))
    }

    /// Reads the new user after a login with an identity, and adds the identity, which the response lacks. Source: the
    /// exchanges `anonymous.signup` and `facebook.signup`.
    func newUser(of identity: Identity, _ payload: JSONObject) -> User {
        var user = ParsePayloads.user(payload)
        user.identities = user.identities ?? [identity]
        return user
    }
}
