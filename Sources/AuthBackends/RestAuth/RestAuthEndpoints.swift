import AuthModel
import JSON
import Platform
import Transport

/// The requests of django-rest-auth and dj-rest-auth.
///
/// Every path ends in a slash: the older package redirects other paths, and a POST is not repeated. No cookie is saved,
/// because it would make a login fail with 403. No `Authorization` is sent without a session, because an invalid one
/// makes a login fail with 401. `Accept-Language` is English, because only texts distinguish many errors.
/// Source: documentation of dj-rest-auth, "API endpoints"; responses recorded from rest-auth 0.9.5 and dj-rest-auth
/// 7.2.0.
struct RestAuthEndpoints: Sendable {
    /// With the mount path, without a trailing slash.
    let base: String
    /// Paths of views, by the key of their setting. A view without an entry has its default path.
    var paths: [String: String] = [:]

    /// `POST registration/`: 201 with a session or a notice, or 204.
    func signUp(_ account: NewAccount) -> HTTPRequest {
        var fields = account.fields
        fields["username"] = account.username.map(JSONValue.string)
        fields["email"] = account.email.map(JSONValue.string)
        fields["password1"] = .string(account.password.reveal())
        fields["password2"] = .string(account.password.reveal())
        return request(.post, path(.registration), fields)
    }

    /// `POST login/`: 200 with a session or a pending second factor, or 204.
    func logIn(_ name: LoginName, _ password: Secret) -> HTTPRequest {
        var fields = name.fields
        fields["password"] = .string(password.reveal())
        return request(.post, "login/", fields)
    }

    /// `GET login/`: 405, because the view accepts POST only. Every site has this view.
    var logInView: HTTPRequest { request(.get, "login/") }

    /// `POST mfa/verify/`: as a login. One-time and recovery codes use the same field.
    func verify(_ code: Secret, _ ephemeralToken: Secret) -> HTTPRequest {
        let fields: JSONObject = [
            "ephemeral_token": .string(ephemeralToken.reveal()), "code": .string(code.reveal()),
        ]
        return request(.post, path(.secondFactor), fields)
    }

    /// `GET user/`: 200 with the user.
    func currentUser(_ session: Session) -> HTTPRequest {
        request(.get, "user/", session: session)
    }

    /// `PATCH user/`: 200 with the user. `email` would be silently ignored.
    func updateUser(_ fields: JSONObject, _ session: Session) -> HTTPRequest {
        // Idempotent: a retry sets the same values.
        request(.patch, "user/", fields, session: session, isIdempotent: true)
    }

    /// `POST logout/`: 200 with a message.
    ///
    /// With JWTs, the refresh token identifies the session: an expired access token would make the request fail.
    func logOut(_ session: Session) -> HTTPRequest {
        // A retry finds an invalid session, which is the wanted result.
        if let refreshToken = session.refreshToken {
            return request(.post, "logout/", ["refresh": .string(refreshToken.reveal())], isIdempotent: true)
        }
        return request(.post, "logout/", [:], session: session, isIdempotent: true)
    }

    /// `POST token/refresh/`: 200 with `access`, and `refresh` if a refresh token is valid only once.
    func refresh(_ refreshToken: Secret) -> HTTPRequest {
        request(.post, "token/refresh/", ["refresh": .string(refreshToken.reveal())])
    }

    /// `POST password/change/`: 200 with a message. Only some sites check `old_password`.
    func changePassword(from current: Secret, to new: Secret, _ session: Session) -> HTTPRequest {
        let fields: JSONObject = [
            "old_password": .string(current.reveal()), "new_password1": .string(new.reveal()),
            "new_password2": .string(new.reveal()),
        ]
        return request(.post, "password/change/", fields, session: session)
    }

    /// `POST password/reset/`: 200 with a message, even for unknown addresses.
    func resetPassword(email: String) -> HTTPRequest {
        request(.post, "password/reset/", ["email": .string(email)])
    }

    /// `POST password/reset/confirm/`: 200 with a message; 400 for an unknown `uid`, invalid `token` or weak password.
    func resetPassword(uid: String, token: String, to new: Secret) -> HTTPRequest {
        let fields: JSONObject = [
            "uid": .string(uid), "token": .string(token), "new_password1": .string(new.reveal()),
            "new_password2": .string(new.reveal()),
        ]
        return request(.post, "password/reset/confirm/", fields)
    }

    /// `POST registration/resend-email/`: 200, even for unknown addresses. The older package does not have it.
    func sendVerification(email: String) -> HTTPRequest {
        request(.post, "\(folder(.registration))resend-email/", ["email": .string(email)])
    }

    /// `POST registration/verify-email/`: 200; 404 for an unknown or used key (the older package accepts a used one
    /// again).
    func verifyEmail(key: String) -> HTTPRequest {
        request(.post, "\(folder(.registration))verify-email/", ["key": .string(key)])
    }

    /// `POST google/`: the response of a login, even if the request creates the account.
    ///
    /// - Parameter session: for `POST google/connect/`, which is a login of the user whom the identity is linked to, who
    ///   may be another user.
    func social(_ provider: IdentityProvider, _ proof: JSONObject, _ session: Session? = nil) -> HTTPRequest {
        let view: RestAuthView = session == nil ? .socialLogin : .socialConnect
        let path = paths["\(view.rawValue).\(provider.name)"] ?? "\(provider.name)/\(view.standardPath)"
        return request(.post, path, proof, session: session)
    }

    /// `GET socialaccounts/`: 200 with a list.
    func socialAccounts(_ session: Session) -> HTTPRequest {
        request(.get, path(.socialAccounts), session: session)
    }

    /// `POST socialaccounts/<id>/disconnect/`: 200 `{}`; 404 for an unknown identity or another user's.
    func disconnect(id: String, _ session: Session) -> HTTPRequest {
        request(.post, "\(folder(.socialAccounts))\(id.percentEncoded)/disconnect/", [:], session: session)
    }

    /// The prefix of the paths below a view.
    private func folder(_ view: RestAuthView) -> String {
        let path = path(view)
        return path.hasSuffix("/") ? path : "\(path)/"
    }

    private func path(_ view: RestAuthView) -> String { paths[view.rawValue] ?? view.standardPath }

    /// The header field of every request with a session. A wrong scheme is treated as missing credentials.
    func headers(of session: Session) -> SessionHeaders {
        SessionHeaders(scheme: session.isJWT ? "Bearer" : "Token", session)
    }

    private func request(
        _ method: HTTPRequest.Method, _ path: String, _ fields: JSONObject? = nil, session: Session? = nil,
        isIdempotent: Bool? = nil
    ) -> HTTPRequest {
        var headers: HTTPHeaders = ["Accept": "application/json", "Accept-Language": "en"]
        if let session { headers.add(self.headers(of: session).all) }
        if fields != nil { headers["Content-Type"] = "application/json" }
        return HTTPRequest(
            method, "\(base)/\(path)", headers: headers, body: fields.map { JSONValue.object($0).bytes },
            isIdempotent: isIdempotent
        )
    }
}

/// The views that a site may have moved or implemented itself. Their paths are settings of a profile.
///
/// All other views have the packages' paths, below the base URL.
enum RestAuthView: String, CaseIterable {
    case registration = "registrationPath"
    case secondFactor = "secondFactorPath"
    /// One view for each provider: the key of the setting ends with `.google`, and the default path begins with `google/`.
    case socialLogin = "socialLoginPath"
    case socialConnect = "socialConnectPath"
    case socialAccounts = "socialAccountsPath"

    /// The paths in the documentation of the packages.
    var standardPath: String {
        switch self {
        case .registration: "registration/"
        case .secondFactor: "mfa/verify/"
        case .socialLogin: ""
        case .socialConnect: "connect/"
        case .socialAccounts: "socialaccounts/"
        }
    }

    private var summary: String {
        switch self {
        case .registration: "path of the signup view"
        case .secondFactor: "path of the second-factor view"
        case .socialLogin: "path of the login view of the identity provider"
        case .socialConnect: "path of the connect view of the identity provider"
        case .socialAccounts: "path of the social accounts view"
        }
    }

    var setting: BackendSetting {
        let isPerProvider = self == .socialLogin || self == .socialConnect
        return BackendSetting(
            rawValue, .path, standard: isPerProvider ? "PROVIDER/\(standardPath)" : standardPath, summary: summary,
            isPerProvider: isPerProvider)
    }
}
