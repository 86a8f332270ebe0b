package import AuthModel
package import JSON
import Synchronization
package import Transport

/// A backend with scripted responses. The test fails on a call that is not the next step, and on unused steps.
package final class FakeBackend: Backend, SessionListing, TokenLogin, AnonymousLogin, PasswordChanging,
    PasswordResetting, EmailVerifying, SecondFactor, Impersonating, IdentitySecondFactor, SessionRefreshing,
    UserFilling,
    UserUpdating, AccountDeleting, RequestSending
{
    package enum Step: Sendable {
        case signUp(Result<SignUpOutcome, AuthError>)
        case logIn(Result<LogInOutcome, AuthError>)
        case logInToken(Result<NewSession, AuthError>)
        case logOut(Result<Revocation, AuthError>, replacement: Session? = nil)
        case currentUser(Result<User, AuthError>, replacement: Session? = nil)
        case sessions(Result<[SessionSummary], AuthError>, replacement: Session? = nil)
        case endSession(Result<Void, AuthError>, replacement: Session? = nil)
        case logInAnonymously(Result<NewSession, AuthError>)
        case changePassword(Result<Void, AuthError>, replacement: Session? = nil)
        case resetPassword(Result<Void, AuthError>, pending: Secret? = nil)
        case finishReset(Result<NewSession?, AuthError>)
        case sendVerification(Result<Bool, AuthError>)
        case verifyEmail(Result<Void, AuthError>)
        case logInAs(Result<NewSession, AuthError>)
        case logInCode(Result<LogInOutcome, AuthError>)
        case identities(Result<IdentityStatus, AuthError>, replacement: Session? = nil)
        case link(Result<IdentityChange, AuthError>, replacement: Session? = nil)
        case unlink(Result<IdentityChange, AuthError>, replacement: Session? = nil)
        case logInIdentity(Result<NewSession, AuthError>)
        case logInIdentityCode(Result<NewSession, AuthError>)
        case update(Result<User, AuthError>, replacement: Session? = nil)
        case deleteAccount(Result<Void, AuthError>)
        case refresh(Result<Session, AuthError>)
        case sendVerificationAs(Result<Bool, AuthError>, replacement: Session? = nil)
        case verifyEmailAs(Result<NewSession?, AuthError>, replacement: Session? = nil)
        case site(Result<SiteTraits, AuthError>)
        /// If the request is streamed and `isPassedOn` is true, the fake also calls `begin` of the request's sink.
        case request(Result<RequestAnswer, AuthError>, replacement: Session? = nil, isPassedOn: Bool = false)
    }

    private let journal: Journal
    private let script: Mutex<[Step]>
    package let usesIdentityIDs: Bool

    package init(_ script: [Step] = [], journal: Journal = Journal(), usesIdentityIDs: Bool = false) {
        self.script = Mutex(script)
        self.journal = journal
        self.usesIdentityIDs = usesIdentityIDs
    }

    package func signUp(_ account: NewAccount) throws(AuthError) -> Reply<SignUpOutcome> {
        guard case .signUp(let result) = next("signUp \(account.username ?? account.email ?? "")") else {
            throw .unscripted
        }
        return Reply(try result.get())
    }

    package func logIn(_ credentials: Credentials) throws(AuthError) -> Reply<LogInOutcome> {
        guard case .logIn(let result) = next("logIn \(credentials.login)") else { throw .unscripted }
        return Reply(try result.get())
    }

    package func logIn(token: Secret) throws(AuthError) -> Reply<NewSession> {
        guard case .logInToken(let result) = next("logIn with \(token.reveal())") else { throw .unscripted }
        return Reply(try result.get())
    }

    package func logOut(_ session: Session) throws(AuthError) -> Reply<Revocation> {
        guard case .logOut(let result, let session) = next("logOut", session) else { throw .unscripted }
        return Reply(try result.get(), replacement: session)
    }

    package func currentUser(_ session: Session) throws(AuthError) -> Reply<User> {
        guard case .currentUser(let result, let session) = next("currentUser", session) else { throw .unscripted }
        return Reply(try result.get(), replacement: session)
    }

    package func sessions(of session: Session) throws(AuthError) -> Reply<[SessionSummary]> {
        guard case .sessions(let result, let session) = next("sessions", session) else { throw .unscripted }
        return Reply(try result.get(), replacement: session)
    }

    package func endSession(id: String, of session: Session) throws(AuthError) -> Reply<Void> {
        guard case .endSession(let result, let session) = next("endSession \(id)", session) else { throw .unscripted }
        return Reply(try result.get(), replacement: session)
    }

    package func logInAnonymously(identity: String) throws(AuthError) -> Reply<NewSession> {
        guard case .logInAnonymously(let result) = next("logInAnonymously \(identity)") else { throw .unscripted }
        return Reply(try result.get())
    }

    package func changePassword(
        from current: Secret, to new: Secret, of session: Session
    ) throws(AuthError) -> Reply<Void> {
        let call = "changePassword '\(current.reveal())' '\(new.reveal())'"
        guard case .changePassword(let result, let session) = next(call, session) else { throw .unscripted }
        return Reply(try result.get(), replacement: session)
    }

    package func resetPassword(email: String) throws(AuthError) -> Secret? {
        guard case .resetPassword(let result, let pending) = next("resetPassword \(email)") else { throw .unscripted }
        try result.get()
        return pending
    }

    package func sendVerification(email: String) throws(AuthError) -> Bool {
        guard case .sendVerification(let result) = next("sendVerification \(email)") else { throw .unscripted }
        return try result.get()
    }

    package var sessionsAfterReset: SessionsAfterReset { .kept }

    package func resetPassword(
        key: MailKey, to new: Secret, of address: String?, pending: Secret?
    ) throws(AuthError) -> NewSession? {
        let call = "resetPassword \(key.text) '\(new.reveal())' \(address ?? "")\(pending?.reveal() ?? "")"
        guard case .finishReset(let result) = next(call) else { throw .unscripted }
        return try result.get()
    }

    package func verifyEmail(key: MailKey) throws(AuthError) {
        guard case .verifyEmail(let result) = next("verifyEmail \(key.text)") else { throw .unscripted }
        try result.get()
    }

    package func logIn(_ credentials: Credentials, code: Secret) throws(AuthError) -> Reply<LogInOutcome> {
        guard case .logInCode(let result) = next("logIn \(credentials.login) with code \(code.reveal())") else {
            throw .unscripted
        }
        return Reply(try result.get())
    }

    package func logIn(as username: String, adminKey: Secret?) throws(AuthError) -> Reply<NewSession> {
        let call = "logIn as \(username) with \(adminKey?.reveal() ?? "no key")"
        guard case .logInAs(let result) = next(call) else { throw .unscripted }
        return Reply(try result.get())
    }

    package func identities(of session: Session) throws(AuthError) -> Reply<IdentityStatus> {
        guard case .identities(let result, let session) = next("identities", session) else { throw .unscripted }
        return Reply(try result.get(), replacement: session)
    }

    package func link(_ credential: IdentityCredential, to session: Session) throws(AuthError) -> Reply<IdentityChange>
    {
        guard case .link(let result, let session) = next("link \(credential.text)", session) else { throw .unscripted }
        return Reply(try result.get(), replacement: session)
    }

    package func unlink(_ provider: IdentityProvider, from session: Session) throws(AuthError) -> Reply<IdentityChange>
    {
        guard case .unlink(let result, let session) = next("unlink \(provider.name)", session) else {
            throw .unscripted
        }
        return Reply(try result.get(), replacement: session)
    }

    package func logIn(_ credential: IdentityCredential) throws(AuthError) -> Reply<NewSession> {
        guard case .logInIdentity(let result) = next("logIn by \(credential.text)") else { throw .unscripted }
        return Reply(try result.get())
    }

    package func finishLogIn(_ pending: Secret, code: Secret) throws(AuthError) -> Reply<NewSession> {
        guard case .logInIdentityCode(let result) = next("finish \(pending.reveal()) with code \(code.reveal())") else {
            throw .unscripted
        }
        return Reply(try result.get())
    }

    /// The changes that fill an empty e-mail address and an empty field `name`, each in a separate object.
    package func emptyFieldValues(of user: User, from profile: IdentityProfile) -> [JSONObject] {
        let email: [JSONObject] = user.email == nil ? profile.email.map { [["email": .string($0)]] } ?? [] : []
        let name: [JSONObject] = user.fields["name"] == nil ? profile.name.map { [["name": .string($0)]] } ?? [] : []
        return email + name
    }

    package func update(_ change: UserChange, of user: User, _ session: Session) throws(AuthError) -> Reply<User> {
        let call = "update \(JSONValue.object(change.values).text)"
        guard case .update(let result, let session) = next(call, session) else { throw .unscripted }
        return Reply(try result.get(), replacement: session)
    }

    package func deleteAccount(of user: User, _ session: Session) throws(AuthError) -> Reply<Void> {
        guard case .deleteAccount(let result) = next("deleteAccount \(user.id ?? "")", session) else {
            throw .unscripted
        }
        return Reply(try result.get())
    }

    package func refresh(_ session: Session) throws(AuthError) -> Session {
        let call = "refresh \(session.refreshToken?.reveal() ?? "nothing") of"
        guard case .refresh(let result) = next(call, session) else { throw .unscripted }
        return try result.get()
    }

    func sendVerification(email: String, as requester: Requester) throws(AuthError) -> Reply<Bool> {
        let call = "sendVerification \(email) as \(requester.text)"
        guard case .sendVerificationAs(let result, let session) = next(call) else { throw .unscripted }
        return Reply(try result.get(), replacement: session)
    }

    func verifyEmail(key: MailKey, as requester: Requester) throws(AuthError) -> Reply<NewSession?> {
        guard case .verifyEmailAs(let result, let session) = next("verifyEmail \(key.text) as \(requester.text)") else {
            throw .unscripted
        }
        return Reply(try result.get(), replacement: session)
    }

    func site() throws(AuthError) -> SiteTraits {
        guard case .site(let result) = next("site") else { throw .unscripted }
        return try result.get()
    }

    package func headers(of session: Session) -> SessionHeaders {
        SessionHeaders("X-Session", session, application: ["X-App": "shop"])
    }

    package func requestBase() -> String { "" }

    package func send(
        _ request: HTTPRequest, below base: String?, with session: Session?
    ) throws(AuthError) -> Reply<RequestAnswer> {
        let call = session.map { next("request \(request.text) with", $0) } ?? next("request \(request.text)")
        guard case .request(let result, let replacement, let isPassedOn) = call else { throw .unscripted }
        let answer = try result.get()
        if isPassedOn { _ = request.reception.sink?.begin(answer.response) }
        return Reply(answer, replacement: replacement)
    }

    package func firstPage(of request: HTTPRequest, below base: String?) -> HTTPRequest { request }

    /// Reads the query of the next page from the member `next` of the list.
    package func page(
        after list: JSONList, to request: HTTPRequest, below base: String?
    ) throws(AuthError) -> HTTPRequest? {
        guard case .results(let next?) = list.form else { return nil }
        guard !next.hasPrefix("https:") else { throw AuthError(.redirect, "the next page is on another origin") }
        var page = request
        page.url = "\(request.url.prefix { $0 != "?" })?\(next)"
        return page
    }

    private func next(_ call: String, _ session: Session) -> Step? {
        next("\(call) \(session.token.reveal())")
    }

    private func next(_ call: String) -> Step? {
        journal.add("backend: \(call)")
        return script.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    deinit {
        for step in script.withLock({ $0 }) { complain("unused step of the backend: \(step)") }
    }
}

extension AuthError {
    static var unscripted: AuthError {
        complain("a call that is not in the script")
        return AuthError(.internal, "not in the script")
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
            case .code(let code, let redirectURI): ["code \(code.reveal())"] + (redirectURI.map { ["for \($0)"] } ?? [])
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

extension Requester {
    fileprivate var text: String {
        switch self {
        case .anonymous: "anonymous"
        case .session(let session): "session \(session.token.reveal())"
        case .pending(let token): "pending \(token.reveal())"
        }
    }
}
