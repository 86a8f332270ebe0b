import AuthModel
import JSON

/// Source: README of the recorded exchanges, section 3, "Facebook".
extension AllauthBackend: FacebookLinking {
    var facebookTraits: FacebookTraits {
        FacebookTraits(needsID: false, takesIDTokens: true)
    }

    func facebookStatus(of session: Session) throws(AuthError) -> Reply<FacebookStatus> {
        try following(session) { session throws(AuthError) in
            let answer = try send(.currentUser, as: &session, endpoints.currentUser)
            guard let user = AllauthPayloads.user(answer.data) else { throw .namesNoUser(status: answer.status) }
            let providers = try send(.listIdentities, as: &session, endpoints.providers).data
            return status(
                user, AllauthPayloads.facebookIDs(providers),
                hasOtherLoginMethod: AllauthPayloads.hasOtherLoginMethod(answer.data, providers))
        }
    }

    /// An account can have several Facebook identities. A new one does not replace another.
    func linkFacebook(
        _ identity: FacebookIdentity, to session: Session
    ) throws(AuthError) -> Reply<FacebookChange> {
        try following(session) { session throws(AuthError) in
            let earlier = try facebookIDs(of: &session)
            let appID = try facebookAppID()
            let answer = try send(.linkFacebook, as: &session) {
                endpoints.facebook(identity.proof, clientID: appID, process: .connect, $0)
            }
            guard let user = AllauthPayloads.user(answer.data) else { throw .namesNoUser(status: answer.status) }
            // `try?`: the identity is linked; the list only tells its id.
            let ids =
                (try? facebookIDs(of: &session))
                ?? earlier.filter { $0 != identity.id } + [identity.id].compactMap(\.self)
            // Without a new id, the identity was linked before; only `identity.id` tells which of several ids it has.
            let linked = ids.first { !earlier.contains($0) } ?? identity.id
            let (before, now) = (link(earlier).startingWith(linked), link(ids).startingWith(linked))
            return FacebookChange(before: before, status: status(user, now.ids))
        }
    }

    func unlinkFacebook(from session: Session) throws(AuthError) -> Reply<FacebookChange> {
        try following(session) { session throws(AuthError) in
            let user = try currentUser(&session)
            let ids = try facebookIDs(of: &session)
            for id in ids { try disconnect(id, &session) }
            return FacebookChange(before: link(ids), status: status(user, []))
        }
    }

    func logIn(facebook identity: FacebookIdentity) throws(AuthError) -> Reply<NewSession> {
        Reply(try logIn(from: try answer(to: identity)))
    }
}

extension AllauthBackend: FacebookSecondFactor {
    /// If the account has no second factor, the code is not sent.
    func logIn(facebook identity: FacebookIdentity, code: Secret) throws(AuthError) -> Reply<NewSession> {
        let first = try answer(to: identity)
        guard first.status == 401, first.pending.contains(.secondFactor), let pending = first.session else {
            return Reply(try logIn(from: first))
        }
        let second = try send(endpoints.authenticate(code: code, pending.token), .secondFactor)
        return Reply(try logIn(from: second, .secondFactor, User()))
    }
}

extension AllauthBackend {
    /// The response does not tell whether the account is new.
    private func logIn(from answer: AllauthResponse) throws(AuthError) -> NewSession {
        var logIn = try logIn(from: answer, .logInWithFacebook, User())
        logIn.createdAccount = nil
        return logIn
    }

    /// Sends the identity and returns the response, which may be a 401 with pending steps.
    private func answer(to identity: FacebookIdentity) throws(AuthError) -> AllauthResponse {
        let answer = try send(
            endpoints.facebook(identity.proof, clientID: try facebookAppID(), process: .login, nil), .logInWithFacebook)
        if answer.status == 401, answer.pending.contains(.providerSignUp) { throw try unfinished(answer) }
        return answer
    }

    private func facebookIDs(of session: inout Session) throws(AuthError) -> [String] {
        AllauthPayloads.facebookIDs(try send(.listIdentities, as: &session, endpoints.providers).data)
    }

    private func facebookAppID() throws(AuthError) -> String {
        if let id = try site().facebookAppID { return id }
        throw AuthError(.unsupported, "the site does not support Facebook login")
    }

    /// Facebook returned no address, or one that belongs to an account.
    private func unfinished(_ answer: AllauthResponse) throws(AuthError) -> AuthError {
        let signUp = try answer.session.map { session throws(AuthError) in
            try send(endpoints.providerSignUp(session.token), .listIdentities)
        }
        let hasAddress = !(signUp?.data["email"]?.array ?? []).isEmpty
        return hasAddress
            ? AuthError(.emailTaken, "another account has the e-mail from Facebook")
            : AuthError(
                .invalidFields, "the site requires an e-mail, and Facebook provides none")
    }

    /// An identity that was unlinked meanwhile is not an error.
    private func disconnect(_ id: String, _ session: inout Session) throws(AuthError) {
        do throws(AuthError) {
            _ = try send(.unlinkFacebook, as: &session) { endpoints.disconnect(facebookID: id, $0) }
        } catch {
            if error.reason != .notFound { throw error }
        }
    }

    private func status(_ user: User, _ ids: [String], hasOtherLoginMethod: Bool? = nil) -> FacebookStatus {
        var user = user
        user.providers = ids.isEmpty ? [] : ["facebook"]
        return FacebookStatus(user: user, link: link(ids), hasOtherLoginMethod: hasOtherLoginMethod)
    }

    private func link(_ ids: [String]) -> FacebookLink { ids.isEmpty ? .none : .linked(ids: ids) }
}

/// Source: documentation of django-allauth, "Manage email addresses".
extension AllauthBackend: UserFilling {
    /// Only an address, because allauth cannot change names.
    func emptyFieldValues(of user: User, from profile: FacebookProfile) -> [JSONObject] {
        guard user.email == nil, let email = profile.email else { return [] }
        return [["email": .string(email)]]
    }

    /// The address belongs to the account only after the user has followed the link in its e-mail.
    func fill(_ fields: JSONObject, of user: User, _ session: Session) throws(AuthError) -> Reply<User> {
        try following(session) { session throws(AuthError) in
            guard let email = fields["email"]?.string else { return user }
            do throws(AuthError) {
                _ = try send(.sendVerification, as: &session) { endpoints.addEmail(email, $0) }
            } catch {
                // The account has the address already, but it is not verified.
                guard error.server?.code == "duplicate_email" else { throw error }
            }
            return try currentUser(&session)
        }
    }
}
