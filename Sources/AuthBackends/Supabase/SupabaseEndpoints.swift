import AuthModel
import JSON
import Platform
import Transport

/// The requests of Supabase Auth, versions 2.151 to 2.196.
///
/// Source: the exchanges in `Tests/Exchanges/supabase`. Phone numbers, and the header fields of a project's gateway:
/// Supabase's documentation.
struct SupabaseEndpoints: Endpoints {
    /// The URL of the Auth server, without a trailing slash.
    let auth: String
    /// The publishable key of the project, which its gateway requires. A bare Auth server ignores it.
    let apiKey: Secret?

    /// - Parameter path: the setting `authPath`. A server URL may end with it.
    init(server: String, path: String, apiKey: Secret?) {
        var path = path
        while path.hasSuffix("/") { path.removeLast() }
        auth = server.hasSuffix(path) ? server : server + path
        self.apiKey = apiKey
    }

    // MARK: - Signup, login, session

    /// `POST signup`: 200 with a session; if the address must be confirmed, with the user alone. For a confirmed address,
    /// the user is made up and has no identities. Without an address, the user is anonymous.
    func signUp(_ address: JSONObject, _ password: Secret?, data: JSONObject) -> Call {
        var fields = address
        fields["password"] = password.map { .string($0.reveal()) }
        if !data.isEmpty { fields["data"] = .object(data) }
        return post(address.isEmpty ? .logInAnonymously : .signUp, "signup", fields)
    }

    /// `POST token`: 200 with a session. It never asks for a second factor.
    func logIn(_ login: String, _ password: Secret, _ operation: Operation = .logIn) -> Call {
        var fields = Self.address(login)
        fields["password"] = .string(password.reveal())
        return post(operation, "token?grant_type=password", fields)
    }

    /// `POST token`: 200 with a session and another refresh token. The refresh token before the active one also gets
    /// the active one, so the request can be repeated once.
    func refresh(_ token: Secret) -> Call {
        let fields: JSONObject = ["refresh_token": .string(token.reveal())]
        var call = call(.refresh, .post, "token?grant_type=refresh_token", fields, isIdempotent: true)
        call.request.mostTries = 2
        return call
    }

    /// `GET user`: 200 with the user; 403 for a session that has ended or expired.
    func user(_ token: Secret, _ operation: Operation = .currentUser) -> Call {
        call(operation, .get, "user", nil, token)
    }

    /// `PUT user`: 200 with the user. A new e-mail waits in `new_email`. A new password ends all other sessions.
    func update(_ fields: JSONObject, _ token: Secret, _ operation: Operation = .updateUser) -> Call {
        call(operation, .put, "user", fields, token)
    }

    /// `POST logout`: 204. The scope is `local` for this session, `others` for the others, or `global` for all.
    func logOut(_ token: Secret, scope: String = "local") -> Call {
        // After `global`, a second request would report the session as ended.
        call(
            scope == "local" ? .logOut : .revokeSessions, .post, "logout?scope=\(scope)", nil, token,
            isIdempotent: scope != "global")
    }

    /// The member for an e-mail address, or for a phone number. The server stores phone numbers without `+`.
    static func address(_ login: String) -> JSONObject {
        isPhone(login) ? ["phone": .string(login)] : ["email": .string(login)]
    }

    static func isPhone(_ login: String) -> Bool {
        let digits = login.hasPrefix("+") ? login.dropFirst() : login[...]
        return digits.utf8.count >= 6 && digits.isASCIIDigits
    }

    // MARK: - E-mails

    /// `POST recover`: 200, also for an unknown address. A phone gets a login code by `POST otp` instead.
    func resetPassword(_ address: String) -> Call {
        Self.isPhone(address)
            ? post(.requestPasswordReset, "otp", ["phone": .string(address), "create_user": false])
            : post(.requestPasswordReset, "recover", ["email": .string(address)])
    }

    /// `POST otp`: 200; a code or link was sent. 422 `otp_disabled` for an unknown address, unless an account is wanted.
    ///
    /// - Parameter data: the fields of the account to create; `nil` to create none.
    func sendCode(to address: String, creatingWith data: JSONObject?) -> Call {
        var fields = Self.address(address)
        fields["create_user"] = .bool(data != nil)
        if let data, !data.isEmpty { fields["data"] = .object(data) }
        return post(.sendLogInCode, "otp", fields)
    }

    /// `POST resend`: 200, also for unknown and confirmed addresses. The type is `signup`, `email_change` or `sms`.
    func resend(_ type: String, _ address: String) -> Call {
        var fields = Self.address(address)
        fields["type"] = .string(type)
        return post(.sendVerification, "resend", fields)
    }

    /// `POST verify`: 200 with a session, or with a notice if another address must be confirmed, too.
    func verify(_ fields: JSONObject, _ operation: Operation = .verifyEmail) -> Call {
        post(operation, "verify", fields)
    }

    /// `GET reauthenticate`: 200; a code is sent.
    func reauthenticate(_ token: Secret) -> Call {
        call(.sendVerification, .get, "reauthenticate", nil, token, isIdempotent: false)
    }

    // MARK: - Second factor

    /// `POST factors/ID/challenge`: 200 with `id`. A challenge is answered once, within 5 minutes.
    func challenge(_ factor: String, _ token: Secret) -> Call {
        call(
            .secondFactor, .post, "factors/\(factor.percentEncoded)/challenge", [:], token,
            .data { $0["id"]?.identifier != nil })
    }

    /// `POST factors/ID/verify`: 200 with the session, raised to the second level.
    func verify(_ factor: String, challenge: String, code: Secret, _ token: Secret) -> Call {
        let fields: JSONObject = ["challenge_id": .string(challenge), "code": .string(code.reveal())]
        return call(.secondFactor, .post, "factors/\(factor.percentEncoded)/verify", fields, token)
    }

    // MARK: - Identities

    /// `POST token`: 200 with a session of the account with this identity, which may be new.
    ///
    /// - Parameter session: links the identity to its user. Versions that cannot do that ignore it, and log in.
    func logIn(
        _ provider: IdentityProvider, idToken: Secret, accessToken: Secret?, nonce: String?, linkingTo session: Session?
    ) -> Call {
        var fields: JSONObject = ["provider": .string(provider.name), "id_token": .string(idToken.reveal())]
        fields["access_token"] = accessToken.map { .string($0.reveal()) }
        fields["nonce"] = nonce.map(JSONValue.string)
        if session != nil { fields["link_identity"] = true }
        return call(
            session == nil ? .logInWithIdentity : .linkIdentity, .post, "token?grant_type=id_token", fields,
            session?.token)
    }

    func logIn(code: Secret, verifier: Secret) -> Call {
        let fields: JSONObject = ["auth_code": .string(code.reveal()), "code_verifier": .string(verifier.reveal())]
        return post(.logInWithIdentity, "token?grant_type=pkce", fields)
    }

    /// `GET .well-known/jwks.json`: 404 on versions that cannot link identities by ID tokens.
    var keySet: Call { call(.describeSite, .get, ".well-known/jwks.json", nil) }

    func unlink(_ id: String, _ session: Session) -> Call {
        call(.unlinkIdentity, .delete, "user/identities/\(id.percentEncoded)", nil, session.token)
    }

    // MARK: - Administrator

    /// `GET admin/users`: 200 with `users`, newest first, and the header field `X-Total-Count`; empty after the last page.
    /// Older versions ignore `filter`. The size has no limit. Source: Supabase Auth, `paginate`.
    func users(page: Int, size: Int, filter: String? = nil, _ key: Secret) -> Call {
        let filter = filter.map { "&filter=\($0.percentEncoded)" } ?? ""
        var call = admin(.listUsers, .get, "users?page=\(page)&per_page=\(size)\(filter)", nil, key)
        // 10 KiB for each user.
        call.request.reception = .whole(limit: max(1 << 20, size * 10 << 10))
        return call
    }

    func user(id: String, _ key: Secret) -> Call {
        admin(.readUser, .get, "users/\(id.percentEncoded)", nil, key)
    }

    /// `GET health`: 200 with `version`, such as `v2.196.0`.
    func health(_ key: Secret) -> Call {
        var call = call(.describeSite, .get, "health", nil)
        call.request.headers["apikey"] = key.reveal()
        return call
    }

    /// `POST admin/users`: 200 with the user, whose addresses are confirmed unless the state says otherwise. Unlike a
    /// signup, it takes an e-mail and a phone number together. Source: Supabase Auth, `adminUserCreate`.
    func createUser(_ address: JSONObject, _ account: NewAccount, _ key: Secret) -> Call {
        var fields = address
        let state = account.state
        fields["id"] = account.id.map(JSONValue.string)
        fields["password"] = account.password.map { .string($0.reveal()) }
        fields["password_hash"] = account.passwordHash.map { .string($0.text.reveal()) }
        if address["email"] != nil { fields["email_confirm"] = .bool(state.emailVerified ?? true) }
        // Without an e-mail, nobody could log in to an account whose phone number waits.
        if address["phone"] != nil {
            fields["phone_confirm"] = .bool(state.phoneVerified ?? (address["email"] == nil))
        }
        if !account.fields.isEmpty { fields["user_metadata"] = .object(account.fields) }
        if !state.claims.isEmpty { fields["app_metadata"] = .object(state.claims) }
        if state.disabled == true { fields["ban_duration"] = Self.banned }
        return admin(.signUp, .post, "users", fields, key, .account())
    }

    /// `PUT admin/users/ID`: 200 with the user. The server merges the metadata by their members, and `null` removes one. A
    /// new e-mail is as confirmed as the one before. A new password ends all sessions.
    func update(id: String, _ change: AccountChange, _ key: Secret) -> Call {
        var (fields, data) = (JSONObject(), change.user.values)
        data["email"] = nil
        fields["email"] = change.user.email.map(JSONValue.string)
        if change.emailVerified == true { fields["email_confirm"] = true }
        fields["password"] = change.user.password.map { .string($0.reveal()) }
        if !data.isEmpty { fields["user_metadata"] = .object(data) }
        if !change.claims.isEmpty { fields["app_metadata"] = .object(change.claims) }
        fields["ban_duration"] = change.disabled.map { $0 ? Self.banned : "none" }
        return admin(.changeUser, .put, "users/\(id.percentEncoded)", fields, key)
    }

    /// 100 years. A ban always ends.
    private static let banned: JSONValue = "876000h"

    /// `GET /rest/v1/`: 200 with the description of the Data API, as Swagger 2.0; 403 without the secret key. Source:
    /// PostgREST, "OpenAPI"; supabase/supabase#45462.
    ///
    /// - Parameter project: the URL of the project.
    func dataAPI(of project: String, _ key: Secret) -> Call {
        var headers: HTTPHeaders = ["Accept": "application/openapi+json", "apikey": key.reveal()]
        if JWT(key) != nil { headers.add("Authorization", "Bearer \(key.reveal())") }
        var call = Call(
            .checkAdminKey, .get, "\(project)/rest/v1/", headers, nil, .data { $0["paths"]?.object != nil })
        call.request.reception = .whole(limit: 8 << 20)
        return call
    }

    func deleteUser(id: String, _ key: Secret) -> Call {
        admin(.deleteUser, .delete, "users/\(id.percentEncoded)", nil, key)
    }

    /// `POST admin/generate_link`: 200 with `hashed_token`, without an e-mail. Creates an account for an unknown address.
    func link(to email: String, _ key: Secret) -> Call {
        admin(
            .impersonate, .post, "generate_link", ["type": "magiclink", "email": .string(email)], key,
            .data { $0["hashed_token"]?.isToken == true })
    }

    // MARK: - Requests

    func headers(of session: Session) -> SessionHeaders {
        SessionHeaders(scheme: "Bearer", session, application: application)
    }

    /// The header fields of a request without a session.
    var application: HTTPHeaders { apiKey.map { ["apikey": $0.reveal()] } ?? [:] }

    /// The header fields of a visitor's request to the APIs of the project. Supabase's clients also send a legacy key, a
    /// JWT, as the bearer token if no user is logged in; Edge Functions and Storage require it. Source: supabase-js.
    var visitor: HTTPHeaders {
        guard let apiKey, JWT(apiKey) != nil else { return application }
        return HTTPHeaders(
            application.fields + [HTTPHeaders.Field(name: "Authorization", value: "Bearer \(apiKey.reveal())")])
    }

    private func post(_ operation: Operation, _ path: String, _ fields: JSONObject) -> Call {
        call(operation, .post, path, fields)
    }

    /// A new secret key is sent as `apikey` alone; a legacy one, a JWT, is also the bearer token.
    private func admin(
        _ operation: Operation, _ method: HTTPRequest.Method, _ path: String, _ fields: JSONObject?, _ key: Secret,
        _ required: Required? = nil
    ) -> Call {
        var call = call(operation, method, "admin/\(path)", fields, JWT(key) == nil ? nil : key, required)
        call.request.headers["apikey"] = key.reveal()
        return call
    }

    /// The version in the header makes the server send error codes as text.
    private func call(
        _ operation: Operation, _ method: HTTPRequest.Method, _ path: String, _ fields: JSONObject?,
        _ token: Secret? = nil, _ required: Required? = nil, isIdempotent: Bool? = nil
    ) -> Call {
        var headers: HTTPHeaders = ["Accept": "application/json", "X-Supabase-Api-Version": "2024-01-01"]
        headers["apikey"] = apiKey?.reveal()
        if let token { headers.add("Authorization", "Bearer \(token.reveal())") }
        return Call(
            operation, method, "\(auth)/\(path)", headers, fields, required, isIdempotent: isIdempotent)
    }
}
