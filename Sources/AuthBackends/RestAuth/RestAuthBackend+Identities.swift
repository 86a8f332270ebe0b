import AuthModel
import JSON

/// Source: `Tests/Exchanges/rest-auth/answers.ndjson`, configuration `facebook`.
extension RestAuthBackend {
    var usesIdentityIDs: Bool { false }

    func identities(of session: Session) throws(BackendError) -> Reply<IdentityStatus> {
        let accounts = try accounts(of: session)
        return Reply(IdentityStatus(user: try user(session, .currentUser).linked(to: accounts)))
    }

    /// An account can have several identities of a provider. A new identity does not replace an existing one.
    ///
    /// The response contains a session of the user who owns the identity. If the owner is not the user of `session`,
    /// nothing was linked. The new session is used only to compare the users, and is never saved.
    func link(_ credential: IdentityCredential, to session: Session) throws(BackendError) -> Reply<IdentityChange> {
        let proof = try fields(credential)
        let user = try user(session, .currentUser)
        let earlier = try knownAccounts(of: session)
        let grant = try grant(credential, proof, session)
        let isOwn = isOwn(grant, user, session)
        revokeUnshared(grant)
        guard let isOwn else {
            throw BackendError(.invalidResponse, "the response does not say which account the identity belongs to")
        }
        guard isOwn else { throw BackendError(.identityTaken, "the identity belongs to another account") }
        // `try?`: the identity is already linked, even if authctl cannot list the identities.
        guard let earlier, let accounts = try? knownAccounts(of: session) else {
            return Reply(IdentityChange(before: .unknown, after: .linked(id: credential.id), user: user))
        }
        return Reply(try change(from: earlier, to: accounts, credential, user))
    }

    func unlink(_ provider: IdentityProvider, from session: Session) throws(BackendError) -> Reply<IdentityChange> {
        let user = try user(session, .currentUser)
        let accounts = try accounts(of: session)
        let unwanted = accounts.filter { $0.identity.provider == provider.name }
        for account in unwanted {
            try ignoringMissing { () throws(BackendError) in try send(endpoints.disconnect(id: account.id, session)) }
        }
        let others = accounts.filter { $0.identity.provider != provider.name }
        return Reply(
            IdentityChange(
                before: unwanted.map(\.identity).link(to: provider), after: .none, user: user.linked(to: others)))
    }

    func logIn(_ credential: IdentityCredential) throws(BackendError) -> Reply<LogInOutcome> {
        // The response does not show whether the account is new.
        Reply(try LogInOutcome(try newSession(credential)).created(nil))
    }

    private func newSession(_ credential: IdentityCredential) throws(BackendError) -> NewSession {
        try logIn(from: try grant(credential, try fields(credential)), User())
    }
}

extension RestAuthBackend {
    /// Returns the members that `SocialLoginSerializer` reads. The site ignores an ID token without an access token.
    ///
    /// The view for Apple fails with 500 if the ID token is missing. Source: dj-rest-auth 7.2,
    /// `registration/serializers.py`; allauth 65.21, `providers/apple/views.py`.
    private func fields(_ credential: IdentityCredential) throws(BackendError) -> JSONObject {
        try credential.require([.accessToken, .idToken, .code], at: "the site")
        switch credential.proof {
        // The view for Google verifies the ID token, if there is one, but requires the other member.
        case .tokens(let idToken?, nil) where credential.provider == .google:
            return ["access_token": .string(idToken.reveal()), "id_token": .string(idToken.reveal())]
        case .tokens(let idToken, let accessToken?):
            guard credential.provider != .apple || idToken != nil else { throw .requiresBothTokens(credential) }
            var fields: JSONObject = ["access_token": .string(accessToken.reveal())]
            fields["id_token"] = idToken.map { .string($0.reveal()) }
            return fields
        case .code(_, _, _?): throw .takesNoVerifier
        case .code(let code, nil, nil): return ["code": .string(code.reveal())]
        case .code:
            throw BackendError(
                .unsupported, "the site sets the redirect URI itself", next: "remove --redirect-uri")
        default: throw .requiresBothTokens(credential)
        }
    }

    private func grant(
        _ credential: IdentityCredential, _ proof: JSONObject, _ session: Session? = nil
    ) throws(BackendError) -> RestAuthPayloads.Grant {
        do throws(BackendError) {
            return try grant(endpoints.social(credential.provider, proof, session))
        } catch {
            var error = error
            if RestAuthErrors.meansMissingView(error.reason, status: error.server?.status) {
                let view: RestAuthView = session != nil ? .socialConnect : .socialLogin
                error.nextSteps = [.setPath("\(view.rawValue).\(credential.provider.name)")]
            }
            throw error
        }
    }

    private func accounts(of session: Session) throws(BackendError) -> [RestAuthPayloads.SocialAccount] {
        RestAuthPayloads.socialAccounts(try send(endpoints.socialAccounts(session)))
    }

    /// `nil` if the site cannot list identities. Such a site may still support linking.
    private func knownAccounts(of session: Session) throws(BackendError) -> [RestAuthPayloads.SocialAccount]? {
        do throws(BackendError) {
            return try accounts(of: session)
        } catch {
            if error.reason == .unsupported { return nil }
            throw error
        }
    }

    /// Whether the response to a link request contains a session of `user`: the same token, or a JWT of a user with the
    /// same id. `nil` if this cannot be determined.
    private func isOwn(_ grant: RestAuthPayloads.Grant, _ user: User, _ session: Session) -> Bool? {
        guard case .session(let given, let owner) = grant else { return nil }
        if given.token == session.token { return true }
        guard given.isJWT else { return false }
        // Request the user, because the JWT's claims are not verified. `try?`: without a user, the result is `nil`.
        let other = owner ?? (try? self.user(given, .currentUser))
        guard let otherID = other?.id, let id = user.id else { return nil }
        return otherID == id
    }

    private func change(
        from earlier: [RestAuthPayloads.SocialAccount], to accounts: [RestAuthPayloads.SocialAccount],
        _ credential: IdentityCredential, _ user: User
    ) throws(BackendError) -> IdentityChange {
        let provider = credential.provider
        let own = accounts.filter { $0.identity.provider == provider.name }
        guard !own.isEmpty else {
            throw BackendError(.invalidResponse, "the server confirms the link, but does not list the identity")
        }
        // If the list contains no new identity, the identity was already linked, and `credential` may contain its id.
        let linked = own.first { !earlier.contains($0) }?.identity.id ?? credential.id
        return IdentityChange(
            before: earlier.map(\.identity).link(to: provider).startingWith(linked),
            after: own.map(\.identity).link(to: provider).startingWith(linked), user: user.linked(to: accounts))
    }
}

extension User {
    fileprivate func linked(to accounts: [RestAuthPayloads.SocialAccount]) -> User {
        var user = self
        user.identities = accounts.map(\.identity)
        return user
    }
}

extension BackendError {
    fileprivate static func requiresBothTokens(_ credential: IdentityCredential) -> BackendError {
        BackendError(
            .unsupported,
            "the site accepts an access token\(credential.provider == .apple ? " with an ID token" : ""), or a code",
            next: "use --token-file FILE and --id-token-file FILE")
    }
}

/// Source: `Tests/Exchanges/rest-auth/answers.ndjson`.
extension RestAuthBackend: UserFilling {
    /// Returns one change for first and last name, but none for the e-mail address, which the API cannot change.
    func emptyFieldValues(of user: User, from profile: IdentityProfile) -> [JSONObject] {
        var names = JSONObject()
        for (name, value) in [("first_name", profile.firstName), ("last_name", profile.lastName)] {
            // A site that does not return the field does not accept a value for it.
            if let value, user.fields[name] == "" { names[name] = .string(value) }
        }
        return names.members.isEmpty ? [] : [names]
    }

    var showsAllFields: Bool { true }

    /// The site silently ignores unknown fields, so they are rejected before the request. By default, it also ignores
    /// an e-mail, which is sent first and alone, so that an unsupported update changes nothing. An unchanged username
    /// is omitted, because dj-rest-auth rejects it as taken (exchange `none/user-put`).
    func update(_ change: UserChange, of user: User, _ session: Session) throws(BackendError) -> Reply<User> {
        let unsupported = BackendError(.unsupported, "the site has no request that changes the e-mail")
        guard !change.unset.contains("email") else { throw unsupported }
        var fields = change.fields
        for name in change.unset { fields[name] = user.fields[name]?.string == nil ? .null : "" }
        // A site that nests the user may take fields that it does not show.
        if user.fields["user"] == nil, let name = fields.names.first(where: { user.fields[$0] == nil }) {
            throw BackendError(
                .invalidFields, "the site has no field '\(name)'", fields: [FieldFault(name, "is unknown to the site")])
        }
        if change.username != user.username { fields["username"] = change.username.map(JSONValue.string) }
        if let email = change.email {
            let answer = try send(endpoints.updateUser(["email": .string(email)], session))
            let updated = RestAuthPayloads.user(answer.object ?? [:])
            if let shown = updated.email, shown.lowercased() != email.lowercased() { throw unsupported }
            if fields.isEmpty { return Reply(updated) }
        }
        let answer = try send(endpoints.updateUser(fields, session))
        return Reply(RestAuthPayloads.user(answer.object ?? [:]))
    }
}
