import AuthModel
import JSON
import Transport

/// Source: README of the recorded exchanges, section 6.
extension ParseBackend: FacebookLinking {
    var facebookTraits: FacebookTraits {
        FacebookTraits(needsID: true, takesIDTokens: traits.takesIDTokens)
    }

    func facebookStatus(of session: Session) throws(AuthError) -> Reply<FacebookStatus> {
        Reply(facebookStatus(try send(endpoints.currentUser(session), .currentUser)))
    }

    private func facebookStatus(_ payload: JSONObject) -> FacebookStatus {
        let link = ParsePayloads.facebookLink(payload)
        return FacebookStatus(
            user: user(payload), link: link == .unknown && traits.omitsOnlyEmpty ? .none : link,
            hasOtherLoginMethod: ParsePayloads.hasOtherLoginMethod(payload))
    }

    /// An identity that is linked already is sent again, because the server saves its newer token.
    func linkFacebook(
        _ identity: FacebookIdentity, to session: Session
    ) throws(AuthError) -> Reply<FacebookChange> {
        let authData = try authData(identity)
        return try changeFacebook(to: .linked(id: identity.id), .linkFacebook, of: session) {
            endpoints.linkFacebook(authData, id: $0, session)
        }
    }

    /// Sent even if no identity seems linked, because some servers do not report it.
    func unlinkFacebook(from session: Session) throws(AuthError) -> Reply<FacebookChange> {
        try changeFacebook(to: .none, .unlinkFacebook, of: session) { endpoints.unlinkFacebook(id: $0, session) }
    }

    func logIn(facebook identity: FacebookIdentity) throws(AuthError) -> Reply<NewSession> {
        let request = endpoints.logIn(facebook: try authData(identity))
        let (status, payload) = try explainingFacebook { () throws(AuthError) in
            try answer(to: request, .logInWithFacebook)
        }
        guard status == 201 else { return Reply(try logIn(from: payload)) }
        let token = try token(in: payload)
        let user = newUser(of: "facebook", payload, token)
        return Reply(NewSession(user: user, session: session(token), createdAccount: true))
    }

    /// Requests the user first: a session from elsewhere has no user id, and the previous link must be known.
    private func changeFacebook(
        to link: FacebookLink, _ operation: Operation, of session: Session,
        _ request: (_ id: String) -> HTTPRequest
    ) throws(AuthError) -> Reply<FacebookChange> {
        let earlier = try facebookStatus(of: session).value
        guard let id = earlier.user.id else {
            throw .namesNoUser()
        }
        let payload = try explainingFacebook { () throws(AuthError) in try send(request(id), operation) }
        let replacement = ParsePayloads.token(payload, masker).map(self.session)
        var before = earlier.link
        if before == .unknown, link != .none, reportsLink(replacement ?? session) { before = .none }
        let status = FacebookStatus(user: earlier.user.linkedWithFacebook(link), link: link)
        return Reply(FacebookChange(before: before, status: status), replacement: replacement)
    }

    /// Whether the server reports the identity that is linked now. If so, none was linked when it reported none.
    private func reportsLink(_ session: Session) -> Bool {
        // `try?`: the identity is linked, even if the previous state stays unknown.
        let payload = try? send(endpoints.currentUser(session), .currentUser)
        return payload.map(ParsePayloads.facebookLink).map { $0 != .unknown } ?? false
    }

    private func authData(_ identity: FacebookIdentity) throws(AuthError) -> JSONValue {
        guard let id = identity.id else {
            throw AuthError(
                .usage, "a Parse server requires the id of the Facebook user with the token",
                next: "add --facebook-id ID")
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
            // 206 concerns a session or a token, but the session was accepted just before.
            guard error.server?.code == .integer(206) else { throw error }
            throw AuthError(
                .tokenRefused, "the server rejects the Facebook token for this id",
                next: "use a token of this Facebook user and of the server's Facebook app",
                server: error.server)
        }
    }
}

extension User {
    fileprivate func linkedWithFacebook(_ link: FacebookLink) -> User {
        var user = self
        let others = providers?.filter { $0 != "facebook" }
        user.providers = link == .none ? others : (others ?? []) + ["facebook"]
        return user
    }
}

/// Source: Parse REST guide, "Updating Users".
extension ParseBackend: UserFilling {
    /// Each field is a separate change, so that a taken e-mail does not prevent setting the name. `name` is a common
    /// field of apps, not one of Parse.
    func emptyFieldValues(of user: User, from profile: FacebookProfile) -> [JSONObject] {
        var emptyFieldValues: [JSONObject] = []
        if user.email?.isEmpty ?? true, let email = profile.email { emptyFieldValues.append(["email": .string(email)]) }
        if [nil, .null, ""].contains(user.fields["name"]), let name = profile.name {
            emptyFieldValues.append(["name": .string(name)])
        }
        return emptyFieldValues
    }

    /// The response contains only the time, so the rest is taken from the request.
    func fill(_ fields: JSONObject, of user: User, _ session: Session) throws(AuthError) -> Reply<User> {
        guard let id = user.id else { throw .namesNoUser() }
        let payload = try send(endpoints.updateUser(id: id, fields, session), .updateUser)
        var user = user
        for field in fields.members where field.name != "email" { user.fields[field.name] = field.value }
        if let email = fields["email"]?.string {
            user.email = email
            user.emailVerified = nil
        }
        return Reply(user, replacement: ParsePayloads.token(payload, masker).map(self.session))
    }
}
