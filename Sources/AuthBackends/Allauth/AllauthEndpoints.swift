import AuthModel
import JSON
import Transport

/// The requests of allauth's headless API for app clients.
///
/// No path may end in a slash (status 404). All bodies are JSON. A token is sent only for a session, an unfinished
/// login or a pending reset: an invalid token makes every request fail with 410, and a valid one makes a login fail
/// with 409. `Accept-Language` is English, because authctl's errors quote some messages. Source: documentation of
/// django-allauth, "API specification"; responses recorded from django-allauth 65.21.1.
struct AllauthEndpoints: Endpoints {
    /// The base URL with the path `/_allauth/app/v1`, without a trailing slash.
    let base: String
    /// The word before a JWT or an access token, if the profile sets it.
    var tokenScheme: String?

    /// `GET /config`: 200 with the configuration of the site.
    func configuration() -> Call { call(.describeSite, .get, "config", nil) }

    /// `POST /auth/signup`: 200 if logged in, 401 with pending steps, 403 if signups are closed.
    func signUp(_ account: NewAccount) -> Call {
        var fields = account.fields
        fields["username"] = account.username.map(JSONValue.string)
        fields["email"] = account.email.map(JSONValue.string)
        fields["phone"] = account.phone.map(JSONValue.string)
        fields["password"] = account.password.map { .string($0.reveal()) }
        return call(.signUp, .post, "auth/signup", nil, fields)
    }

    /// `POST /auth/login`: 200 if logged in, 401 with pending steps. The body has either a username or an e-mail.
    func logIn(_ name: LoginName, _ password: Secret) -> Call {
        var fields = name.fields
        fields["password"] = .string(password.reveal())
        return call(.logIn, .post, "auth/login", nil, fields)
    }

    /// `POST /auth/code/request`: 401 with a pending step, also for an unknown address; 404 unless the site allows it.
    func requestCode(_ name: LoginName) -> Call { call(.sendLogInCode, .post, "auth/code/request", nil, name.fields) }

    /// `POST /auth/2fa/authenticate`, `/auth/code/confirm` or `/auth/phone/verify`: 200 if logged in. One-time and
    /// recovery codes use the same field.
    ///
    /// - Parameter path: `Flow.codePath`.
    func confirm(_ code: Secret, at path: String, _ pending: Secret) -> Call {
        call(.secondFactor, .post, path, Session(token: pending), ["code": .string(code.reveal())])
    }

    /// `POST /auth/reauthenticate`: 200 with the user; 400 for a wrong password.
    func reauthenticate(_ password: Secret, _ session: Session) -> Call {
        call(.verifyPassword, .post, "auth/reauthenticate", session, ["password": .string(password.reveal())])
    }

    /// `GET /auth/session`: 200 with the user.
    func currentUser(_ session: Session, _ operation: Operation) -> Call {
        call(operation, .get, "auth/session", session)
    }

    /// `DELETE /auth/session`: 401 on success.
    func logOut(_ session: Session) -> Call {
        // Idempotent: if a retry reports an invalid session, the first attempt has revoked it.
        call(.logOut, .delete, "auth/session", session, isIdempotent: true)
    }

    /// `POST /tokens/refresh`: 200 with `access_token` and `refresh_token`. By default, a refresh token can be used
    /// only once.
    func refresh(_ refreshToken: Secret) -> Call {
        call(.refresh, .post, "tokens/refresh", nil, ["refresh_token": .string(refreshToken.reveal())])
    }

    /// `GET /auth/sessions`: 200 with a list. Only sites with `allauth.usersessions` support it.
    func sessions(_ session: Session) -> Call { call(.listSessions, .get, "auth/sessions", session) }

    /// `DELETE /auth/sessions`: 200 with the remaining sessions; 401 for the current session; 400 for an unknown id.
    func endSession(id: Int64, _ session: Session) -> Call {
        call(.revokeSessions, .delete, "auth/sessions", session, ["sessions": [.integer(id)]])
    }

    /// `POST /account/password/change`: 200 with a new session.
    func changePassword(from current: Secret, to new: Secret, _ session: Session) -> Call {
        call(
            .changePassword, .post, "account/password/change", session,
            ["current_password": .string(current.reveal()), "new_password": .string(new.reveal())]
        )
    }

    /// `POST /auth/password/request`: 200 if the site sends links, 401 with a pending step if it sends codes. The
    /// response does not depend on whether the address is known.
    func resetPassword(email: String) -> Call {
        call(.requestPasswordReset, .post, "auth/password/request", nil, ["email": .string(email)])
    }

    /// `POST /auth/password/reset`: 401 on success; 200 if the site also logs the user in.
    ///
    /// - Parameter pending: the token of the pending reset that a code belongs to. A key from a link requires no token.
    func resetPassword(key: String, to new: Secret, _ pending: Secret?) -> Call {
        call(
            .finishPasswordReset, .post, "auth/password/reset", pending.map { Session(token: $0) },
            ["key": .string(key), "password": .string(new.reveal())])
    }

    /// `PUT /account/email`: 200 if an e-mail with a link is sent; 403 if rate-limited or if the address is verified.
    func sendVerification(email: String, _ session: Session) -> Call {
        call(.sendVerification, .put, "account/email", session, ["email": .string(email)])
    }

    /// `POST /account/email`: 200 with all addresses; an e-mail with a link is sent to the new address.
    func addEmail(_ email: String, _ session: Session) -> Call {
        call(.sendVerification, .post, "account/email", session, ["email": .string(email)])
    }

    /// `PATCH /account/email`: 200 with all addresses; 400 if the address is not verified.
    func makePrimary(_ email: String, _ session: Session) -> Call {
        call(.updateUser, .patch, "account/email", session, ["email": .string(email), "primary": true])
    }

    /// `DELETE /account/email`: 200 with the remaining addresses; 400 for a primary address that the site requires.
    func removeEmail(_ email: String, _ session: Session) -> Call {
        call(.updateUser, .delete, "account/email", session, ["email": .string(email)])
    }

    /// `POST /auth/email/verify/resend`: 200 if a new code is sent; 409 if no code is pending or the site sends links.
    func resendCode(_ pending: Secret) -> Call {
        call(.sendVerification, .post, "auth/email/verify/resend", Session(token: pending), [:])
    }

    /// `POST /auth/email/verify`: 200 on success if the user is now logged in, 401 on success otherwise.
    ///
    /// - Parameter session: the session that a code belongs to. A key from a link requires no session.
    func verifyEmail(key: String, _ session: Session?) -> Call {
        call(.verifyEmail, .post, "auth/email/verify", session, ["key": .string(key)])
    }

    /// `GET /account/email`: 200 with `[{"email", "verified", "primary"}]`.
    func emails(_ session: Session) -> Call { call(.currentUser, .get, "account/email", session) }

    /// `POST /auth/provider/token`: for a login, 200 if logged in or 401 with pending steps; for a link, 200.
    ///
    /// - Parameter session: the session of the user to link the identity to; `nil` for a login.
    func identity(_ credential: IdentityCredential, clientID: String?, _ session: Session?) -> Call {
        var token = JSONObject()
        token["client_id"] = clientID.map(JSONValue.string)
        token["id_token"] = credential.proof.idToken.map { .string($0.reveal()) }
        token["access_token"] = credential.proof.accessToken.map { .string($0.reveal()) }
        return call(
            session == nil ? .logInWithIdentity : .linkIdentity, .post, "auth/provider/token", session,
            [
                "provider": .string(credential.provider.name), "process": session == nil ? "login" : "connect",
                "token": .object(token),
            ])
    }

    /// `GET /auth/provider/signup`: 200 with the provider's data about a user who has no account yet.
    func providerSignUp(_ pending: Secret) -> Call {
        call(.listIdentities, .get, "auth/provider/signup", Session(token: pending))
    }

    /// `POST /auth/provider/signup`: 200 if logged in, 401 with pending steps; 400 with a fault of a field.
    func signUp(_ email: String, username: String?, _ pending: Secret) -> Call {
        var fields: JSONObject = ["email": .string(email)]
        fields["username"] = username.map(JSONValue.string)
        return call(.logInWithIdentity, .post, "auth/provider/signup", Session(token: pending), fields)
    }

    /// `GET /account/providers`: 200 with `[{"uid", "provider": {"id"}, "display"}]`.
    func providers(_ session: Session) -> Call { call(.listIdentities, .get, "account/providers", session) }

    /// `DELETE /account/providers`: 200 with the remaining identities.
    func disconnect(_ identity: Identity, _ session: Session) -> Call {
        call(
            .unlinkIdentity, .delete, "account/providers", session,
            ["provider": .string(identity.provider), "account": JSONValue(identity.id)])
    }

    /// Whether this is the API for browsers, whose sessions are cookies.
    var isForBrowsers: Bool { base.hasSuffix("/browser/v1") }

    /// The header field of every request to the headless API with a session.
    func headers(of session: Session) -> SessionHeaders {
        if let cookies = Cookies(session.token) { return SessionHeaders(cookies, of: base) }
        return session.isJWT
            ? SessionHeaders(scheme: tokenScheme ?? "Bearer", session) : SessionHeaders("X-Session-Token", session)
    }

    /// The header field of a request to another part of the site.
    func headersOutside(of session: Session) -> SessionHeaders {
        guard let token = session.accessToken else { return headers(of: session) }
        let access = Session(token: token)
        return SessionHeaders(scheme: tokenScheme ?? (access.isJWT ? "Bearer" : "Token"), access)
    }

    private func call(
        _ operation: Operation, _ method: HTTPRequest.Method, _ path: String, _ session: Session?,
        _ fields: JSONObject? = nil, isIdempotent: Bool? = nil
    ) -> Call {
        var headers: HTTPHeaders = ["Accept": "application/json", "Accept-Language": "en"]
        for field in session.map({ self.headers(of: $0).all.fields }) ?? [] { headers.add(field) }
        return Call(operation, method, "\(base)/\(path)", headers, fields, isIdempotent: isIdempotent)
    }
}
