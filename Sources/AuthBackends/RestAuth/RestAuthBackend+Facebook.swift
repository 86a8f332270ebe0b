import AuthModel
import JSON

/// Source: README of the recorded exchanges, section 2, "Facebook".
extension RestAuthBackend: FacebookLinking {
    var facebookTraits: FacebookTraits {
        FacebookTraits(needsID: false, takesIDTokens: false)
    }

    func facebookStatus(of session: Session) throws(AuthError) -> Reply<FacebookStatus> {
        let list = try send(endpoints.socialAccounts(session), .listIdentities)
        return Reply(
            status(
                try user(session, .currentUser), link(RestAuthPayloads.facebookAccounts(list)),
                hasOtherWayIn: RestAuthPayloads.hasOtherWayIn(list)))
    }

    /// An account can have several of these identities: one more takes the place of none.
    ///
    /// The answer is a log-in of whoever has the identity, and if that is somebody else nothing is linked. So it is only
    /// compared, never kept.
    func linkFacebook(
        _ identity: FacebookIdentity, to session: Session
    ) throws(AuthError) -> Reply<FacebookChange> {
        let token = try accessToken(identity)
        let user = try user(session, .currentUser)
        let earlier = try knownAccounts(of: session)
        let grant = try grant(endpoints.linkFacebook(token, session), .linkFacebook)
        let isOwn = isOwn(grant, user, session)
        endUnshared(grant)
        guard let isOwn else {
            throw AuthError(.brokenAnswer, "the response does not say which account the identity belongs to")
        }
        guard isOwn else {
            throw AuthError(.identityTaken, "the Facebook identity belongs to another account")
        }
        // `try?`: it is linked, whatever became of the second list.
        guard let earlier, let accounts = try? knownAccounts(of: session) else {
            let link = FacebookLink.linked(id: identity.id)
            return Reply(FacebookChange(before: .none, status: FacebookStatus(user: user, link: link)))
        }
        return Reply(try change(from: earlier, to: accounts, identity, user))
    }

    func unlinkFacebook(from session: Session) throws(AuthError) -> Reply<FacebookChange> {
        let user = try user(session, .currentUser)
        let accounts = try facebookAccounts(of: session)
        for account in accounts { try disconnect(account, session) }
        return Reply(FacebookChange(before: link(accounts), status: status(user, .none)))
    }

    func logIn(facebook identity: FacebookIdentity) throws(AuthError) -> Reply<NewSession> {
        let request = endpoints.logIn(facebook: try accessToken(identity))
        let grant = try grant(request, .logInWithFacebook)
        var logIn = try logIn(from: grant, User(), after: request)
        // A new account is answered as a known one.
        logIn.createdAccount = nil
        return Reply(logIn)
    }
}

extension RestAuthBackend {
    private func accessToken(_ identity: FacebookIdentity) throws(AuthError) -> Secret {
        switch identity.proof {
        case .accessToken(let token): token
        case .idToken: throw AuthError(.unsupported, "the site does not accept ID tokens (Facebook Limited Login)")
        }
    }

    private func facebookAccounts(of session: Session) throws(AuthError) -> [RestAuthPayloads.SocialAccount] {
        RestAuthPayloads.facebookAccounts(try send(endpoints.socialAccounts(session), .listIdentities))
    }

    /// `nil` where the site has no list: it may link all the same.
    private func knownAccounts(of session: Session) throws(AuthError) -> [RestAuthPayloads.SocialAccount]? {
        do throws(AuthError) {
            return try facebookAccounts(of: session)
        } catch {
            if error.reason == .unsupported { return nil }
            throw error
        }
    }

    /// Whether the answer to linking is a log-in of the same user: the same key, or the same id beside JWTs;
    /// `nil` if it does not say.
    private func isOwn(_ grant: RestAuthPayloads.Grant, _ user: User, _ session: Session) -> Bool? {
        guard case .session(let given, let owner) = grant else { return nil }
        if given.token == session.token { return true }
        guard given.isJWT else { return false }
        // Not from the token: what it says of itself proves nothing. `try?`: one's own session has not failed.
        let other = owner ?? (try? self.user(given, .currentUser))
        guard let otherID = other?.id, let id = user.id else { return nil }
        return otherID == id
    }

    private func change(
        from earlier: [RestAuthPayloads.SocialAccount], to accounts: [RestAuthPayloads.SocialAccount],
        _ identity: FacebookIdentity, _ user: User
    ) throws(AuthError) -> FacebookChange {
        guard !accounts.isEmpty else {
            throw AuthError(.brokenAnswer, "the server confirms the link, but does not list the identity")
        }
        // Without a new one it was linked before. Which of several it is, only its id tells.
        let linked = accounts.first { !earlier.contains($0) }?.uid ?? identity.id
        return FacebookChange(
            before: link(earlier).startingWith(linked), status: status(user, link(accounts).startingWith(linked)))
    }

    /// One that is gone meanwhile is as wanted.
    private func disconnect(_ account: RestAuthPayloads.SocialAccount, _ session: Session) throws(AuthError) {
        do throws(AuthError) {
            _ = try send(endpoints.disconnect(id: account.id, session), .unlinkFacebook)
        } catch {
            if error.reason == .notFound { return }
            guard error.reason == .serverFault else { throw error }
            throw error.suggesting(
                NextStep(
                    "some sites fail when the identity is the account's last authentication method: set a password first",
                    run: ["password", "reset", "ADDRESS"]))
        }
    }

    private func status(_ user: User, _ link: FacebookLink, hasOtherWayIn: Bool? = nil) -> FacebookStatus {
        var user = user
        if link != .none { user.providers = ["facebook"] }
        return FacebookStatus(user: user, link: link, hasOtherWayIn: hasOtherWayIn)
    }

    private func link(_ accounts: [RestAuthPayloads.SocialAccount]) -> FacebookLink {
        accounts.isEmpty ? .none : .linked(ids: accounts.compactMap(\.uid))
    }
}

/// Source: README of the recorded exchanges, section 2.
extension RestAuthBackend: UserFilling {
    /// Both names at once. An address cannot be changed here.
    func fillings(of user: User, from profile: FacebookProfile) -> [JSONObject] {
        var names = JSONObject()
        for (name, value) in [("first_name", profile.firstName), ("last_name", profile.lastName)] {
            // A site that does not show the field does not take it either.
            if let value, user.fields[name] == "" { names[name] = .string(value) }
        }
        return names.members.isEmpty ? [] : [names]
    }

    func fill(_ fields: JSONObject, of user: User, _ session: Session) throws(AuthError) -> Reply<User> {
        let answer = try send(endpoints.updateUser(fields, session), .updateUser)
        return Reply(RestAuthPayloads.user(answer.object ?? [:]))
    }
}
