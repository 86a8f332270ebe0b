import AuthModel
import JSON
import Platform
import Transport

/// The backend for the Auth server of a Supabase project.
///
/// A session is an access token, a JWT, and a refresh token, which each refresh replaces. Only the refresh token before
/// the active one still works; an older one ends the session.
struct SupabaseBackend: ServerBackend {
    typealias Errors = SupabaseErrors

    let endpoints: SupabaseEndpoints
    /// The client for the URL of the project.
    let server: ServerClient
    /// The version that `health` names; empty if it names none.
    let version = Remembered<String>()

    func signUp(_ account: NewAccount) throws(BackendError) -> Reply<SignUpOutcome> {
        let address = try Self.address(of: account)
        guard let password = account.password else {
            let login = address.members.first?.value.string ?? ""
            try send(endpoints.sendCode(to: login, creatingWith: account.fields))
            // The account may have existed.
            let user = User(email: address["email"]?.string, phone: address["phone"]?.string)
            return Reply(.waits(Pending(.logInCode, token: .forAddress(login), isCertain: false), user))
        }
        try password.requireAtMost72Bytes()
        let request = endpoints.signUp(address, password, data: account.fields)
        let response = try server.response(to: request)
        let payload: JSONObject
        do throws(BackendError) {
            payload = try SupabaseErrors.check(response)
        } catch {
            throw error.reason == .emailTaken ? Self.taken(address, error.server) : error
        }
        if payload["access_token"] != nil {
            var new = try session(in: payload, response).new
            new.createdAccount = true
            return Reply(.session(new))
        }
        guard let pending = SupabasePayloads.pending(payload) else { throw Self.taken(address) }
        return Reply(.waits(pending, SupabasePayloads.user(payload)))
    }

    /// The server has one code for both. Source: the exchange `live/signup-phone-taken`.
    private static func taken(_ address: JSONObject, _ server: ServerDetail? = nil) -> BackendError {
        let (isPhone, words) = (address["phone"] != nil, "is already taken")
        return BackendError(
            isPhone ? .phoneTaken : .emailTaken, "the \(isPhone ? "phone number" : "e-mail") \(words)", server: server,
            fields: [FieldFault(isPhone ? "phone" : "email", words)])
    }

    /// The members for the e-mail and the phone number. Without one, the server would create an anonymous user.
    ///
    /// - Parameter takesBoth: whether the request takes an e-mail and a phone number together.
    static func address(of account: NewAccount, takesBoth: Bool = false) throws(BackendError) -> JSONObject {
        let names = Set([account.username, account.email, account.phone].compactMap(\.self))
        var address = JSONObject()
        for member in names.flatMap({ SupabaseEndpoints.address($0).members }) { address[member.name] = member.value }
        let isAddress = { (name: String) in name.utf8.contains(UInt8(ascii: "@")) || SupabaseEndpoints.isPhone(name) }
        guard !names.isEmpty, names.count == address.members.count, names.count == 1 || takesBoth,
            account.username.map(isAddress) ?? true
        else {
            throw BackendError(
                .invalidFields, "accounts have an e-mail or a phone number, and no username", fact: .wantsEmail,
                next: "use only the e-mail or only the phone number",
                fields: [FieldFault(account.username == nil ? "phone" : "username", "cannot be set")])
        }
        return address
    }

    /// Sends a request whose response has a session.
    func logIn(_ call: Call) throws(BackendError) -> (new: NewSession, user: JSONObject) {
        let response = try server.response(to: call)
        return try session(in: try SupabaseErrors.check(response, SupabaseErrors.session), response)
    }

    private func session(
        in payload: JSONObject, _ response: ServerResponse
    ) throws(BackendError) -> (new: NewSession, user: JSONObject) {
        guard let session = SupabasePayloads.session(payload, at: server.clock.now(), masker),
            let user = payload["user"]?.object
        else { throw .holdsNoSession() }
        var new = NewSession(user: SupabasePayloads.user(user), session: session)
        new.accountAge = response.age(of: new.user)
        if payload["weak_password"]?.object != nil {
            new.warnings.append("the password is weaker than the project now requires")
        }
        if SupabasePayloads.secondFactor(user, session).isMissing {
            new.warnings.append(
                "the session has the first level only: for the second one, log in with the password and --otp CODE")
        }
        return (new, user)
    }

    /// The server writes addresses in lower case, and phone numbers without `+`.
    private static func require(_ user: User, named login: String) throws(BackendError) {
        guard login.utf8.allSatisfy({ $0 < 0x80 }), !SupabaseEndpoints.isPhone(login), let email = user.email,
            email.lowercased() != login.lowercased()
        else { return }
        throw .sessionOfOtherUser
    }

    /// Refreshes a session whose access token is expired or rejected, because the server does not end it otherwise.
    func logOut(_ session: Session) throws(BackendError) -> Reply<Revocation> {
        try revoking { () throws(BackendError) in
            let isOver = session.hasExpired(at: server.clock.now())
            let live = isOver && session.refreshToken != nil ? try refresh(session) : session
            do throws(BackendError) {
                try send(endpoints.logOut(live.token))
            } catch {
                guard error.server?.code == "bad_jwt", !isOver, session.refreshToken != nil else { throw error }
                try send(endpoints.logOut(try refresh(session).token))
            }
        }
    }

    func currentUser(_ session: Session) throws(BackendError) -> Reply<User> {
        Reply(SupabasePayloads.user(try send(endpoints.user(session.token))))
    }

    func logIn(token: Secret) throws(BackendError) -> Reply<NewSession> {
        var session = Session(foreign: token)
        session.id = SupabasePayloads.id(of: token)
        let user = SupabasePayloads.user(try send(endpoints.user(token, .logInWithToken)))
        return Reply(NewSession(user: user, session: session))
    }
}

extension SupabaseBackend: SessionRefreshing, SessionsEnding {
    func refresh(_ session: Session) throws(BackendError) -> Session {
        let payload = try send(endpoints.refresh(try session.requiredRefreshToken()))
        var new = try SupabasePayloads.session(payload, at: server.clock.now(), masker).orNoSession()
        new.refreshToken = new.refreshToken ?? session.refreshToken
        (new.id, new.createdAt) = (session.id, session.createdAt)
        return new
    }

    func endSessions(exceptCurrent: Bool, of session: Session) throws(BackendError) -> Reply<Void> {
        try send(endpoints.logOut(session.token, scope: exceptCurrent ? "others" : "global"))
        return Reply(())
    }
}

extension SupabaseBackend: AnonymousLogin {
    /// Ignores `identity`: the server chooses the id.
    func logInAnonymously(identity: String) throws(BackendError) -> Reply<NewSession> {
        var new = try logIn(endpoints.signUp([:], nil, data: [:])).new
        new.createdAccount = true
        return Reply(new)
    }

    var stepToKeepAccount: NextStep? {
        NextStep(
            "give it an e-mail, and then a password with 'password change --new-password-file FILE'",
            run: ["account", "update", "--email", "ADDRESS"])
    }
}

extension SupabaseBackend {
    func logIn(_ credentials: Credentials, code: Secret?) throws(BackendError) -> Reply<LogInOutcome> {
        Reply(try LogInOutcome(try newSession(credentials, code)))
    }

    /// A login gives a session of the first level, which the code raises. Without a factor, the code is not used.
    private func newSession(_ credentials: Credentials, _ code: Secret?) throws(BackendError) -> NewSession {
        var (new, user) = try logIn(endpoints.logIn(credentials.login, credentials.password))
        if let code, let factor = SupabasePayloads.secondFactor(user, new.session).totp {
            let token = new.session.token
            do throws(BackendError) {
                new = try raise(token, factor, code)
            } catch {
                // `try?`: the session is not used, and ends by itself.
                _ = try? send(endpoints.logOut(token))
                throw error
            }
        }
        try Self.require(new.user, named: credentials.login)
        return new
    }
}

extension SupabaseBackend {
    /// Raises a session to the second level.
    private func raise(_ token: Secret, _ factor: String, _ code: Secret) throws(BackendError) -> NewSession {
        let challenge = try send(endpoints.challenge(factor, token))["id"]?.identifier ?? ""
        return try logIn(endpoints.verify(factor, challenge: challenge, code: code, token)).new
    }

    func request(_ pending: Pending, of login: String) throws(BackendError) -> Pending {
        guard pending.step == .logInCode else { return pending }
        try send(endpoints.sendCode(to: login, creatingWith: nil))
        return Pending(.logInCode, token: .forAddress(login))
    }

    /// - Parameter pending: the address, or the token of a reset that waits for the second factor of its account.
    func resume(_ pending: Secret, code: Secret) throws(BackendError) -> Reply<LogInOutcome> {
        if let (name, session) = keptReset(pending) {
            let user = try send(endpoints.user(session.token))
            guard let factor = SupabasePayloads.secondFactor(user, session).totp else {
                throw BackendError(.unsupported, "the account has no second factor whose code authctl can send")
            }
            let raised = try raise(session.token, factor, code).session
            return Reply(.waits(Pending(.newPassword, token: Self.token(ofReset: name, raised)), nil))
        }
        let key = try SupabaseMailKey(MailKey(code.reveal()), masker)
        guard !["recovery", "email_change"].contains(key.type) else {
            throw .isFor(key.type == "recovery" ? .resetPassword : .verifyEmail, Self.otherPurpose)
        }
        let fields = try key.fields(key.type ?? "email", pending.address)
        return Reply(.session(try logIn(endpoints.verify(fields, .secondFactor)).new))
    }
}

extension SupabaseBackend: BrowserSessionStoring {
    /// The entry of Supabase's JavaScript client: the session, under the first label of the host. @supabase/ssr, which
    /// pages with a server of their own use, keeps the same session in cookies of the page.
    func browserState(
        of session: Session, _ saved: User, for page: BrowserPage
    ) throws(BackendError) -> BrowserState? {
        let user = try send(endpoints.user(session.token))
        let (now, end) = (server.clock.now().seconds, session.expiresAt?.seconds)
        let entry: JSONValue = [
            "access_token": .string(session.token.reveal()), "token_type": "bearer",
            "expires_in": end.map { .integer(max(0, $0 - now)) } ?? .null,
            "expires_at": end.map { .integer($0) } ?? .null,
            "refresh_token": JSONValue(session.refreshToken?.reveal()), "user": .object(user),
        ]
        let label = URLParts(server.base)?.host.prefix { $0 != "." } ?? ""
        let name = "sb-\(label)-auth-token"
        let cookies = Self.parts(of: entry.text).map { part in
            var cookie = Cookie(name + part.suffix, part.value, domain: page.origin.host)
            cookie.isHTTPOnly = false
            return cookie
        }
        return BrowserState(cookies: cookies, localStorage: [.init(name, Secret(entry.text))])
    }

    /// The value of @supabase/ssr's cookie, or of its numbered parts if it is longer than 3,180 characters. Source: the
    /// package's `cookies.ts` and `utils/chunker.ts`.
    private static func parts(of text: String) -> [(suffix: String, value: Secret)] {
        let encoded = Array(text.utf8).base64Encoded.replacing("+", with: "-").replacing("/", with: "_")
        let (value, length) = (Array("base64-\(encoded.filter { $0 != "=" })".utf8), 3180)
        return stride(from: 0, to: value.count, by: length).map { start in
            let part = value[start..<min(start + length, value.count)]
            return (
                value.count > length ? ".\(start / length)" : "", Secret(String(decoding: part, as: UTF8.self))
            )
        }
    }
}

/// Requests to the APIs of the project: `/rest/v1/…`, `/functions/v1/…`.
extension SupabaseBackend {
    func send(
        _ request: HTTPRequest, below base: String?, with session: Session?
    ) throws(BackendError) -> Reply<RequestAnswer> {
        let isCustom = request.url.hasPrefix("\(try requestBase())/functions/v1/")
        return Reply(try answer(to: request, below: base, session.map(headers), isCustom: isCustom))
    }

    /// Whether the request goes to the Data API, whose lists have `offset` and `limit`.
    private func isOfDataAPI(_ request: HTTPRequest, _ base: String?) throws(BackendError) -> Bool {
        let dataAPI = "\(try requestBase())/rest/v1/"
        return base == nil && request.url.hasPrefix(dataAPI)
    }

    /// Source: PostgREST, "Pagination"; Supabase, setting "Max rows".
    func pages(of request: HTTPRequest, below base: String?) throws(BackendError) -> QueryPages? {
        guard try isOfDataAPI(request, base) else { return nil }
        return QueryPages(
            position: .rows("offset"), size: ("limit", 1000), order: "order", isPage: { $0 == .array })
    }
}

extension SupabaseBackend: ChangedRowsShowing {
    /// A row that a policy hides is left out without an error. Source: PostgREST, "Prefer", `return=representation`.
    func showingChangedRows(of request: HTTPRequest, below base: String?) throws(BackendError) -> HTTPRequest {
        var request = request
        if [.patch, .delete].contains(request.method), try isOfDataAPI(request, base) {
            request.headers["Prefer"] = "return=representation"
        }
        return request
    }

    /// `RETURNING` needs the right to read each column of the row. Source: PostgreSQL, UPDATE; PostgREST, "Prefer".
    func countingChangedRows(of shown: HTTPRequest) -> HTTPRequest? {
        guard shown.headers["Prefer"] == "return=representation" else { return nil }
        var request = shown
        request.headers["Prefer"] = "return=minimal,count=exact"
        return request
    }
}
