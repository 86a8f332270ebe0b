package import AuthModel
package import JSON
package import Transport

/// A backend that can answer every call from a script. Its conformances decide which abilities the client sees.
package protocol ScriptedBackend: Backend {
    var script: Script { get }
    var usesIdentityIDs: Bool { get }
}

extension ScriptedBackend {
    package var usesIdentityIDs: Bool { false }
}

/// A backend with most abilities.
package struct FakeBackend: ScriptedBackend, SessionListing, AnonymousLogin, Administering, SessionRefreshing,
    UserFilling, AccountDeleting
{
    package let script: Script
    package let usesIdentityIDs: Bool

    package init(_ steps: [Step] = [], journal: Journal = Journal(), usesIdentityIDs: Bool = false) {
        script = Script(steps, journal)
        self.usesIdentityIDs = usesIdentityIDs
    }
}

/// A backend whose server publishes which kinds of login and signup it accepts, and may require a recent proof of the
/// password.
package struct WaitingBackend: ScriptedBackend, SiteDescribing, PasswordProving, AccountDeleting {
    package let script: Script
    package let usesIdentityIDs: Bool

    package init(_ backend: FakeBackend) {
        script = backend.script
        usesIdentityIDs = backend.usesIdentityIDs
    }

    package func prove(_ password: Secret, of user: User, _ session: Session) throws(BackendError) -> Reply<Void> {
        try script.reply(Step.prove, "prove \(user.username ?? "")", session)
    }
}

/// A backend with one session for all devices of an account. It refreshes the session, but cannot list sessions.
package struct SharingBackend: ScriptedBackend, SessionSharing, SessionRefreshing {
    package let script: Script

    package init(_ backend: FakeBackend) {
        script = backend.script
    }

    package func isShared(_ session: Session) -> Bool { true }
}

/// A backend without optional abilities.
package struct PlainBackend: ScriptedBackend {
    package let script: Script

    package init(_ backend: FakeBackend) {
        script = backend.script
    }
}

// MARK: - Calls

extension Step {
    package static let sendVerification = Call<Bool>("sendVerification")
    package static let verify = Call<Verification>("verify")
    package static let signUp = Call<SignUpOutcome>("signUp")
    package static let logIn = Call<LogInOutcome>("logIn")
    package static let logInToken = Call<NewSession>("logInToken")
    package static let logOut = Call<Revocation>("logOut")
    package static let currentUser = Call<User>("currentUser")
    package static let sessions = Call<[SessionSummary]>("sessions")
    package static let endSession = Call<Void>("endSession")
    package static let logInAnonymously = Call<NewSession>("logInAnonymously")
    package static let changePassword = Call<Pending?>("changePassword")
    package static let prove = Call<Void>("prove")
    package static let resetPassword = Call<Secret?>("resetPassword")
    package static let finishReset = Call<LogInOutcome?>("finishReset")
    package static let logInAs = Call<NewSession>("logInAs")
    package static let identities = Call<IdentityStatus>("identities")
    package static let link = Call<IdentityChange>("link")
    package static let unlink = Call<IdentityChange>("unlink")
    package static let logInIdentity = Call<LogInOutcome>("logInIdentity")
    package static let resume = Call<LogInOutcome>("resume")
    package static let update = Call<User>("update")
    package static let deleteAccount = Call<Void>("deleteAccount")
    package static let refresh = Call<Session>("refresh")
    package static let site = Call<SiteTraits>("site")
    package static let request = Call<RequestAnswer>("request")
}

extension ScriptedBackend {
    package func signUp(_ account: NewAccount) throws(BackendError) -> Reply<SignUpOutcome> {
        try script.reply(Step.signUp, "signUp \(account.username ?? account.email ?? "")")
    }

    package func logIn(_ credentials: Credentials, code: Secret?) throws(BackendError) -> Reply<LogInOutcome> {
        try script.reply(Step.logIn, "logIn \(credentials.login)\(code.map { " with code \($0.reveal())" } ?? "")")
    }

    package func logIn(token: Secret) throws(BackendError) -> Reply<NewSession> {
        try script.reply(Step.logInToken, "logIn with \(token.reveal())")
    }

    package func logOut(_ session: Session) throws(BackendError) -> Reply<Revocation> {
        try script.reply(Step.logOut, "logOut", session)
    }

    package func currentUser(_ session: Session) throws(BackendError) -> Reply<User> {
        try script.reply(Step.currentUser, "currentUser", session)
    }

    package func sessions(of session: Session) throws(BackendError) -> Reply<[SessionSummary]> {
        try script.reply(Step.sessions, "sessions", session)
    }

    package func endSession(id: String, of session: Session) throws(BackendError) -> Reply<Void> {
        try script.reply(Step.endSession, "endSession \(id)", session)
    }

    package func logInAnonymously(identity: String) throws(BackendError) -> Reply<NewSession> {
        try script.reply(Step.logInAnonymously, "logInAnonymously \(identity)")
    }

    package func changePassword(
        _ change: PasswordChange, of session: Session
    ) throws(BackendError) -> Reply<Pending?> {
        let current = try change.requiredCurrent().reveal()
        return try script.reply(
            Step.changePassword, "changePassword '\(current)' '\(change.new.reveal())'", session)
    }

    package func resetPassword(email: String) throws(BackendError) -> Secret? {
        try script.reply(Step.resetPassword, "resetPassword \(email)").value
    }

    package func resetPassword(
        key: MailKey, to new: Secret, of address: String?, pending: Secret?
    ) throws(BackendError) -> LogInOutcome? {
        try script.reply(
            Step.finishReset, "resetPassword \(key.text) '\(new.reveal())' \(address ?? "")\(pending?.reveal() ?? "")"
        ).value
    }

    package func sendVerification(email: String, as requester: Requester) throws(BackendError) -> Reply<Bool> {
        try script.reply(Step.sendVerification, "sendVerification \(email)\(requester.text)")
    }

    package func verify(_ key: MailKey, _ proof: VerificationProof) throws(BackendError) -> Reply<Verification> {
        try script.reply(Step.verify, "verify \(key.text)\(proof.requester.text)")
    }

    package func identities(of session: Session) throws(BackendError) -> Reply<IdentityStatus> {
        try script.reply(Step.identities, "identities", session)
    }

    package func link(
        _ credential: IdentityCredential, to session: Session
    ) throws(BackendError) -> Reply<IdentityChange> {
        try script.reply(Step.link, "link \(credential.text)", session)
    }

    package func unlink(
        _ provider: IdentityProvider, from session: Session
    ) throws(BackendError) -> Reply<IdentityChange> {
        try script.reply(Step.unlink, "unlink \(provider.name)", session)
    }

    package func logIn(_ credential: IdentityCredential) throws(BackendError) -> Reply<LogInOutcome> {
        try script.reply(Step.logInIdentity, "logIn by \(credential.text)")
    }

    package func resume(_ pending: Secret, code: Secret) throws(BackendError) -> Reply<LogInOutcome> {
        try script.reply(Step.resume, "resume \(pending.reveal()) with code \(code.reveal())")
    }

    package func update(_ change: UserChange, of user: User, _ session: Session) throws(BackendError) -> Reply<User> {
        try script.reply(Step.update, "update \(JSONValue.object(change.values).text)", session)
    }

    package func deleteAccount(of user: User, _ session: Session) throws(BackendError) -> Reply<Void> {
        try script.reply(Step.deleteAccount, "deleteAccount \(user.id ?? "")", session)
    }

    package func refresh(_ session: Session) throws(BackendError) -> Session {
        try script.reply(Step.refresh, "refresh \(session.refreshToken?.reveal() ?? "nothing") of", session).value
    }

    package func site() throws(BackendError) -> SiteTraits {
        try script.reply(Step.site, "site").value
    }

    package func send(
        _ request: HTTPRequest, below base: String?, with session: Session?
    ) throws(BackendError) -> Reply<RequestAnswer> {
        let line = "request \(request.text)\(session == nil ? "" : " with")"
        return try script.reply(Step.request, line, session) { isPassedOn, answer in
            if isPassedOn { _ = request.reception.sink?.begin(answer.response) }
        }
    }
}

/// What the administrator does. Only the login as a user needs a script; there is one account for each name.
extension ScriptedBackend where Self: Administering {
    package func check(adminKey: Secret) throws(BackendError) {}

    package func users(after cursor: String?, limit: Int, adminKey: Secret?) throws(BackendError) -> UserPage {
        UserPage([], next: nil)
    }

    package func user(id: String, adminKey: Secret?) throws(BackendError) -> User { User(id: id) }

    package func users(named name: String, adminKey: Secret?) throws(BackendError) -> [User] {
        [User(id: "id-\(name)", username: name)]
    }

    package func createUser(_ account: NewAccount, adminKey: Secret?) throws(BackendError) -> SignUpOutcome {
        try signUp(account).value
    }

    package func update(_ change: AccountChange, of user: User, adminKey: Secret?) throws(BackendError) -> User {
        user.applying(change.user)
    }

    package func deleteUser(id: String, adminKey: Secret?) throws(BackendError) {}

    package func logIn(as user: User, adminKey: Secret?) throws(BackendError) -> Reply<NewSession> {
        try script.reply(
            Step.logInAs, "logIn as \(user.username ?? "") with \(adminKey?.reveal() ?? "no key")")
    }
}

// MARK: - Answers without a script

extension ScriptedBackend {
    package var sessionsAfterReset: SessionsAfterReset { .unknown }

    /// The changes that fill an empty e-mail address and an empty field `name`, each in a separate object.
    package func emptyFieldValues(of user: User, from profile: IdentityProfile) -> [JSONObject] {
        let email: [JSONObject] = user.email == nil ? profile.email.map { [["email": .string($0)]] } ?? [] : []
        let name: [JSONObject] = user.fields["name"] == nil ? profile.name.map { [["name": .string($0)]] } ?? [] : []
        return email + name
    }

    package func headers(of session: Session) -> SessionHeaders {
        SessionHeaders("X-Session", session, application: ["X-App": "shop"])
    }

    package func requestBase() -> String { "" }

    package func firstPage(of request: HTTPRequest, below base: String?) -> HTTPRequest { request }

    /// Reads the query of the next page from the member `next` of the list.
    package func page(
        after list: JSONList, to request: HTTPRequest, below base: String?
    ) throws(BackendError) -> HTTPRequest? {
        guard list.form == .results, case .link(let next) = list.more.next else { return nil }
        guard !next.hasPrefix("https:") else { throw BackendError(.redirect, "the next page is on another origin") }
        var page = request
        page.url = "\(request.url.prefix { $0 != "?" })?\(next)"
        return page
    }
}

extension HTTPRequest {
    /// The request as text: `POST /a?b=c 'body'`. A base URL other than the server's precedes the path.
    fileprivate var text: String {
        let line = "\(method.rawValue) \(url)"
        // `try?`: a source that cannot be rewound appears empty when it is read again.
        guard let bytes = body ?? bodySource.map({ (try? $0.bytes(limit: 1 << 20)) ?? [] }) else { return line }
        return "\(line) '\(String(decoding: bytes, as: UTF8.self))'"
    }
}

extension IdentityCredential {
    /// The credential as text: `facebook 1001 EAAB`, `google ID token eyJ`.
    fileprivate var text: String {
        let proof: [String] =
            switch proof {
            case .tokens(let idToken, let accessToken):
                [accessToken?.reveal(), idToken.map { "ID token \($0.reveal())" }].compactMap(\.self)
            case .code(let code, let redirectURI, let verifier):
                ["code \(code.reveal())"] + (redirectURI.map { ["for \($0)"] } ?? [])
                    + (verifier.map { ["verified by \($0.reveal())"] } ?? [])
            case .authData(let text): [text.reveal()]
            }
        return ([provider.name, id, clientID.map { "app \($0)" }].compactMap(\.self) + proof).joined(separator: " ")
    }
}

extension IdentityStatus {
    package init(user: User, link: IdentityLink, hasPassword: Bool? = nil) {
        var user = user
        user.identities = link.facebookIdentities
        self.init(user: user, hasPassword: hasPassword)
    }
}

extension IdentityChange {
    package init(before: IdentityLink, status: IdentityStatus) {
        self.init(before: before, after: status.link(to: .facebook), user: status.user)
    }
}

extension IdentityLink {
    fileprivate var facebookIdentities: [Identity]? {
        switch self {
        case .unknown: nil
        case .none: []
        case .linked(let ids):
            (ids.isEmpty ? [nil] : ids.map(Optional.some)).map { Identity(provider: "facebook", id: $0) }
        }
    }
}

extension LogInOutcome {
    /// The outcome of a login whose error shows that it waits for a step.
    package static func waiting(_ error: AuthError, token: String? = nil) -> LogInOutcome {
        guard let outcome = try? BackendError(error).waiting(token: token.map { Secret($0) }) else {
            fatalError("the error '\(error.message)' is no pending step")
        }
        return outcome
    }
}

extension Requester {
    fileprivate var text: String {
        switch self {
        case .anonymous: ""
        case .session(let session): " as session \(session.token.reveal())"
        case .pending(let token): " as pending \(token.reveal())"
        }
    }
}
