import AuthModel
import JSON
import Transport

/// Source: `Tests/Exchanges/parse/answers.ndjson`.
extension ParseBackend {
    var usesIdentityIDs: Bool { true }

    func identities(of session: Session) throws(BackendError) -> Reply<IdentityStatus> {
        Reply(IdentityStatus(user: user(try send(endpoints.currentUser(session)))))
    }

    /// An identity that is already linked is sent again, because the server saves the newer provider token.
    func link(_ credential: IdentityCredential, to session: Session) throws(BackendError) -> Reply<IdentityChange> {
        let authData = try authData(credential)
        return try change(
            credential.provider, to: .linked(id: authData["id"]?.identifier), of: session
        ) { endpoints.link(credential.provider, authData, id: $0, session) }
    }

    /// Sends the request even if no identity seems to be linked, because some servers do not report identities. The
    /// exception is a provider that the embedded server does not support.
    func unlink(_ provider: IdentityProvider, from session: Session) throws(BackendError) -> Reply<IdentityChange> {
        try change(provider, to: .none, of: session) {
            endpoints.link(provider, .null, id: $0, session)
        }
    }

    func logIn(_ credential: IdentityCredential) throws(BackendError) -> Reply<LogInOutcome> {
        Reply(try LogInOutcome(try newSession(credential)))
    }

    private func newSession(_ credential: IdentityCredential) throws(BackendError) -> NewSession {
        let authData = try authData(credential)
        let (status, payload) = try explainingProof { () throws(BackendError) in
            try answer(to: endpoints.logIn(credential.provider, authData))
        }
        guard status == 201 else { return try logIn(from: payload) }
        let token = try token(in: payload)
        let identity = Identity(provider: credential.provider.name, id: authData["id"]?.identifier)
        let user = newUser(of: identity, payload)
        return NewSession(user: user, session: session(token), createdAccount: true)
    }

    /// Requests the user first, because the update requires the user's id and the result contains the previous link.
    private func change(
        _ provider: IdentityProvider, to link: IdentityLink, of session: Session,
        _ call: (_ id: String) -> Call
    ) throws(BackendError) -> Reply<IdentityChange> {
        let earlier = try identities(of: session).value
        guard let id = earlier.user.id else { throw .namesNoUser() }
        // The embedded server supports only Facebook and rejects other provider names.
        if link == .none, earlier.link(to: provider) == .none, isEmbedded, provider != .facebook {
            return Reply(IdentityChange(before: .none, after: .none, user: earlier.user))
        }
        let payload = try explainingProof { () throws(BackendError) in try send(call(id)) }
        let replacement = ParsePayloads.token(payload, masker).map(self.session)
        var (before, after, user) = (earlier.link(to: provider), link, earlier.user)
        if link != .none, before == .unknown || link.ids.isEmpty,
            // `try?`: the identity is linked, even if its id or the previous state stays unknown.
            let now = try? identities(of: replacement ?? session).value, now.link(to: provider) != .unknown
        {
            // The server now reports identities, so it omitted them before because none was linked.
            if before == .unknown { before = .none }
            (after, user) = (now.link(to: provider), now.user)
        } else {
            let new = link == .none ? [] : [Identity(provider: provider.name, id: link.id)]
            let others = user.identities?.filter { $0.provider != provider.name }
            user.identities = others.map { $0 + new } ?? (new.isEmpty ? nil : new)
        }
        return Reply(IdentityChange(before: before, after: after, user: user), replacement: replacement)
    }

    private func explainingProof<Answer>(_ send: () throws(BackendError) -> Answer) throws(BackendError) -> Answer {
        do throws(BackendError) {
            return try send()
        } catch {
            // Error code 206 means that the session or the proof is invalid. A login sends no session, and before a
            // link, the server accepted the session in the request for the user. So the proof is invalid.
            guard error.server?.code == .integer(206) else { throw error }
            throw BackendError(
                .tokenRefused, "the server rejects the proof of the identity", nextSteps: [.newProof],
                server: error.server)
        }
    }
}

/// Builds a provider's member of `authData`.
///
/// Source: Parse Server 7.4, `src/Adapters/Auth`; for authorization codes, Parse Server 8, `BaseCodeAuthAdapter.js`.
extension ParseBackend {
    private func authData(_ credential: IdentityCredential) throws(BackendError) -> JSONValue {
        try requireProof(of: credential)
        var object = JSONObject()
        switch credential.proof {
        case .authData(let text):
            // `try?`: the text is valid JSON, because it was parsed when authctl read it.
            return (try? JSONValue(parsing: Array(text.reveal().utf8))) ?? .object(object)
        case .code(let code, let redirectURI, nil):
            object["id"] = credential.id.map(JSONValue.string)
            object["code"] = .string(code.reveal())
            object["redirect_uri"] = redirectURI.map(JSONValue.string)
        case .code: throw .takesNoVerifier
        case .tokens(let idToken, let accessToken):
            guard let id = credential.id else {
                throw BackendError(
                    .usage, "a Parse server requires the id of the \(credential.provider.title) user with the token",
                    next: "add --identity-id ID")
            }
            // Parse Server's GitHub adapter compares ids as numbers.
            object["id"] =
                credential.provider == .github ? Int64(id).map(JSONValue.integer) ?? .string(id) : .string(id)
            object[idTokenName(of: credential.provider)] = idToken.map { .string($0.reveal()) }
            object["access_token"] = accessToken.map { .string($0.reveal()) }
        }
        return .object(object)
    }

    private func idTokenName(of provider: IdentityProvider) -> String {
        provider == .apple || provider == .facebook ? "token" : "id_token"
    }

    private func requireProof(of credential: IdentityCredential) throws(BackendError) {
        if isEmbedded {
            guard credential.provider == .facebook else {
                throw BackendError(
                    .unsupported, "local accounts accept only Facebook identities",
                    next: NextStep(
                        "to test with other providers, sign up and link in the shell of a test server",
                        run: ["serve", "--ephemeral", "--test-identities", "--", "sh"]))
            }
            try credential.require([.accessToken], at: "the local account server")
        }
        if credential.provider == .apple { try credential.require([.idToken, .authData], at: "Parse Server") }
    }
}

/// Source: Parse REST guide, "Updating Users".
extension ParseBackend: UserFilling {
    /// Returns a separate change for each field, so that a taken e-mail does not prevent setting the name. `name` is a
    /// common application field, not a field of Parse.
    func emptyFieldValues(of user: User, from profile: IdentityProfile) -> [JSONObject] {
        var emptyFieldValues: [JSONObject] = []
        if user.email?.isEmpty ?? true, let email = profile.email { emptyFieldValues.append(["email": .string(email)]) }
        if [nil, .null, ""].contains(user.fields["name"]), let name = profile.name {
            emptyFieldValues.append(["name": .string(name)])
        }
        return emptyFieldValues
    }
}
