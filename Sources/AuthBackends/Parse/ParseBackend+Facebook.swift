import AuthModel
import JSON

/// Source: README of the recorded exchanges, section 6.
extension ParseBackend: FacebookLinking {
    var facebookTraits: FacebookTraits {
        FacebookTraits(needsID: true, takesIDTokens: traits.takesIDTokens)
    }

    func facebookStatus(of session: Session) throws(AuthError) -> Reply<FacebookStatus> {
        let payload = try send(endpoints.currentUser(session), .session)
        return Reply(
            FacebookStatus(
                user: ParsePayloads.user(payload).withoutTokens(of: session), link: ParsePayloads.facebookLink(payload),
                hasOtherWayIn: ParsePayloads.hasOtherWayIn(payload)))
    }

    /// The same identity is sent again, too: the server keeps its newer token.
    func linkFacebook(
        _ identity: FacebookIdentity, to session: Session
    ) throws(AuthError) -> Reply<FacebookChange> {
        let authData = try authData(identity)
        return try changeFacebook(authData, to: .linked(id: identity.id), .identity, of: session)
    }

    /// Sent also where nothing seems to be linked: not every server shows it.
    func unlinkFacebook(from session: Session) throws(AuthError) -> Reply<FacebookChange> {
        try changeFacebook(.null, to: .none, .update, of: session)
    }

    func logIn(facebook identity: FacebookIdentity) throws(AuthError) -> Reply<NewSession> {
        let request = endpoints.logIn(facebook: try authData(identity))
        let (status, payload) = try explainingFacebook { () throws(AuthError) in try answer(to: request, .identity) }
        guard status == 201 else { return Reply(try logIn(from: payload)) }
        let token = try token(in: payload)
        let user = namedUser(token) ?? ParsePayloads.user(payload, of: "facebook")
        return Reply(NewSession(user: user, session: session(token), createdAccount: true))
    }

    /// The user's id is asked for, since a session from elsewhere comes without one, and with it what is linked so far.
    private func changeFacebook(
        _ authData: JSONValue, to link: FacebookLink, _ call: ParseErrors.Call, of session: Session
    ) throws(AuthError) -> Reply<FacebookChange> {
        let earlier = try facebookStatus(of: session).value
        guard let id = earlier.user.id else {
            throw AuthError(.brokenAnswer, "the server's answer names no user")
        }
        let request = endpoints.updateUser(id: id, ["authData": ["facebook": authData]], session)
        let payload = try explainingFacebook { () throws(AuthError) in try send(request, call) }
        let change = FacebookChange(
            before: earlier.link, status: FacebookStatus(user: earlier.user.linkedWithFacebook(link), link: link))
        return Reply(change, replacement: ParsePayloads.token(payload).map { self.session($0) })
    }

    private func authData(_ identity: FacebookIdentity) throws(AuthError) -> JSONValue {
        guard let id = identity.id else {
            throw AuthError(
                .usage, "a Parse server needs the id of the Facebook user beside the token",
                hint: "give it with --facebook-id ID")
        }
        return switch identity.proof {
        case .accessToken(let token): ["id": .string(id), "access_token": .string(token.reveal())]
        case .idToken(let token): ["id": .string(id), "token": .string(token.reveal())]
        }
    }

    private func explainingFacebook<Answer>(
        _ send: () throws(AuthError) -> Answer
    ) throws(AuthError) -> Answer {
        do throws(AuthError) {
            return try send()
        } catch {
            var error = error
            // Said of a session and of a token; but the session was accepted just before.
            if error.server?.code == .integer(206) { error.reason = .tokenRefused }
            switch error.reason {
            case .tokenRefused:
                error.message = "the server does not accept the Facebook token for this id"
                error.hint = "is it of the Facebook app that the server knows, and of this Facebook user?"
            case .identityTaken: error.message = "that Facebook identity belongs to another account"
            case .unsupported: error.message = "the server does not take Facebook identities"
            default: break
            }
            throw error
        }
    }
}

extension User {
    /// The same user as known after a change of the link.
    fileprivate func linkedWithFacebook(_ link: FacebookLink) -> User {
        var user = self
        let others = (providers ?? []).filter { $0 != "facebook" }
        user.providers = link == .none ? others : others + ["facebook"]
        return user
    }
}
