import AuthModel
import JSON
import Platform
import Transport

/// The requests of Parse's REST API for users and sessions.
///
/// Source: Parse REST guide, "Users" and "Sessions"; checked against servers 3.10 to 8.2. A session token is sent only
/// where it is needed: a stale one makes a signup fail with 209.
struct ParseEndpoints: Sendable {
    /// With the mount path, without a final slash.
    let base: String
    let appID: String
    /// The REST key, where the server has one set; a server without one takes any.
    let clientKey: Secret?

    init(base: String, appID: String, clientKey: Secret? = nil) {
        self.base = base
        self.appID = appID
        self.clientKey = clientKey
    }

    /// `POST /users`: 201 with `objectId`, `createdAt`, `sessionToken`.
    func signUp(_ account: NewAccount) -> HTTPRequest {
        var fields = account.fields
        fields["username"] = account.username.map(JSONValue.string)
        fields["password"] = .string(account.password.reveal())
        fields["email"] = account.email.map(JSONValue.string)
        return startingSession("users", fields)
            .carrying(account.password).naming(account.username, account.email)
    }

    /// `POST /login`: 200 with the whole user and `sessionToken`. The name may be an e-mail.
    ///
    /// `GET /login` does the same but would put the password into access logs.
    func logIn(_ credentials: Credentials) -> HTTPRequest {
        startingSession(
            "login",
            ["username": .string(credentials.login), "password": .string(credentials.password.reveal())]
        ).carrying(credentials.password).naming(credentials.login)
    }

    /// The same with a code of the second factor (6.4 and later; older servers do not look at it).
    func logIn(_ credentials: Credentials, code: Secret) -> HTTPRequest {
        startingSession(
            "login",
            [
                "username": .string(credentials.login), "password": .string(credentials.password.reveal()),
                "authData": ["mfa": ["token": .string(code.reveal())]],
            ]
        ).carrying(credentials.password, code).naming(credentials.login)
    }

    /// `GET /users/me`: 200 with the user.
    func currentUser(_ session: Session) -> HTTPRequest {
        request(.get, "users/me", session)
    }

    /// `POST /logout`: 200 `{}`.
    func logOut(_ session: Session) -> HTTPRequest {
        // What a second one finds is a session that is dead already, as it should be.
        request(.post, "logout", session, body: [:], isRepeatable: true)
    }

    /// `GET /sessions`: 200 with `results`. Rows would carry their tokens if these were not excluded (3.6 and later).
    func sessions(_ session: Session, skipping count: Int) -> HTTPRequest {
        request(
            .get, "sessions?excludeKeys=sessionToken&order=-createdAt&limit=\(Self.pageSize)&skip=\(count)", session)
    }

    static let pageSize = 100

    /// `GET /sessions/me`: 200 with the row of this token.
    func currentSession(_ session: Session) -> HTTPRequest {
        request(.get, "sessions/me", session)
    }

    /// `DELETE /sessions/<id>`: 200 `{}`; another's or an unknown one 404 with code 101.
    func endSession(id: String, _ session: Session) -> HTTPRequest {
        request(.delete, "sessions/\(id.percentEncoded)", session)
    }

    /// `POST /users` with an anonymous identity: 201 with `objectId`, `createdAt`, `sessionToken`.
    ///
    /// - Parameter identity: a name that nobody else will think of; the same one again would be a log-in.
    func signUpAnonymously(identity: String) -> HTTPRequest {
        startingSession("users", ["authData": ["anonymous": ["id": .string(identity)]]]).carrying(Secret(identity))
    }

    /// `POST /users` with a Facebook identity: 201 with `objectId`, `createdAt`, `sessionToken` for a new user; 200 with
    /// the whole user and `sessionToken` for a known one.
    ///
    /// - Parameters:
    ///   - identity: `{"id", "access_token"}`, or `{"id", "token"}` of Limited Login.
    ///   - token: the one in it.
    func logIn(facebook identity: JSONValue, _ token: Secret) -> HTTPRequest {
        startingSession("users", ["authData": ["facebook": identity]]).carrying(token)
    }

    /// `PUT /users/<objectId>` with an identity as above: 200.
    func linkFacebook(_ identity: JSONValue, _ token: Secret, id: String, _ session: Session) -> HTTPRequest {
        updateUser(id: id, ["authData": ["facebook": identity]], session).carrying(token)
    }

    /// `PUT /users/<objectId>` with `null` in the place of the identity: 200.
    func unlinkFacebook(id: String, _ session: Session) -> HTTPRequest {
        updateUser(id: id, ["authData": ["facebook": .null]], session)
    }

    /// `PUT /users/<objectId>`: 200 with `updatedAt`, and `sessionToken` where the password was changed: the other
    /// sessions are dead then, the one that asked among them.
    func updateUser(id: String, _ fields: JSONObject, _ session: Session) -> HTTPRequest {
        request(.put, "users/\(id.percentEncoded)", session, body: fields).expecting(tokens: Self.tokens)
    }

    /// The same with a new password.
    func changePassword(to password: Secret, id: String, _ session: Session) -> HTTPRequest {
        updateUser(id: id, ["password": .string(password.reveal())], session).carrying(password)
    }

    /// `POST /requestPasswordReset`: 200 `{}`, mostly for unknown addresses too.
    func resetPassword(email: String) -> HTTPRequest {
        request(.post, "requestPasswordReset", nil, body: ["email": .string(email)])
    }

    /// `POST /verificationEmailRequest`: 200 `{}`; unknown address 205, one that is verified already -1.
    func sendVerification(email: String) -> HTTPRequest {
        request(.post, "verificationEmailRequest", nil, body: ["email": .string(email)])
    }

    /// `GET /apps/<application>/verify_email`: the page behind a mailed link; 200 when the address is confirmed.
    func verifyEmail(key: String) -> HTTPRequest {
        HTTPRequest(.get, "\(base)/apps/\(appID.percentEncoded)/verify_email?token=\(key.percentEncoded)")
            .carrying(Secret(key))
    }

    private static let tokens = ["sessionToken"]

    private func startingSession(_ path: String, _ fields: JSONObject) -> HTTPRequest {
        var request = request(.post, path, nil, body: fields)
        // No version here needed it; old hosts gave tokens that no list showed without it.
        request.headers["X-Parse-Revocable-Session"] = "1"
        return request.expecting(tokens: Self.tokens)
    }

    private func request(
        _ method: HTTPRequest.Method, _ path: String, _ session: Session?, body: JSONObject? = nil,
        isRepeatable: Bool? = nil
    ) -> HTTPRequest {
        var headers: HTTPHeaders = ["X-Parse-Application-Id": appID]
        if let clientKey { headers["X-Parse-REST-API-Key"] = clientKey.reveal() }
        if let session { headers["X-Parse-Session-Token"] = session.token.reveal() }
        if body != nil { headers["Content-Type"] = "application/json" }
        return HTTPRequest(
            method, "\(base)/\(path)", headers: headers, body: body.map { JSONValue.object($0).bytes },
            isRepeatable: isRepeatable
        ).carrying(applicationKeys: clientKey).carrying(tokensOf: session)
    }
}
