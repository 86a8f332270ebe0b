import AuthModel

extension ParseBackend: TokenLogin {
    func logIn(token: Secret) throws(AuthError) -> Reply<NewSession> {
        let user = ParsePayloads.user(try send(endpoints.currentUser(Session(token: token)), .token))
        return Reply(NewSession(user: user, session: session(token)))
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
        (try? send(endpoints.currentUser(Session(token: token)), .session)).map { ParsePayloads.user($0) }
    }
}
