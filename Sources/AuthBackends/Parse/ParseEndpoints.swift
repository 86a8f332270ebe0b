import AuthModel
import JSON
import Platform
import Transport

/// The requests of Parse's REST API for users and sessions.
///
/// Source: Parse REST guide, "Users" and "Sessions"; checked against Parse Server 3.10 to 9.5. A session token is sent
/// only if it is needed, because an invalid token makes a signup fail with error code 209.
struct ParseEndpoints: Endpoints {
    /// The server URL with the mount path, without a trailing slash.
    let base: String
    let appID: String
    /// The REST key, if the server requires one. Other servers ignore it.
    var clientKey: Secret?

    /// `POST /users`: 201 with `objectId` and `createdAt`, and with `sessionToken` unless the server requires a
    /// verified address for logins.
    ///
    /// - Parameter masterKey: creates an account even if signups are closed. Source: the exchange `signup.master-key`.
    func signUp(_ account: NewAccount, _ masterKey: Secret? = nil) -> Call {
        var fields = account.fields
        fields["objectId"] = account.id.map(JSONValue.string)
        fields["username"] = account.username.map(JSONValue.string)
        fields["password"] = account.password.map { .string($0.reveal()) }
        fields["email"] = account.email.map(JSONValue.string)
        return startingSession(.signUp, "users", fields, masterKey)
    }

    /// `POST /login`: 200 with the complete user and `sessionToken`. The name may be an e-mail address.
    ///
    /// `GET /login` does the same but would put the password into access logs.
    ///
    /// - Parameter code: a code of the second factor. Parse Server before 6.4 ignores it.
    func logIn(_ credentials: Credentials, code: Secret? = nil) -> Call {
        var fields = fields(credentials)
        if let code { fields["authData"] = ["mfa": ["token": .string(code.reveal())]] }
        return startingSession(code == nil ? .logIn : .secondFactor, "login", fields)
    }

    private func fields(_ credentials: Credentials) -> JSONObject {
        ["username": .string(credentials.login), "password": .string(credentials.password.reveal())]
    }

    /// `GET /users` with the master key: 200 with `results`, the users with exactly this username or e-mail. Source: the
    /// exchange `admin.user-find-by-email`.
    func users(named name: String, _ masterKey: Secret) -> Call {
        let name = JSONValue.string(name)
        let filter = Self.filter(["$or": [["username": name], ["email": name]]])
        return call(.listUsers, .get, "users?\(filter)", nil, masterKey: masterKey)
    }

    /// `GET /users` of the embedded server: 200 with `results`, the users with exactly this username or e-mail.
    func usersLocally(named name: String) -> Call {
        call(.listUsers, .get, "users?named=\(name.percentEncoded)", nil)
    }

    private static func filter(_ conditions: JSONObject) -> String {
        "where=\(JSONValue.object(conditions).text.percentEncoded)"
    }

    /// `GET /schemas`: 200 with `results`, all classes; 403 without a valid master key. Source: the exchanges
    /// `admin.schemas` and `schemas.nomaster`.
    func schemas(_ masterKey: Secret?) -> Call {
        var call = call(.checkAdminKey, .get, "schemas", nil, masterKey: masterKey)
        call.request.reception = .whole(limit: 8 << 20)
        return call
    }

    /// The path of the objects of a class. Source: Parse REST guide, "Users", "Sessions" and "Roles".
    static func path(ofClass name: String) -> String {
        ["_User": "/users", "_Session": "/sessions", "_Role": "/roles"][name] ?? "/classes/\(name.percentEncoded)"
    }

    /// `GET /users` with the master key: 200 with `results`, users with ids greater than `id`. If `skip` were used
    /// instead, the server would read all earlier rows again. The first page has no condition: Parse Server on
    /// PostgreSQL rejects `$gt` with an empty string.
    func users(after id: String?, limit: Int, _ masterKey: Secret) -> Call {
        let query = id.map { Self.filter(["objectId": ["$gt": .string($0)]]) + "&" } ?? ""
        return call(.listUsers, .get, "users?\(query)order=objectId&limit=\(limit)", nil, masterKey: masterKey)
    }

    /// `GET /users` of the embedded server, which has no master key.
    func usersLocally(after id: String, limit: Int, withHashes: Bool = false) -> Call {
        let hashes = withHashes ? "&hashes=1" : ""
        return call(.listUsers, .get, "users?after=\(id.percentEncoded)&limit=\(limit)\(hashes)", nil)
    }

    /// `GET /users/<objectId>` with the master key: 200 with the complete user; error code 101 for an unknown id.
    ///
    /// - Parameter masterKey: `nil` for the embedded server, which accepts any master key from its own process.
    func user(id: String, _ masterKey: Secret?) -> Call {
        call(.readUser, .get, "users/\(id.percentEncoded)", nil, masterKey: masterKey ?? Self.localKey)
    }

    /// `DELETE /users/<objectId>` with the master key: 200 `{}`.
    func deleteUser(id: String, _ masterKey: Secret?) -> Call {
        call(.deleteAccount, .delete, "users/\(id.percentEncoded)", nil, masterKey: masterKey ?? Self.localKey)
    }

    /// `PUT /users/<objectId>` with the master key: 200 with `updatedAt`; error code 101 for an unknown id. A new password
    /// ends the user's sessions. Source: the exchanges `admin.user-*`.
    func changeUser(id: String, _ fields: JSONObject, _ masterKey: Secret?) -> Call {
        call(
            .changeUser, .put, "users/\(id.percentEncoded)", nil, masterKey: masterKey ?? Self.localKey, body: fields)
    }

    /// `GET /roles` with the master key: 200 with `results`, at most 100 rows, and `count`, the number of all rows. Source:
    /// the exchanges `role.find`, `role.of-user` and, for `count`, `sessions.list-count`.
    func roles(where conditions: JSONObject, skipping count: Int, _ masterKey: Secret?) -> Call {
        let filter = conditions.isEmpty ? "" : "\(Self.filter(conditions))&"
        let query = "\(filter)order=objectId&count=1&skip=\(count)"
        return call(.readUser, .get, "roles?\(query)", nil, masterKey: masterKey ?? Self.localKey)
    }

    /// `GET /users` with the master key: 200 with `results`, the users of a role with ids greater than `id`, and `count`,
    /// the number of all of them. Sources: the exchanges `role.users`, `lim.users-after`, `users.list-anon` for `keys` and
    /// `users.list-count`; the guide, "Relational queries". The server adds the users of the role to the condition for the
    /// id: `addInObjectIdsIds` of its `DatabaseController`.
    func users(ofRole role: String, after id: String?, _ masterKey: Secret) -> Call {
        var conditions: JSONObject = [
            "$relatedTo": ["object": Self.pointer(to: role, of: "_Role"), "key": "users"]
        ]
        if let id { conditions["objectId"] = ["$gt": .string(id)] }
        let query = "\(Self.filter(conditions))&keys=objectId&order=objectId&count=1&limit=1000"
        var call = call(.listUsers, .get, "users?\(query)", nil, masterKey: masterKey)
        // Each row may have an ACL.
        call.request.reception = .whole(limit: 8 << 20)
        return call
    }

    /// `PUT /roles/<objectId>` with the master key: 200, also for an unknown user, and if it changes nothing; error code
    /// 101 for an unknown role. Source: the exchanges `role.add-*`, `role.remove-*`.
    ///
    /// - Parameter operation: `AddRelation` or `RemoveRelation`.
    func changeRole(id: String, _ operation: String, user: String, _ masterKey: Secret?) -> Call {
        call(
            .changeUser, .put, "roles/\(id.percentEncoded)", nil, masterKey: masterKey ?? Self.localKey,
            body: ["users": ["__op": .string(operation), "objects": [Self.pointer(to: user)]]])
    }

    static func pointer(to id: String, of className: String = "_User") -> JSONValue {
        ["__type": "Pointer", "className": .string(className), "objectId": .string(id)]
    }

    /// `GET /sessions` with the master key: 200 with `results`, at most 100 sessions of the user. Source: the exchange
    /// `admin.sessions-of-user`.
    func sessions(ofUser id: String, _ masterKey: Secret) -> Call {
        let filter = Self.filter(["user": Self.pointer(to: id)])
        return call(.readUser, .get, "sessions?\(filter)&excludeKeys=sessionToken", nil, masterKey: masterKey)
    }

    /// `DELETE /sessions/<objectId>` with the master key: 200 `{}`; error code 101 for an unknown id. Source: the exchange
    /// `admin.session-delete`.
    func endSession(id: String, _ masterKey: Secret) -> Call {
        call(.changeUser, .delete, "sessions/\(id.percentEncoded)", nil, masterKey: masterKey)
    }

    /// `POST /logout` of the embedded server: 200 `{}`; ends all sessions of the user.
    func endSessionsLocally(ofUser id: String) -> Call {
        call(.changeUser, .post, "logout", nil, masterKey: Self.localKey, body: ["user": .string(id)])
    }

    private static let localKey = Secret("local")

    /// `POST /loginAs` with the master key: 200 with the complete user and `sessionToken`; error code 162 if the id is
    /// missing, 101 if it is unknown. If the master key is wrong, a server without client keys sends error code 119,
    /// and other servers send 403. Parse Server before 5.0 sends a 404 page.
    func logIn(asUser id: String?, _ masterKey: Secret) -> Call {
        call(.impersonate, .post, "loginAs", nil, masterKey: masterKey, body: id.map { ["userId": .string($0)] } ?? [:])
    }

    /// `POST /loginAs` of the embedded server, which has no master key: 200, or error code 101 for an unknown username.
    func logInLocally(as username: String) -> Call {
        call(.impersonate, .post, "loginAs", nil, body: ["username": .string(username)])
    }

    /// `POST /verifyPassword`: 200 with the user. Creates no session and requires no second factor. Parse Server before
    /// 7.1 sends a 404 page. All versions have `GET /verifyPassword`, but it would put the password into access logs.
    func verifyPassword(_ credentials: Credentials) -> Call {
        call(.verifyPassword, .post, "verifyPassword", nil, body: fields(credentials))
    }

    /// `GET /users/me`: 200 with the user.
    func currentUser(_ session: Session, _ operation: Operation = .currentUser) -> Call {
        call(operation, .get, "users/me", session)
    }

    /// `POST /logout`: 200 `{}`.
    func logOut(_ session: Session) -> Call {
        // Idempotent: if a retry reports an invalid session, the first attempt has revoked it.
        call(.logOut, .post, "logout", session, body: [:], isIdempotent: true)
    }

    /// `GET /sessions`: 200 with `results`. `excludeKeys` (Parse Server 3.6 and later) removes tokens from the rows.
    func sessions(_ session: Session, skipping count: Int) -> Call {
        call(
            .listSessions, .get,
            "sessions?excludeKeys=sessionToken&order=-createdAt&limit=\(Self.pageSize)&skip=\(count)", session)
    }

    static let pageSize = 100

    /// `GET /sessions/me`: 200 with the row of the session that the token belongs to.
    func currentSession(_ session: Session) -> Call {
        call(.currentUser, .get, "sessions/me", session)
    }

    /// `DELETE /sessions/<id>`: 200 `{}`; 404 with error code 101 for an unknown id or another user's session.
    func endSession(id: String, _ session: Session) -> Call {
        call(.revokeSession, .delete, "sessions/\(id.percentEncoded)", session)
    }

    /// `POST /users` with an anonymous identity: 201 with `objectId`, `createdAt`, `sessionToken`.
    ///
    /// - Parameter identity: a random id. A second request with the same id logs in as the same user.
    func signUpAnonymously(identity: String) -> Call {
        startingSession(.logInAnonymously, "users", ["authData": ["anonymous": ["id": .string(identity)]]])
    }

    /// `POST /users` with an identity: 201 with `objectId`, `createdAt`, `sessionToken` for a new user; 200 with the
    /// complete user and `sessionToken` for an existing user.
    func logIn(_ provider: IdentityProvider, _ authData: JSONValue) -> Call {
        startingSession(.logInWithIdentity, "users", ["authData": .object([provider.name: authData])])
    }

    /// `PUT /users/<objectId>` with an identity: 200.
    ///
    /// - Parameter authData: `null` unlinks the provider.
    func link(_ provider: IdentityProvider, _ authData: JSONValue, id: String, _ session: Session) -> Call {
        updateUser(
            id: id, ["authData": .object([provider.name: authData])], session,
            authData == .null ? .unlinkIdentity : .linkIdentity)
    }

    /// `PUT /users/<objectId>`: 200 with `updatedAt`, and `sessionToken` if the password was changed. By default, a
    /// password change revokes all existing sessions, including the session of the request.
    func updateUser(
        id: String, _ fields: JSONObject, _ session: Session, _ operation: Operation = .updateUser
    ) -> Call {
        call(operation, .put, "users/\(id.percentEncoded)", session, body: fields)
    }

    /// `DELETE /users/<objectId>`: 200 `{}`. All sessions of the user are invalid afterwards.
    func deleteUser(id: String, _ session: Session) -> Call {
        call(.deleteAccount, .delete, "users/\(id.percentEncoded)", session)
    }

    /// `POST /requestPasswordReset`: 200 `{}`, on most servers even for unknown addresses.
    func resetPassword(email: String) -> Call {
        call(.requestPasswordReset, .post, "requestPasswordReset", nil, body: ["email": .string(email)])
    }

    /// `POST /verificationEmailRequest`: 200 `{}`; error code 205 for an unknown address, -1 for a verified one.
    func sendVerification(email: String) -> Call {
        call(.sendVerification, .post, "verificationEmailRequest", nil, body: ["email": .string(email)])
    }

    /// `GET /apps/<application>/verify_email`: 200 with a page, or a redirect to one, which authctl does not open. Only
    /// the embedded server sends 400 for an invalid link.
    func verifyEmail(key: String, username: String?) -> Call {
        let name = username.map { "&username=\($0.percentEncoded)" } ?? ""
        var request = HTTPRequest(
            .get, "\(base)/apps/\(appID.percentEncoded)/verify_email?token=\(key.percentEncoded)\(name)")
        request.followsRedirects = false
        return Call(.verifyEmail, request)
    }

    /// `POST /apps/<application>/request_password_reset`: submits the form that a reset link opens; 200 with a message.
    /// With `X-Requested-With`, all versions respond in JSON. Without it, the response is a redirect, or a page in
    /// Parse Server 9.
    func resetPassword(token: String, username: String?, to password: Secret) -> Call {
        let fields =
            [("token", token), ("new_password", password.reveal())] + (username.map { [("username", $0)] } ?? [])
        let request = HTTPRequest(
            .post, "\(base)/apps/\(appID.percentEncoded)/request_password_reset",
            headers: [
                "Content-Type": "application/x-www-form-urlencoded", "X-Requested-With": "XMLHttpRequest",
                "Accept": "application/json",
            ],
            body: Array(fields.map { "\($0.0)=\($0.1.percentEncoded)" }.joined(separator: "&").utf8))
        return Call(.finishPasswordReset, request)
    }

    func headers(of session: Session) -> SessionHeaders {
        SessionHeaders("X-Parse-Session-Token", session, application: visitor)
    }

    var visitor: HTTPHeaders {
        var headers: HTTPHeaders = ["X-Parse-Application-Id": appID]
        if let clientKey { headers.add("X-Parse-REST-API-Key", clientKey.reveal()) }
        return headers
    }

    private func startingSession(
        _ operation: Operation, _ path: String, _ fields: JSONObject, _ masterKey: Secret? = nil
    ) -> Call {
        var call = call(operation, .post, path, nil, masterKey: masterKey, body: fields)
        // Versions older than the tested ones issue tokens that cannot be revoked, unless the request has this field.
        call.request.headers["X-Parse-Revocable-Session"] = "1"
        return call
    }

    private func call(
        _ operation: Operation, _ method: HTTPRequest.Method, _ path: String, _ session: Session?,
        masterKey: Secret? = nil, body: JSONObject? = nil, isIdempotent: Bool? = nil
    ) -> Call {
        var headers = session.map { self.headers(of: $0).all } ?? visitor
        if let masterKey {
            // If the request also had a valid client key, the server would ignore a wrong master key.
            headers = ["X-Parse-Application-Id": appID, "X-Parse-Master-Key": masterKey.reveal()]
        }
        return Call(operation, method, "\(base)/\(path)", headers, body, isIdempotent: isIdempotent)
    }
}
