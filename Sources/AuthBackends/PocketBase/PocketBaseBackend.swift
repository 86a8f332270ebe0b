import AuthModel
import JSON
import Platform
import Transport

/// The backend for a collection of accounts on a PocketBase server, 0.23 or later.
///
/// A session is a JWT that the server cannot revoke by itself. `auth-refresh` issues a new one, and is the only request
/// that shows whether a token is valid: all others treat an invalid token like none.
struct PocketBaseBackend: ServerBackend {
    typealias Errors = PocketBaseErrors

    let endpoints: PocketBaseEndpoints
    let server: ServerClient
    /// The description of the collection, which only a superuser sees.
    let collection = Remembered<JSONObject>()

    /// Creates the account. The response has no session. An account without a password gets one that nobody knows, because
    /// the server requires one, and a code for its first login.
    func signUp(_ account: NewAccount) throws(BackendError) -> Reply<SignUpOutcome> {
        guard account.password == nil else { return Reply(.created(try create(account))) }
        var account = account
        account.password = Secret(Randomness.system.hex(byteCount: 16))
        guard let email = account.email ?? account.username, email.utf8.contains(UInt8(ascii: "@")) else {
            throw Self.sendsOnlyToEmails
        }
        let methods = try methods()
        guard methods["otp"]?["enabled"] == true else { throw Self.unsupported("otp") }
        guard methods["mfa"]?["enabled"] != true else {
            throw BackendError(
                .unsupported, "the collection requires a password beside the code",
                next: "sign up with a password: remove --send-code")
        }
        let user = try create(account)
        return try afterSuccess("created") { () throws(BackendError) in
            Reply(.waits(Pending(.logInCode, token: try requestCode(email)), user))
        }
    }

    /// - Parameter key: a superuser's token.
    func create(_ account: NewAccount, _ key: Secret? = nil) throws(BackendError) -> User {
        try account.password?.requireAtMost72Bytes()
        let account = try named(account, key)
        var user = PocketBasePayloads.user(try send(try endpoints.signUp(account, key)))
        // The response hides the e-mail.
        user.email = user.email ?? account.email
        return user
    }

    /// The account without a username that is its e-mail.
    ///
    /// - Throws: `BackendError` `invalidFields` if the collection has no usernames: the server would ignore it.
    private func named(_ account: NewAccount, _ key: Secret?) throws(BackendError) -> NewAccount {
        guard let name = account.username else { return account }
        var account = account
        if name.utf8.contains(UInt8(ascii: "@")), account.email == nil || account.email == name {
            (account.username, account.email) = (nil, name)
            return account
        }
        let fields =
            if let key { PocketBasePayloads.nameFields(try description(key)) } else {
                PocketBasePayloads.identityFields(try methods())
            }
        guard fields.contains("username") else {
            throw BackendError(
                .invalidFields, "collection '\(endpoints.collection)' has no usernames", fact: .wantsEmail,
                next: "use the e-mail instead of the username",
                fields: [FieldFault("username", "is unknown to the collection")])
        }
        return account
    }

    func logIn(_ credentials: Credentials, code: Secret?) throws(BackendError) -> Reply<LogInOutcome> {
        let response = try server.response(to: endpoints.logIn(credentials))
        let outcome = try outcome(of: response) { () throws(BackendError) in
            let (new, payload) = try explaining("password") { () throws(BackendError) in try session(in: response) }
            // An identity field can have any name, so any member may contain the login name.
            let isNamed = (payload["record"]?.object ?? [:]).members.contains {
                $0.value.string?.lowercased() == credentials.login.lowercased()
            }
            if new.user.isAnother(than: User(login: credentials.login)), !isNamed {
                throw BackendError.sessionOfOtherUser
            }
            return new
        }
        return Reply(outcome)
    }

    /// The outcome of a login. A response that demands a second factor has the id of the login.
    func outcome(
        of response: ServerResponse, _ read: () throws(BackendError) -> NewSession
    ) throws(BackendError) -> LogInOutcome {
        do throws(BackendError) {
            return .session(try read())
        } catch {
            return try error.waiting(token: Secret(token: response.http.json?["mfaId"], masker))
        }
    }

    /// Reads a response that has a session.
    func session(in response: ServerResponse) throws(BackendError) -> (new: NewSession, payload: JSONObject) {
        let payload = try PocketBaseErrors.check(response)
        guard let record = payload["record"]?.object,
            let session = PocketBasePayloads.session(payload, at: server.clock.now(), masker)
        else { throw .holdsNoSession() }
        guard JWT.payload(of: session.token)?["type"] != "authRecord" else { throw .oldPocketBase }
        var new = NewSession(user: PocketBasePayloads.user(record), session: session)
        new.accountAge = response.age(of: new.user)
        return (new, payload)
    }

    /// Replaces the error of a denied login if the collection has disabled this method.
    func explaining<Value>(_ method: String, _ send: () throws(BackendError) -> Value) throws(BackendError) -> Value {
        do throws(BackendError) {
            return try send()
        } catch {
            guard error.reason == .forbidden, !error.isReasonOfStatus, let methods = try? methods(),
                methods[method]?["enabled"] == false
            else { throw error }
            throw Self.unsupported(method, error.server)
        }
    }

    private static func unsupported(_ method: String, _ server: ServerDetail? = nil) -> BackendError {
        let name = ["oauth2": "identities", "otp": "a code"][method] ?? "a password"
        return BackendError(.unsupported, "the collection does not allow logins with \(name)", server: server)
    }

    /// The server has no logout: a token is valid until it expires.
    func logOut(_ session: Session) -> Reply<Revocation> { Reply(.unsupported) }

    func currentUser(_ session: Session) throws(BackendError) -> Reply<User> {
        Reply(PocketBasePayloads.user(try record(of: session)))
    }

    /// Checks the session and returns its record. The new token of the response is not used.
    func record(of session: Session, _ operation: Operation = .currentUser) throws(BackendError) -> JSONObject {
        do throws(BackendError) {
            let payload = try send(endpoints.refresh(session, operation))
            _ = Secret(token: payload["token"], masker)
            return payload["record"]?.object ?? [:]
        } catch {
            // The server has accepted the token, which an administrator has issued. Source: PocketBase 0.23 to 0.28.
            guard error.server?.message?.hasPrefix("The current auth token is not refreshable") == true,
                let id = JWT.payload(of: session.token)?["id"]?.string
            else { throw error }
            return try send(endpoints.record(id: id, session.token, operation))
        }
    }

    /// Sends a request about the session's own record. If it is denied, checks the session: the server treats an
    /// invalid token like none, and then denies the request, too.
    @discardableResult func send(_ call: Call, as session: Session) throws(BackendError) -> JSONObject {
        do throws(BackendError) {
            return try send(call)
        } catch {
            if error.reason == .forbidden, !error.isReasonOfStatus { _ = try record(of: session) }
            throw error
        }
    }

    func methods() throws(BackendError) -> JSONObject { try send(endpoints.authMethods) }
}

extension PocketBaseBackend: SiteDescribing {
    func site() throws(BackendError) -> SiteTraits { PocketBasePayloads.site(try methods()) }
}

extension PocketBaseBackend {
    func logIn(token: Secret) throws(BackendError) -> Reply<NewSession> {
        let session = PocketBasePayloads.session(token, at: server.clock.now())
        let user = PocketBasePayloads.user(try record(of: session, .logInWithToken))
        return Reply(NewSession(user: user, session: session))
    }
}

extension PocketBaseBackend {
    /// Requests the e-mail with the code. The token is then `MFAID:OTPID`, without a password `:OTPID`.
    func request(_ pending: Pending, of login: String) throws(BackendError) -> Pending {
        let isEmail = login.utf8.contains(UInt8(ascii: "@"))
        if pending.step == .logInCode {
            guard isEmail else { throw Self.sendsOnlyToEmails }
            return Pending(.logInCode, token: try requestCode(login), isCertain: false)
        }
        guard let token = pending.token else { return pending }
        guard isEmail else {
            throw BackendError(
                .secondFactorRequired, "the account requires a second factor, a code from an e-mail",
                next: "log in with the e-mail, to which the server sends the code")
        }
        var pending = pending
        pending.token = Secret("\(token.reveal())\(try requestCode(login).reveal())")
        return pending
    }

    private static let sendsOnlyToEmails = BackendError(
        .unsupported, "PocketBase sends codes only to e-mail addresses")

    /// Returns the id of the code: `:OTPID`.
    private func requestCode(_ email: String) throws(BackendError) -> Secret {
        let payload = try explaining("otp") { () throws(BackendError) in
            try send(endpoints.requestCode(email: email))
        }
        return Secret(":\(try Secret(token: payload["otpId"], masker).orNoSession().reveal())")
    }

    func resume(_ pending: Secret, code: Secret) throws(BackendError) -> Reply<LogInOutcome> {
        let ids = pending.reveal().split(separator: ":" as Character, maxSplits: 1, omittingEmptySubsequences: false)
            .map { String($0) }
        guard ids.count == 2 else { throw .sessionExpired }
        let call = endpoints.logIn(code: code, otpID: ids[1], mfaID: ids[0])
        return Reply(.session(try session(in: try server.response(to: call)).new))
    }
}

extension PocketBaseBackend: SessionRefreshing {
    func refresh(_ session: Session) throws(BackendError) -> Session {
        var call = endpoints.refresh(session)
        call.request.mostTries = 1
        return try PocketBasePayloads.session(try send(call), at: server.clock.now(), masker).orNoSession()
    }
}

extension PocketBaseBackend: BrowserSessionStoring {
    /// The entry of PocketBase's JavaScript SDK. SDKs before 0.24 read `model` instead of `record`. Source: the SDK's
    /// `BaseAuthStore`.
    func browserState(
        of session: Session, _ saved: User, for page: BrowserPage
    ) throws(BackendError) -> BrowserState? {
        let record = JSONValue.object(try record(of: session))
        let entry: JSONValue = ["token": .string(session.token.reveal()), "record": record, "model": record]
        return BrowserState(localStorage: [.init("pocketbase_auth", Secret(entry.text))])
    }
}

extension PocketBaseBackend {
    /// Skips the count of all rows, which takes time. Source: the exchange `admin/list-huge-page`; documentation of
    /// PocketBase, "API: Records".
    func pages(of request: HTTPRequest, below base: String?) -> QueryPages? {
        guard base == nil else { return nil }
        return QueryPages(
            position: .page("page"), size: ("perPage", 1000), order: "sort", id: "id", others: [("skipTotal", "1")],
            isPage: { if case .items = $0 { true } else { false } })
    }
}
