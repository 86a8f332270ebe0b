import AuthModel
import JSON
import Platform
import Testing
import Transport

@testable import AuthBackends

/// The operations of `Backend` and of most optional protocols, such as `TokenLogin`.
enum ContractOperation: String, CaseIterable, CustomStringConvertible {
    case signUp = "signup"
    case logIn = "login"
    case logInWithToken = "login with a token"
    case logInAnonymously = "anonymous login"
    case secondFactor = "login with a one-time code"
    case sendCode = "code in place of a password"
    case impersonate = "login without the password"
    case currentUser = "current user"
    case logOut = "logout"
    case listSessions = "session list"
    case revokeSession = "revocation of a session"
    case refresh = "refresh"
    case verifyPassword = "password check"
    case changePassword = "password change"
    case resetPassword = "password-reset e-mail"
    case finishReset = "password reset"
    case sendVerification = "verification e-mail"
    case verifyEmail = "e-mail verification"
    case logInWithIdentity = "login with an identity"
    case identities = "linked identities"
    case linkIdentity = "link of an identity"
    case unlinkIdentity = "unlink of an identity"
    case updateUser = "profile update"
    case deleteAccount = "deletion of the account"
    /// A request that the user sends with POST, which is not idempotent.
    case request = "request of the user"

    var description: String { rawValue }

    /// Whether the operation requires the caller's valid session on every backend that supports it.
    var usesSession: Bool {
        switch self {
        case .currentUser, .logOut, .listSessions, .revokeSession, .verifyPassword, .changePassword, .identities,
            .linkIdentity, .unlinkIdentity, .updateUser, .deleteAccount, .request:
            true
        default: false
        }
    }

    /// Whether the backend's type supports the operation.
    func isOffered(by backend: any Backend) -> Bool {
        switch self {
        case .signUp, .logIn, .currentUser, .logOut, .logInWithToken, .changePassword, .resetPassword, .finishReset,
            .sendVerification, .verifyEmail, .logInWithIdentity, .identities, .linkIdentity, .unlinkIdentity,
            .updateUser, .request:
            true
        case .logInAnonymously: backend is any AnonymousLogin
        case .secondFactor: !(backend is PocketBaseBackend || backend is FirebaseBackend || backend is KiiBackend)
        case .sendCode:
            backend is AllauthBackend || backend is PocketBaseBackend || backend is SupabaseBackend
                || backend is FirebaseBackend
        case .impersonate: backend is any Administering
        case .listSessions, .revokeSession: backend is any SessionListing
        case .refresh: backend is any SessionRefreshing
        case .verifyPassword: backend is ParseBackend
        case .deleteAccount: backend is any AccountDeleting
        }
    }
}

struct ContractResult {
    var value: Any = ()
    var user: User?
    /// The session from a login or signup, or the session that replaces the caller's session.
    var session: Session?

    init(_ value: Any = (), user: User? = nil, session: Session? = nil) {
        self.value = value
        self.user = user
        self.session = session
    }

    init(_ new: NewSession) { self.init(new, user: new.user, session: new.session) }
}

/// The secrets in the contract tests. They are not ordinary words, so any occurrence in an error is a leak.
enum ContractSample {
    static let password = "pass-w0rd-1"
    static let newPassword = "n3w-passw0rd"
    static let code = "74a4-3c2e"
    static let facebookToken = "fb-t0ken-1"
    static let mailKey = "k3y-of-mail-1"
    static let resetLink = MailKey("https://app.example/reset/?uid=Mg&token=\(mailKey)")
    static let identity = "anon-0707-1"
    static let applicationKey = "app-k3y-1"
    static let masterKey = "m4ster-k3y-1"

    /// Tokens that servers issue during an operation.
    static let tokens =
        [
            "0a1b-key-1", "r:tr1al-1", "r:new-t0ken", "eph-t0ken-1", "p3nding-1", "s3ssion-2", "k11-token-2",
            "k11-refresh-2",
        ] + [
            RestAuthSample.otherAccess, RestAuthSample.otherRefresh, PocketBaseSample.token, SupabaseSample.token,
            SupabaseSample.refreshToken, FirebaseSample.token, FirebaseSample.refreshToken,
        ]

    /// The secrets to register with the `Masker`, as commands do.
    static let inputs = [password, newPassword, code, facebookToken, applicationKey, masterKey]

    static let secrets = inputs + [mailKey, identity] + tokens
}

extension ContractOperation {
    /// - Parameters:
    ///   - login: the username.
    ///   - session: the session in use; for a refresh, the session to refresh.
    func run(
        on backend: any Backend, of contract: ContractBackend, login: String = "ada",
        password: String = ContractSample.password, session: Session
    ) throws -> ContractResult {
        let login = contract.hasEmailsOnly ? "\(login)@example.org" : login
        let credentials = Credentials(login: login, password: Secret(password))
        switch self {
        case .signUp: return try Self.signUp(on: backend, credentials, contract.accountFields)
        case .logIn: return try Self.result(of: backend.logIn(credentials).value)
        case .logInWithToken:
            return ContractResult(try backend.logIn(token: session.token).value)
        case .logInAnonymously:
            return ContractResult(
                try #require(backend as? any AnonymousLogin).logInAnonymously(identity: ContractSample.identity).value)
        case .secondFactor:
            return try Self.result(of: backend.logIn(credentials, code: Secret(ContractSample.code)).value)
        case .impersonate:
            let key = contract.hasNetwork ? Secret(ContractSample.masterKey) : nil
            let backend = try #require(backend as? any Administering)
            return ContractResult(
                try backend.logIn(as: try backend.user(named: login, adminKey: key), adminKey: key).value)
        case .currentUser:
            let reply = try backend.currentUser(session)
            return ContractResult(reply, user: reply.value, session: reply.replacement)
        case .logOut: return ContractResult(try backend.logOut(session).value)
        case .listSessions:
            let reply = try #require(backend as? any SessionListing).sessions(of: session)
            return ContractResult(reply.value, session: reply.replacement)
        case .revokeSession:
            let reply = try #require(backend as? any SessionListing).endSession(id: "4", of: session)
            return ContractResult(session: reply.replacement)
        case .refresh:
            return ContractResult(session: try #require(backend as? any SessionRefreshing).refresh(session))
        case .verifyPassword:
            let backend = try #require(backend as? any PasswordProving)
            let reply = try backend.prove(Secret(password), of: User(), session)
            return ContractResult(session: reply.replacement)
        case .changePassword:
            let reply = try backend.changePassword(
                PasswordChange(from: Secret(password), to: Secret(ContractSample.newPassword)), of: session)
            return ContractResult(session: reply.replacement)
        case .updateUser:
            // The user has the fields of the change, because the rest-auth backend rejects fields that the user lacks.
            let user = User(id: "u1", username: "ada", fields: contract.update.fields)
            let reply = try backend.update(contract.update, of: user, session)
            return ContractResult(reply, user: reply.value, session: reply.replacement)
        case .deleteAccount:
            let reply = try #require(backend as? any AccountDeleting).deleteAccount(
                of: User(id: "u1", username: "ada"), session)
            return ContractResult(session: reply.replacement)
        case .request:
            let request = HTTPRequest(
                .post, try backend.requestBase() + contract.requestPath, body: Array("{}".utf8))
            let reply = try backend.send(request, below: nil, with: session)
            if let error = reply.value.error { throw error }
            return ContractResult(reply.value.response.status, session: reply.replacement)
        case .sendCode, .resetPassword, .finishReset, .sendVerification, .verifyEmail:
            return try runMail(on: backend, session)
        case .logInWithIdentity, .identities, .linkIdentity, .unlinkIdentity:
            return try runIdentities(on: backend, contract.identity, session)
        }
    }

    private func runMail(on backend: any Backend, _ session: Session) throws -> ContractResult {
        let address = "ada@example.org"
        switch (self, backend) {
        case (.sendCode, let backend): _ = try backend.request(Pending(.logInCode), of: address)
        case (.resetPassword, let backend): _ = try backend.resetPassword(email: address)
        case (.finishReset, let backend):
            // The backend for Kii Cloud accepts only codes, and this link has no code of Firebase.
            let key =
                backend is KiiBackend || backend is FirebaseBackend
                ? MailKey(ContractSample.mailKey) : ContractSample.resetLink
            let new = try backend.resetPassword(
                key: key, to: Secret(ContractSample.newPassword), of: address, pending: nil)
            if case .waits(let pending, _) = new { throw BackendError(pending.error) }
            return ContractResult(new as Any)
        case (.sendVerification, let backend):
            let reply = try backend.sendVerification(email: address, as: .session(session))
            return ContractResult(reply.value, session: reply.replacement)
        case (.verifyEmail, let backend):
            let proof = VerificationProof(address: address, as: .session(session))
            let reply = try backend.verify(MailKey(ContractSample.mailKey), proof)
            return ContractResult(reply.value, session: reply.replacement)
        default: Issue.record("the backend has no \(self)")
        }
        return ContractResult()
    }

    private func runIdentities(
        on backend: any Backend, _ identity: IdentityCredential, _ session: Session
    ) throws -> ContractResult {
        switch self {
        case .logInWithIdentity: return try Self.result(of: backend.logIn(identity).value)
        case .identities:
            let reply = try backend.identities(of: session)
            return ContractResult(reply, user: reply.value.user, session: reply.replacement)
        default:
            let reply =
                self == .linkIdentity
                ? try backend.link(identity, to: session) : try backend.unlink(.facebook, from: session)
            return ContractResult(reply, user: reply.value.user, session: reply.replacement)
        }
    }

    private static func signUp(on backend: any Backend, _ credentials: Credentials, _ fields: JSONObject) throws
        -> ContractResult
    {
        let account = NewAccount(
            username: credentials.login, email: "ada@example.org", password: credentials.password,
            fields: fields)
        switch try backend.signUp(account).value {
        case .session(let new): return ContractResult(new)
        case .created(let user), .waits(_, let user): return ContractResult(user, user: user)
        }
    }

    private static func result(of outcome: LogInOutcome) throws -> ContractResult {
        switch outcome {
        case .session(let new): ContractResult(new)
        case .waits(let pending, _): throw BackendError(pending.error)
        }
    }
}
