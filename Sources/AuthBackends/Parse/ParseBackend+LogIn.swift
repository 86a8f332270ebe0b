import AuthModel

extension ParseBackend: TokenLogin {
    func logIn(token: Secret) throws(AuthError) -> Reply<NewSession> {
        let user = ParsePayloads.user(try send(endpoints.currentUser(Session(token: token)), .logInWithToken))
        return Reply(NewSession(user: user, session: session(token)))
    }
}

extension ParseBackend: SecondFactor {
    /// Servers before 6.4 take the password and ignore the code.
    func logIn(_ credentials: Credentials, code: Secret) throws(AuthError) -> Reply<LogInOutcome> {
        do throws(AuthError) {
            let payload = try send(endpoints.logIn(credentials, code: code), .secondFactor)
            return Reply(.session(try logIn(from: payload, as: credentials.login)))
        } catch {
            guard error.reason == .unsupported else { throw error }
            var error = error
            error.message = "the server has no second factor"
            error.nextSteps = ["leave out --otp"]
            throw error
        }
    }
}

extension ParseBackend: AnonymousLogin {
    func logInAnonymously(identity: String) throws(AuthError) -> Reply<NewSession> {
        let payload = try send(endpoints.signUpAnonymously(identity: identity), .signUp)
        let token = try token(in: payload)
        let user = namedUser(token) ?? ParsePayloads.user(payload, of: "anonymous")
        return Reply(NewSession(user: user, session: session(token), createdAccount: true))
    }

    /// The name is the server's invention, and only told when asked for.
    func namedUser(_ token: Secret) -> User? {
        // `try?`: the account is made, and without its session there is no way back in; the name is a courtesy.
        (try? send(endpoints.currentUser(Session(token: token)), .currentUser)).map { ParsePayloads.user($0) }
    }
}
