import AuthModel
import JSON

/// Source: `Tests/Exchanges/allauth/answers.ndjson`, configuration `social`; allauth 65.21, `headless/socialaccount`.
extension AllauthBackend {
    var usesIdentityIDs: Bool { false }

    func identities(of session: Session) throws(BackendError) -> Reply<IdentityStatus> {
        try following(session) { session throws(BackendError) in
            let answer = try send(as: &session) { endpoints.currentUser($0, .currentUser) }
            guard var user = AllauthPayloads.user(answer.data) else { throw .namesNoUser(status: answer.status) }
            user.identities = try identities(of: &session)
            return IdentityStatus(user: user, hasPassword: AllauthPayloads.hasPassword(answer.data))
        }
    }

    /// An account can have several identities of a provider. A new identity does not replace an existing one.
    func link(_ credential: IdentityCredential, to session: Session) throws(BackendError) -> Reply<IdentityChange> {
        try following(session) { session throws(BackendError) in
            let earlier = try identities(of: &session)
            let clientID = try clientID(for: credential)
            let answer = try send(as: &session) {
                endpoints.identity(credential, clientID: clientID, $0)
            }
            guard var user = AllauthPayloads.user(answer.data) else { throw .namesNoUser(status: answer.status) }
            let new = Identity(provider: credential.provider.name, id: credential.id)
            // `try?`: the link has succeeded. The list is requested only to learn the identity's id.
            let now = (try? identities(of: &session)) ?? earlier.filter { $0 != new } + [new]
            user.identities = now
            let (before, after) = (earlier.link(to: credential.provider), now.link(to: credential.provider))
            // If the list contains no new id, the identity was linked before. Then only `credential.id` identifies it.
            let linked = after.ids.first { !before.ids.contains($0) } ?? credential.id
            return IdentityChange(
                before: before.startingWith(linked), after: after.startingWith(linked), user: user)
        }
    }

    func unlink(_ provider: IdentityProvider, from session: Session) throws(BackendError) -> Reply<IdentityChange> {
        try following(session) { session throws(BackendError) in
            var user = try currentUser(&session)
            let earlier = try identities(of: &session)
            for identity in earlier where identity.provider == provider.name {
                try ignoringMissing { () throws(BackendError) in
                    try send(as: &session) { endpoints.disconnect(identity, $0) }
                }
            }
            user.identities = earlier.filter { $0.provider != provider.name }
            return IdentityChange(before: earlier.link(to: provider), after: .none, user: user)
        }
    }

    func logIn(_ credential: IdentityCredential) throws(BackendError) -> Reply<LogInOutcome> {
        let (answer, isNew) = try answer(to: credential)
        // Without a signup of its own, the response does not show whether the account is new.
        return Reply(try outcome(of: answer, .logInWithIdentity, User()).created(isNew ? true : nil))
    }
}

extension AllauthBackend {
    /// Sends the identity and returns the response, which may be a 401 with pending steps, and whether it is that to a
    /// signup.
    private func answer(
        to credential: IdentityCredential
    ) throws(BackendError) -> (answer: AllauthResponse, isNew: Bool) {
        let answer = try send(
            endpoints.identity(credential, clientID: try clientID(for: credential), nil))
        guard answer.status == 401, answer.pending.contains(.providerSignUp), let session = answer.session else {
            return (answer, false)
        }
        return (try signUp(session.token), true)
    }

    /// Returns the client id to send. First checks that the site accepts tokens of the provider, and that allauth
    /// accepts this kind of token. allauth accepts access tokens only from Facebook.
    ///
    /// - Throws: `BackendError` `unsupported` if the site does not accept the provider or the proof.
    private func clientID(for credential: IdentityCredential) throws(BackendError) -> String? {
        try credential.require(
            credential.provider == .facebook ? [.idToken, .accessToken] : [.idToken], at: "the site")
        let providers = try site().providers.filter(\.takesTokens)
        guard let provider = providers.first(where: { $0.name == credential.provider.name }) else {
            let names = Set(providers.map { "'\($0.name)'" }).sorted()
            throw BackendError(
                .unsupported, "the site does not accept tokens of \(credential.provider.title)",
                next: names.isEmpty ? nil : NextStep("it accepts \(names.joined(separator: ", "))"))
        }
        return credential.clientID ?? provider.clientID
    }

    private func identities(of session: inout Session) throws(BackendError) -> [Identity] {
        AllauthPayloads.identities(try send(as: &session, endpoints.providers).data)
    }

    /// Confirms the provider's data for a new account. A site demands it if it has `SOCIALACCOUNT_AUTO_SIGNUP` off, or
    /// if the e-mail is missing or belongs to another account, which only the response tells.
    private func signUp(_ pending: Secret) throws(BackendError) -> AllauthResponse {
        let data = try send(endpoints.providerSignUp(pending)).data
        guard let email = data["email"]?.array?.first?["email"]?.filledText else {
            throw BackendError(.invalidFields, "the site requires an e-mail, and the provider supplies none")
        }
        return try send(
            endpoints.signUp(email, username: data["user"]?["username"]?.filledText, pending))
    }
}

/// Source: documentation of django-allauth, "Manage email addresses".
extension AllauthBackend: UserFilling, EmailChoosing {
    func otherVerifiedEmails(of session: Session) throws(BackendError) -> Reply<[String]> {
        try following(session) { session throws(BackendError) in
            AllauthPayloads.otherVerifiedEmails(try send(as: &session, endpoints.emails).data)
        }
    }

    /// Returns only an e-mail address, because allauth cannot change names.
    func emptyFieldValues(of user: User, from profile: IdentityProfile) -> [JSONObject] {
        guard user.email == nil, let email = profile.email else { return [] }
        return [["email": .string(email)]]
    }

    /// A new address is added to the account after the user follows the link in an e-mail. An address that the account
    /// already has becomes the primary address if it is verified; if not, the e-mail is sent again.
    func update(_ change: UserChange, of user: User, _ session: Session) throws(BackendError) -> Reply<User> {
        guard [UserChange(email: change.email), UserChange(unset: ["email"])].contains(change) else {
            throw BackendError(.unsupported, "the site has no request that changes more than the e-mail")
        }
        return try following(session) { session throws(BackendError) in
            if let email = change.email {
                try add(email, &session)
            } else if let email = user.email {
                try send(as: &session) { endpoints.removeEmail(email, $0) }
            }
            return try currentUser(&session)
        }
    }

    private func add(_ email: String, _ session: inout Session) throws(BackendError) {
        do throws(BackendError) {
            try send(as: &session) { endpoints.addEmail(email, $0) }
            return
        } catch {
            guard error.server?.code == "duplicate_email" else { throw error }
        }
        do throws(BackendError) {
            try send(as: &session) { endpoints.makePrimary(email, $0) }
        } catch {
            guard error.server?.code == "unverified_primary_email" else { throw error }
            try send(as: &session) { endpoints.sendVerification(email: email, $0) }
        }
    }
}
