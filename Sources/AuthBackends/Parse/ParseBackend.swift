import AuthModel
import JSON
import Platform
import Transport

struct ParseBackend: ServerBackend {
    typealias Errors = ParseErrors

    let endpoints: ParseEndpoints
    var server: ServerClient
    /// Whether the server is the one in this program. It reports more than a Parse Server, requests to it are cheap, and
    /// it accepts only Facebook's identities.
    let isEmbedded: Bool
    /// Whether a signup has shown that the server keeps the case of usernames.
    private let keepsCase = Remembered<Bool>()

    func signUp(_ account: NewAccount) throws(BackendError) -> Reply<SignUpOutcome> {
        var account = account
        if isEmbedded {
            account.fields["emailVerified"] = account.state.emailVerified.map(JSONValue.bool)
            account.fields[ParsePayloads.hashMember] = account.passwordHash.map { .string($0.text.reveal()) }
        }
        return Reply(try signUp(account, by: endpoints.signUp(account)))
    }

    func signUp(_ account: NewAccount, by request: Call) throws(BackendError) -> SignUpOutcome {
        let (status, payload): (Int, JSONObject)
        do throws(BackendError) {
            (status, payload) = try answer(to: request)
        } catch {
            // If `preventSignupWithUnverifiedEmail` is set, the server creates the account and sends the e-mail, then
            // responds with this error. Source: Parse Server 6.3 and later, `RestWrite.execute`.
            guard error.reason == .emailUnverified else { throw error }
            return .waits(.emailVerification, ParsePayloads.user([:], from: account))
        }
        var user = completed(ParsePayloads.user(payload, from: account))
        // A response without a token means that the server requires a verified address before the first login.
        guard let token = ParsePayloads.token(payload, masker) else { return .waits(.emailVerification, user) }
        let session = session(token)
        // Status 200: an identity in `authData` belongs to an account, and this is its user.
        guard status == 201 else { return .session(NewSession(user: self.user(payload), session: session)) }
        // The response of a Parse Server has fields only if a hook has changed some, and the username as sent, even if
        // `convertUsernameToLowercase` is set. Source: the exchanges `conv.signup`, `conv.me`.
        let hasFields = !account.fields.isEmpty && (isEmbedded || !user.fields.isEmpty)
        let hasCapitals = account.username.map { $0 != $0.lowercased() } ?? false
        let mayBeRewritten = hasCapitals && !isEmbedded && keepsCase.value != true
        // `try?`: the account exists even if the stored values are unknown.
        if hasFields || mayBeRewritten, let row = try? send(endpoints.currentUser(session)) {
            user = completed(ParsePayloads.user(row, from: account))
            if mayBeRewritten { keepsCase.value = user.username == account.username }
        }
        return .session(NewSession(user: user, session: session, createdAccount: true))
    }

    func logOut(_ session: Session) throws(BackendError) -> Reply<Revocation> {
        try revoking { () throws(BackendError) in _ = try send(endpoints.logOut(session)) }
    }

    func currentUser(_ session: Session) throws(BackendError) -> Reply<User> {
        Reply(user(try send(endpoints.currentUser(session))))
    }

    /// Returns the status and the body of a successful response.
    func answer(to call: Call) throws(BackendError) -> (status: Int, payload: JSONObject) {
        let response = try server.response(to: call)
        return (response.http.status, try ParseErrors.check(response, call.required))
    }

    /// Reads the session of a login response.
    func logIn(from payload: JSONObject) throws(BackendError) -> NewSession {
        NewSession(user: user(payload), session: session(try token(in: payload)))
    }

    /// Logs in. Throws an error if the response contains the session of a user other than `login`.
    func logIn(_ call: Call, as login: String) throws(BackendError) -> NewSession {
        let response = try server.response(to: call)
        var logIn = try logIn(from: try ParseErrors.check(response, call.required))
        logIn.accountAge = response.age(of: logIn.user, at: isEmbedded ? response.now : nil)
        let names = [logIn.user.username, logIn.user.email].compactMap { $0?.lowercased() }
        // Parse Server's option `protectedFields` may hide the name that the user logged in with. Source: Parse Server
        // 9.9, pull request 10409.
        let isHidden = logIn.user.username == nil || logIn.user.email == nil && login.utf8.contains(UInt8(ascii: "@"))
        guard isHidden || names.contains(login.lowercased()) else {
            // Best effort: revoke the session that must not be used.
            _ = try? logOut(logIn.session)
            throw .sessionOfOtherUser
        }
        return logIn
    }

    func user(_ payload: JSONObject) -> User { completed(ParsePayloads.user(payload)) }

    func completed(_ user: User) -> User {
        guard isEmbedded else { return user }
        var user = user
        user.identities = user.identities ?? []
        user.lacksEmail = user.email == nil
        return user
    }

    func token(in payload: JSONObject) throws(BackendError) -> Secret {
        try ParsePayloads.token(payload, masker).orNoSession()
    }

    /// Returns the session of a token that the server has just issued, with id and times if they are available.
    func session(_ token: Secret) -> Session {
        let session = Session(token: token)
        guard isEmbedded else { return session }
        let request = endpoints.currentSession(session)
        // `try?`: the login succeeded even if id and times are unknown.
        return (try? describe(session, by: request)) ?? session
    }

    func requestServer() -> ServerClient { server }

    func send(
        _ request: HTTPRequest, below base: String?, with session: Session?
    ) throws(BackendError) -> Reply<RequestAnswer> {
        let answer = try answer(to: request, below: base, session.map(headers))
        return Reply(answer, replacement: base == nil ? newSession(in: answer, to: request) : nil)
    }

    /// Source: Parse REST guide, "Queries"; Parse Server, option `maxLimit`.
    func pages(of request: HTTPRequest, below base: String?) -> QueryPages? {
        guard base == nil else { return nil }
        return QueryPages(
            position: .rows("skip"), size: ("limit", 100), order: "order", id: "objectId", isPage: { $0 == .results })
    }

    /// Returns the new session in the response to a password change, which revokes all existing sessions of the user.
    /// No other update returns a session.
    private func newSession(in answer: RequestAnswer, to request: HTTPRequest) -> Session? {
        guard request.method == .put,
            ["/users/", "/classes/_User/"].contains(where: { request.url.hasPrefix(endpoints.base + $0) }),
            let token = answer.heldObject.flatMap({ ParsePayloads.token($0, masker) })
        else { return nil }
        let session = Session(token: token)
        // `try?`: the token is valid even if id and times are unknown.
        return isEmbedded ? (try? describe(session, within: nil)) ?? session : session
    }
}

extension ParseBackend: SessionDescribing {
    func describe(_ session: Session, within limit: Duration?) throws(BackendError) -> Session {
        var call = endpoints.currentSession(session)
        if let limit { call.request.timeLimit = limit }
        return try describe(session, by: call)
    }

    private func describe(_ session: Session, by call: Call) throws(BackendError) -> Session {
        let row = try send(call)
        var session = session
        session.id = row["objectId"]?.string
        session.createdAt = row["createdAt"]?.string.flatMap { Instant($0) }
        session.expiresAt = ParsePayloads.date(row["expiresAt"])
        return session
    }
}

extension ParseBackend: SessionListing {
    func sessions(of session: Session) throws(BackendError) -> Reply<[SessionSummary]> {
        var limited = self
        limited.server.transport = server.transport.sharingTimeLimit()
        let current = try limited.send(endpoints.currentSession(session))["objectId"]?.string
        var items: [SessionSummary] = []
        var (ids, lastIDs): (Set<String>, [String]) = ([], [])
        var count = 0
        // Only an empty page is the last one: the server may limit pages (`maxLimit`), and a hook may leave out rows.
        while count < SessionSummary.mostListed {
            let rows =
                try limited.send(endpoints.sessions(session, skipping: count))["results"]?.array ?? []
            let page = rows.compactMap { $0.object.flatMap { ParsePayloads.session($0, currentID: current) } }
            if rows.isEmpty { break }
            // A server that ignores `skip` would return the same page forever.
            if !page.isEmpty && page.map(\.id) == lastIDs { throw .repeatsPage }
            lastIDs = page.map(\.id)
            items += page.filter { ids.insert($0.id).inserted }
            count += rows.count
        }
        return Reply(Array(items.prefix(SessionSummary.mostListed)))
    }

    func endSession(id: String, of session: Session) throws(BackendError) -> Reply<Void> {
        try send(endpoints.endSession(id: id, session))
        return Reply(())
    }
}

extension ParseBackend: BrowserSessionStoring {
    /// The user as Parse's JavaScript SDK saves it: all members that the server returns, such as the `authData` of an
    /// anonymous user. Source: Parse-SDK-JS, `ParseUser.updateUserOnDisk` and `Storage.generatePath`.
    func browserState(
        of session: Session, _ saved: User, for page: BrowserPage
    ) throws(BackendError) -> BrowserState? {
        var object: JSONObject
        do throws(BackendError) {
            object = try send(endpoints.currentUser(session))
        } catch {
            // Without the server, the saved user is enough for most pages.
            guard [.unreachable, .serverError].contains(error.outcome), saved.id != nil else { throw error }
            object = ParsePayloads.object(of: saved)
        }
        object["__type"] = nil
        object["className"] = "_User"
        object["sessionToken"] = .string(session.token.reveal())
        let name = "Parse/\(endpoints.appID)/currentUser"
        return BrowserState(localStorage: [.init(name, Secret(JSONValue.object(object).text))])
    }
}
