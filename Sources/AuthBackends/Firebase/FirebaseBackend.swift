import AuthModel
import JSON
import Platform
import Transport

/// The backend for Firebase Authentication and its emulator.
///
/// A session is an ID token, a JWT of an hour, and a refresh token without an end. The server has no logout. It ends the
/// tokens of a user when the password changes, and when an administrator disables or deletes the account.
struct FirebaseBackend: ServerBackend {
    typealias Errors = FirebaseErrors

    let endpoints: FirebaseEndpoints
    let server: ServerClient
    /// The client for the service that exchanges refresh tokens.
    let tokens: ServerClient
    var randomness = Randomness.system
    /// The beginning of each hash of the project, up to the signer key.
    let hashParameters = Remembered<String>()

    func signUp(_ account: NewAccount) throws(BackendError) -> Reply<SignUpOutcome> {
        guard account.password != nil else { return Reply(try sendLink(to: account)) }
        let email = try Self.email(of: account)
        try Self.require(account.fields)
        let password = try account.requiredPassword().reveal()
        var fields: JSONObject = ["email": .string(email), "password": .string(password)]
        fields["displayName"] = account.fields["displayName"]
        var new = try logIn(endpoints.signUp(fields, .signUp))
        new.createdAccount = true
        new.user.fields["displayName"] = account.fields["displayName"]
        guard let photo = account.fields["photoUrl"] else { return Reply(.session(new)) }
        do throws(BackendError) {
            // A signup ignores it. Source: the exchange `open/signup-photo`.
            _ = try send(endpoints.update(["photoUrl": photo], new.session.token))
            new.user.fields["photoUrl"] = photo
        } catch {
            new.warnings.append("'photoUrl' was not set: \(error.message)")
        }
        return Reply(.session(new))
    }

    static func email(of account: NewAccount) throws(BackendError) -> String {
        let name = account.username
        if let email = account.email ?? name, name == nil || name == email, email.contains("@") { return email }
        throw BackendError(
            .invalidFields, "Firebase accounts have no username", fact: .wantsEmail,
            next: "use the e-mail instead of the username",
            fields: [
                FieldFault(name == nil ? "email" : "username", name == nil ? "is required" : "is not known to Firebase")
            ])
    }

    /// - Throws: `BackendError` `unsupported` for a field that is none of `names`; `invalidFields` for a value that is no
    ///   text.
    static func require(
        _ fields: JSONObject, of names: [String] = FirebasePayloads.ownFields
    ) throws(BackendError) {
        for field in fields.members {
            guard names.contains(field.name) else {
                throw BackendError(
                    .unsupported, "Firebase accounts have no field '\(field.name)'",
                    next: "the fields are \(names.quotedList(atMost: 3))")
            }
            guard field.value.string != nil else {
                throw BackendError(
                    .invalidFields, "'\(field.name)' must be text", fields: [FieldFault(field.name, "must be text")])
            }
        }
    }

    func logIn(_ credentials: Credentials, code: Secret?) throws(BackendError) -> Reply<LogInOutcome> {
        let outcome = try outcome(of: endpoints.logIn(email: credentials.login, password: credentials.password))
        if case .session(let new) = outcome, let email = new.user.email,
            email.lowercased() != credentials.login.lowercased()
        {
            throw .sessionOfOtherUser
        }
        return Reply(outcome)
    }

    /// Sends a login. The response has the credential of a login that waits for its second factor.
    func outcome(of call: Call) throws(BackendError) -> LogInOutcome {
        let response = try server.response(to: call)
        do throws(BackendError) {
            return .session(try newSession(in: response))
        } catch {
            let pending = response.http.json?.object.flatMap { FirebasePayloads.pending($0, masker) }
            return try error.waiting(token: pending?.token)
        }
    }

    /// Sends a request whose response has the tokens of a user.
    func logIn(_ call: Call) throws(BackendError) -> NewSession { try newSession(in: try server.response(to: call)) }

    private func newSession(in response: ServerResponse) throws(BackendError) -> NewSession {
        let (payload, operation) = (try FirebaseErrors.check(response, .session("idToken")), response.operation)
        let session = try session(in: payload, operation)
        // Some logins do not name the user.
        let user = payload["localId"] == nil ? try user(session.token) : payload
        guard user["localId"]?.filledText != nil else { throw .namesNoUser() }
        return NewSession(
            user: FirebasePayloads.user(user), session: session, createdAccount: payload["isNewUser"]?.bool ?? false)
    }

    func session(in payload: JSONObject, _ operation: Operation) throws(BackendError) -> Session {
        let session = try FirebasePayloads.session(payload, at: server.clock.now(), masker).orNoSession()
        let isNew = payload["isNewUser"]?.bool ?? [.signUp, .logInAnonymously].contains(operation)
        try requireNamedProject(of: session.token, createdAccount: isNew)
        return session
    }

    /// The emulator creates accounts in the project of its start, and the service in that of the API key.
    ///
    /// - Throws: `BackendError` `usage` if the settings name another project than that of the token.
    private func requireNamedProject(of token: Secret, createdAccount: Bool = false) throws(BackendError) {
        guard let named = endpoints.namedProject, let own = FirebasePayloads.project(of: token), own != named else {
            return
        }
        let created = createdAccount ? "; the account was created there" : ""
        throw BackendError(
            .usage, "the server's project is '\(masker.mask(own).start(100))', not '\(named)'\(created)",
            next: "set the right project with --app-id, or use its emulator or Web API key")
    }

    /// Rejects a custom token, on which the emulator fails. Source: the exchange `custom/id-token-lookup-with-custom`.
    private func requireIDToken(_ token: Secret) throws(BackendError) {
        guard FirebasePayloads.isCustom(token) else { return }
        throw BackendError(
            .usage, "the token is a custom token, not an ID token",
            next: NextStep("exchange it for a session", run: ["login", "--token-file", "FILE"]))
    }

    /// Requests the user of a token.
    func user(_ token: Secret, _ operation: Operation = .currentUser) throws(BackendError) -> JSONObject {
        try requireIDToken(token)
        let payload = try send(endpoints.user(token, operation))
        return FirebasePayloads.lookedUp(payload) ?? [:]
    }

    /// Requests the user of a session, and tells a revoked session from an expired one.
    func user(of session: Session) throws(BackendError) -> JSONObject {
        try telling(session) { () throws(BackendError) in try user(session.token) }
    }

    /// Runs `body`, whose requests contain the token of the session. The server reports a revoked token as expired, so a
    /// token whose life is not over has been revoked. The emulator would refresh it all the same: see `RefreshPolicy`.
    func telling<Value>(
        _ session: Session, _ body: () throws(BackendError) -> Value
    ) throws(BackendError) -> Value {
        do throws(BackendError) {
            return try body()
        } catch {
            guard error.reason == .sessionExpired, !session.hasExpired(at: server.clock.now()) else { throw error }
            var error = error
            (error.reason, error.message) = (.sessionRevoked, AuthError.sessionRevoked.message)
            throw error
        }
    }

    @discardableResult func send(_ call: Call, as session: Session) throws(BackendError) -> JSONObject {
        try telling(session) { () throws(BackendError) in try send(call) }
    }

    /// The server has no logout: an ID token is valid until it expires.
    func logOut(_ session: Session) -> Reply<Revocation> { Reply(.unsupported) }

    func currentUser(_ session: Session) throws(BackendError) -> Reply<User> {
        try requireNamedProject(of: session.token)
        return Reply(FirebasePayloads.whole(try user(of: session)))
    }

    /// Exchanges a custom token for a session. It creates an account if none has its `uid`.
    func logIn(token: Secret) throws(BackendError) -> Reply<NewSession> {
        if FirebasePayloads.isCustom(token) {
            return Reply(try logIn(endpoints.logIn(customToken: token.reveal(), .logInWithToken)))
        }
        try requireNamedProject(of: token)
        let user = FirebasePayloads.whole(try user(token, .logInWithToken))
        return Reply(NewSession(user: user, session: Session(foreign: token)))
    }
}

extension FirebaseBackend: AnonymousLogin {
    func logInAnonymously(identity: String) throws(BackendError) -> Reply<NewSession> {
        var new = try logIn(endpoints.signUp([:], .logInAnonymously))
        new.createdAccount = true
        return Reply(new)
    }

    var stepToKeepAccount: NextStep? { .firstEmail }
}

extension FirebaseBackend {
    /// A signup without a password is the first use of a link, or of the code of a text message.
    private func sendLink(to account: NewAccount) throws(BackendError) -> SignUpOutcome {
        guard account.fields.isEmpty else {
            throw BackendError(.unsupported, "Firebase cannot set fields at a signup without a password")
        }
        let user = if let phone = account.phone { User(phone: phone) } else { User(email: try Self.email(of: account)) }
        let token = try requestCode(of: user.displayName ?? "").token
        return .waits(Pending(.logInCode, token: token, isCertain: false), user)
    }

    private func requestCode(of login: String) throws(BackendError) -> Pending {
        guard !login.contains("@") else {
            guard let url = endpoints.continueURL else {
                throw BackendError(
                    .usage, "the name of the Firebase project is required, or the setting linkOrigin",
                    next: "add --app-id PROJECT")
            }
            let fields: JSONObject = [
                "email": .string(login), "continueUrl": .string(url), "canHandleCodeInApp": true,
            ]
            try send(endpoints.sendEmail("EMAIL_SIGNIN", .sendLogInCode, fields))
            return Pending(.logInCode, token: .forAddress(login))
        }
        guard endpoints.emulator != nil else {
            throw BackendError(
                .unsupported,
                "Firebase sends text messages only to apps and web pages, which solve a reCAPTCHA; authctl cannot")
        }
        let payload = try send(endpoints.sendCode(phone: login))
        let id = try Secret(token: payload["sessionInfo"], masker).orNoSession()
        return Pending(
            .logInCode, token: FirebasePending(kind: .number, factor: id.reveal(), credential: login).token)
    }

    func request(_ pending: Pending, of login: String) throws(BackendError) -> Pending {
        if pending.step == .logInCode { return try requestCode(of: login) }
        guard let factor = pending.token.flatMap(FirebasePending.init), factor.kind == .phone else { return pending }
        let payload = try send(endpoints.sendCode(factor))
        let id = try Secret(token: payload["phoneResponseInfo"]?["sessionInfo"], masker).orNoSession()
        var pending = pending
        pending.token = FirebasePending(kind: .code, factor: id.reveal(), credential: factor.credential).token
        return pending
    }

    func resume(_ pending: Secret, code: Secret) throws(BackendError) -> Reply<LogInOutcome> {
        guard let factor = FirebasePending(pending) else {
            let email = pending.address
            guard email.contains("@") else { throw .sessionExpired }
            let code = try self.code(MailKey(code.reveal()), .secondFactor) { $0 == .logIn }
            return Reply(try outcome(of: endpoints.logIn(email: email, code: code)))
        }
        if factor.kind == .number {
            return Reply(.session(try logIn(endpoints.logIn(sessionInfo: factor.factor, code: code))))
        }
        guard factor.kind != .phone else {
            throw BackendError(.unsupported, "after a login with an identity, authctl cannot send a text message")
        }
        return Reply(.session(try logIn(endpoints.finish(factor, code: code))))
    }
}

extension FirebaseBackend: SessionRefreshing {
    func refresh(_ session: Session) throws(BackendError) -> Session {
        let call = endpoints.refresh(try session.requiredRefreshToken())
        let payload = try FirebaseErrors.check(try tokens.response(to: call), call.required)
        let token = try Secret(token: payload["id_token"], masker).orNoSession()
        try requireNamedProject(of: token)
        return session.refreshed(token, refreshToken: payload["refresh_token"], at: server.clock.now(), masker)
    }
}

extension FirebaseBackend: BrowserSessionStoring {
    /// The entry of Firebase's JavaScript SDK, which moves it from the local storage to IndexedDB. Source: SDK 9.22 in
    /// Chromium; the SDK's `UserImpl.toJSON`, `StsTokenManager.fromJSON`.
    func browserState(
        of session: Session, _ saved: User, for page: BrowserPage
    ) throws(BackendError) -> BrowserState? {
        guard let apiKey = endpoints.apiKey?.reveal() else {
            throw BackendError(
                .usage, "the name of the browser's entry contains the Web API key of the page",
                nextSteps: ["set it with --client-key-file FILE or AUTHCTL_CLIENT_KEY", .webAPIKey])
        }
        guard let refreshToken = session.refreshToken else {
            throw BackendError(
                .unsupported, "Firebase's SDK accepts no session without a refresh token",
                next: NextStep("log in", run: ["login"]))
        }
        let appName = page.appName ?? BrowserPage.usualAppName
        var entry = FirebasePayloads.browserUser(try user(of: session), session)
        entry["stsTokenManager"] = [
            "refreshToken": .string(refreshToken.reveal()), "accessToken": .string(session.token.reveal()),
            "expirationTime": session.expiresAt.map { .integer($0.milliseconds) } ?? .null,
        ]
        (entry["apiKey"], entry["appName"]) = (.string(apiKey), .string(appName))
        let (name, value) = ("firebase:authUser:\(apiKey):\(appName)", JSONValue.object(entry))
        let store: JSONValue = [
            "name": "firebaseLocalStorage", "keyPath": "fbase_key", "autoIncrement": false, "indexes": [],
            "records": [["value": ["fbase_key": .string(name), "value": value]]],
        ]
        return BrowserState(
            localStorage: [.init(name, Secret(value.text))],
            indexedDB: [["name": "firebaseLocalStorageDb", "version": 1, "stores": [store]]])
    }
}

extension FirebaseBackend {
    func requestServer() -> ServerClient { server }

    func requestBase() throws(BackendError) -> String {
        throw BackendError(
            .usage, "Firebase Authentication has no API for apps",
            next: NextStep(
                "set the URL of your own API, or of Firestore",
                run: ["profile", "set", NextStep.profile, "apiURL", "URL"]))
    }
}
