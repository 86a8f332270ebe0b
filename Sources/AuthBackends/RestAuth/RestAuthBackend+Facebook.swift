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
                hasOtherLoginMethod: RestAuthPayloads.hasOtherLoginMethod(list)))
    }

    /// An account can have several Facebook identities. A new one does not replace another.
    ///
    /// The response is a login of the user whom the identity is linked to. If that is another user, nothing is linked.
    /// So the new session is only compared, never saved.
    func linkFacebook(
        _ identity: FacebookIdentity, to session: Session
    ) throws(AuthError) -> Reply<FacebookChange> {
        let token = try identity.accessToken(at: "the site")
        let user = try user(session, .currentUser)
        let earlier = try knownAccounts(of: session)
        let grant = try grant(endpoints.linkFacebook(token, session), .linkFacebook)
        let isOwn = isOwn(grant, user, session)
        revokeUnshared(grant)
        guard let isOwn else {
            throw AuthError(.brokenAnswer, "the response does not say which account the identity belongs to")
        }
        guard isOwn else {
            throw AuthError(.identityTaken, "the Facebook identity belongs to another account")
        }
        // `try?`: the identity is linked even if the second list fails.
        guard let earlier, let accounts = try? knownAccounts(of: session) else {
            let link = FacebookLink.linked(id: identity.id)
            return Reply(FacebookChange(before: .unknown, status: FacebookStatus(user: user, link: link)))
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
        let grant = try grant(endpoints.logIn(facebook: try identity.accessToken(at: "the site")), .logInWithFacebook)
        var logIn = try logIn(from: grant, User())
        // The response does not tell whether the account is new.
        logIn.createdAccount = nil
        return Reply(logIn)
    }
}

extension RestAuthBackend {
    private func facebookAccounts(of session: Session) throws(AuthError) -> [RestAuthPayloads.SocialAccount] {
        RestAuthPayloads.facebookAccounts(try send(endpoints.socialAccounts(session), .listIdentities))
    }

    /// `nil` if the site has no list; it may support linking anyway.
    private func knownAccounts(of session: Session) throws(AuthError) -> [RestAuthPayloads.SocialAccount]? {
        do throws(AuthError) {
            return try facebookAccounts(of: session)
        } catch {
            if error.reason == .unsupported { return nil }
            throw error
        }
    }

    /// Whether the response to linking is a login of the same user: it has the same key, or the JWT's user has the same
    /// id. `nil` if that cannot be determined.
    private func isOwn(_ grant: RestAuthPayloads.Grant, _ user: User, _ session: Session) -> Bool? {
        guard case .session(let given, let owner) = grant else { return nil }
        if given.token == session.token { return true }
        guard given.isJWT else { return false }
        // The JWT's own claims are not verified, so the user is requested. `try?`: the current session is not affected.
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
        // Without a new identity, it was linked before. With several ones, only `identity.id` tells which one it is.
        let linked = accounts.first { !earlier.contains($0) }?.uid ?? identity.id
        return FacebookChange(
            before: link(earlier).startingWith(linked), status: status(user, link(accounts).startingWith(linked)))
    }

    /// An identity that was unlinked meanwhile is not an error.
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

    private func status(_ user: User, _ link: FacebookLink, hasOtherLoginMethod: Bool? = nil) -> FacebookStatus {
        var user = user
        if link != .none { user.providers = ["facebook"] }
        return FacebookStatus(user: user, link: link, hasOtherLoginMethod: hasOtherLoginMethod)
    }

    private func link(_ accounts: [RestAuthPayloads.SocialAccount]) -> FacebookLink {
        accounts.isEmpty ? .none : .linked(ids: accounts.compactMap(\.uid))
    }
}

/// Source: README of the recorded exchanges, section 2.
extension RestAuthBackend: UserFilling {
    /// Both names in one change. The API cannot change the address.
    func emptyFieldValues(of user: User, from profile: FacebookProfile) -> [JSONObject] {
        var names = JSONObject()
        for (name, value) in [("first_name", profile.firstName), ("last_name", profile.lastName)] {
            // A site that does not return the field does not accept it either.
            if let value, user.fields[name] == "" { names[name] = .string(value) }
        }
        return names.members.isEmpty ? [] : [names]
    }

    func fill(_ fields: JSONObject, of user: User, _ session: Session) throws(AuthError) -> Reply<User> {
        let answer = try send(endpoints.updateUser(fields, session), .updateUser)
        return Reply(RestAuthPayloads.user(answer.object ?? [:]))
    }
}
