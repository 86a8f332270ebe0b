import AuthModel

/// Source: README of the recorded exchanges, section 3, "Facebook".
extension AllauthBackend: FacebookLinking {
    func facebookStatus(of session: Session) throws(AuthError) -> Reply<FacebookStatus> {
        let user = try currentUser(session)
        let current = user.replacement ?? session
        return Reply(status(user.value, try facebookIDs(of: current).first), replacement: user.replacement)
    }

    /// An account can have several of these identities: one more takes the place of none.
    func linkFacebook(
        _ identity: FacebookIdentity, to session: Session
    ) throws(AuthError) -> Reply<FacebookChange> {
        let earlier = try facebookIDs(of: session)
        let answer = try send(
            endpoints.facebook(identity.token, clientID: try facebookAppID(), process: .connect, session),
            .facebookLink)
        let replacement = session.replaced(by: answer)
        let ids = try facebookIDs(of: replacement ?? session)
        guard let user = AllauthPayloads.user(answer.data) else { throw .namesNobody }
        if let new = ids.first(where: { !earlier.contains($0) }) {
            return Reply(FacebookChange(before: .none, status: status(user, new)), replacement: replacement)
        }
        // Linked before. Which of several it is, only its id tells.
        let same = ids.first { $0 == identity.id } ?? ids.first
        return Reply(FacebookChange(before: link(same), status: status(user, same)), replacement: replacement)
    }

    func unlinkFacebook(from session: Session) throws(AuthError) -> Reply<FacebookChange> {
        let user = try currentUser(session)
        let current = user.replacement ?? session
        let ids = try facebookIDs(of: current)
        for id in ids { try disconnect(id, current) }
        let change = FacebookChange(before: link(ids.first), status: status(user.value, nil))
        return Reply(change, replacement: user.replacement)
    }

    func logIn(facebook identity: FacebookIdentity) throws(AuthError) -> Reply<LogIn> {
        let answer = try send(
            endpoints.facebook(identity.token, clientID: try facebookAppID(), process: .login, nil), .facebookLogIn)
        if answer.status == 401, answer.pending.contains(.providerSignUp) { throw try unfinished(answer) }
        return Reply(try logIn(from: answer, .facebookLogIn, User()))
    }
}

extension AllauthBackend {
    private func facebookIDs(of session: Session) throws(AuthError) -> [String] {
        AllauthPayloads.facebookIDs(try send(endpoints.providers(session), .providers).data)
    }

    private func facebookAppID() throws(AuthError) -> String {
        if let id = try site().facebookAppID { return id }
        throw AuthError(.unsupported, "the site does not take Facebook identities")
    }

    /// Facebook told no address, or one that an account has.
    private func unfinished(_ answer: AllauthAnswer) throws(AuthError) -> AuthError {
        let signUp = try answer.session.map { session throws(AuthError) in
            try send(endpoints.providerSignUp(session.token), .providers)
        }
        let hasAddress = !(signUp?.data["email"]?.array ?? []).isEmpty
        return hasAddress
            ? AuthError(.emailTaken, "an account has the address that Facebook tells")
            : AuthError(
                .invalidFields, "Facebook tells no address, and the site wants one",
                hint: "make an account with an address, then link it: authctl link-facebook")
    }

    /// One that is gone meanwhile is as wanted.
    private func disconnect(_ id: String, _ session: Session) throws(AuthError) {
        do throws(AuthError) {
            _ = try send(endpoints.disconnect(facebookID: id, session), .disconnect)
        } catch {
            if error.reason != .notFound { throw error }
        }
    }

    private func status(_ user: User, _ id: String?) -> FacebookStatus {
        var user = user
        user.providers = id == nil ? [] : ["facebook"]
        return FacebookStatus(user: user, link: link(id))
    }

    private func link(_ id: String?) -> FacebookLink { id.map { .linked(id: $0) } ?? .none }
}
