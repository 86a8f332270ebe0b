import AuthModel
import JSON
import Platform
import Transport

/// The requests of django-rest-auth and dj-rest-auth.
///
/// Default paths end in a slash: django-rest-auth redirects other paths, and a redirected POST is not sent again. No
/// cookie is stored, because it would make a login fail with 403. A login sends no `Authorization`, because an invalid
/// token would make it fail with 401. `Accept-Language` is English, because many errors differ only in their text.
/// Source: documentation of dj-rest-auth, "API endpoints"; responses recorded from rest-auth 0.9.5 and dj-rest-auth
/// 7.2.0.
struct RestAuthEndpoints: Endpoints {
    /// The base URL with the mount path, without a trailing slash.
    let base: String
    /// The profile's settings: the paths of views, keyed by the name of their setting, and `tokenScheme`. A view without
    /// an entry has its default path.
    var paths: [String: String] = [:]

    /// `POST registration/`: 201 with a session, a notice or the user, or 204.
    func signUp(_ account: NewAccount) throws(BackendError) -> Call {
        var fields = account.fields
        let password = try account.requiredPassword().reveal()
        fields["username"] = account.username.map(JSONValue.string)
        fields["email"] = account.email.map(JSONValue.string)
        fields["password1"] = .string(password)
        fields["password2"] = .string(password)
        return call(.signUp, .post, path(.registration), fields)
    }

    /// `POST login/`: 200 with a session or a pending second factor, or 204.
    ///
    /// - Parameter fields: additional fields that the site's serializer asks for.
    func logIn(_ name: LoginName, _ password: Secret, _ fields: JSONObject = [:]) -> Call {
        var fields = JSONObject(name.fields.members + fields.members)
        fields["password"] = .string(password.reveal())
        return call(.logIn, .post, path(.logIn), fields)
    }

    /// `GET login/`: 405, because the view accepts POST only.
    var logInView: HTTPRequest { call(.describeSite, .get, path(.logIn)).request }

    /// `GET user/` without a session: 401 or 403.
    var userView: HTTPRequest { call(.describeSite, .get, path(.user)).request }

    /// `GET registration/`: 405 if the site has allauth. Other sites have no such view.
    var signUpView: HTTPRequest { call(.describeSite, .get, path(.registration)).request }

    /// `POST mfa/verify/`: the same response as for a login. One-time and recovery codes use the same field.
    func verify(_ code: Secret, _ ephemeralToken: Secret) -> Call {
        let fields: JSONObject = [
            "ephemeral_token": .string(ephemeralToken.reveal()), "code": .string(code.reveal()),
        ]
        return call(.secondFactor, .post, path(.secondFactor), fields)
    }

    /// `GET user/`: 200 with the user.
    func currentUser(_ session: Session, _ operation: Operation = .currentUser) -> Call {
        call(operation, .get, path(.user), session: session)
    }

    /// `PATCH user/`: 200 with the user. The default serializer silently ignores `email`.
    func updateUser(_ fields: JSONObject, _ session: Session) -> Call {
        // Idempotent, because a retry sets the same values.
        call(.updateUser, .patch, path(.user), fields, session: session, isIdempotent: true)
    }

    /// `POST logout/`: 200 with a message.
    ///
    /// A JWT session is identified by its refresh token, because an expired access token would make the request fail.
    /// With `JWT_AUTH_HTTPONLY`, the site reads the refresh token only from its cookie.
    func logOut(_ session: Session) -> Call {
        // Idempotent: if a retry reports an invalid session, the first attempt has revoked it.
        if let refreshToken = session.refreshToken?.reveal() {
            var call = call(.logOut, .post, path(.logOut), ["refresh": .string(refreshToken)], isIdempotent: true)
            call.request.headers["Cookie"] = session.refreshCookie.map { "\($0.name)=\(refreshToken)" }
            return call
        }
        return call(.logOut, .post, path(.logOut), [:], session: session, isIdempotent: true)
    }

    /// `POST token/refresh/`: 200 with `access`, and `refresh` if the site replaces refresh tokens.
    func refresh(_ refreshToken: Secret) -> Call {
        call(.refresh, .post, "token/refresh/", ["refresh": .string(refreshToken.reveal())])
    }

    /// `POST token/verify/`: 200 `{}`; 401 for an invalid or expired token, 400 for a revoked one. Does not
    /// invalidate the token. Source: simplejwt 5.5, `TokenVerifySerializer`.
    func verify(_ refreshToken: Secret, within limit: Duration) -> Call {
        var call = call(.refresh, .post, "token/verify/", ["token": .string(refreshToken.reveal())])
        call.request.timeLimit = limit
        return call
    }

    /// `POST password/change/`: 200 with a message. Only some sites check `old_password`.
    func changePassword(from current: Secret, to new: Secret, _ session: Session) -> Call {
        let fields: JSONObject = [
            "old_password": .string(current.reveal()), "new_password1": .string(new.reveal()),
            "new_password2": .string(new.reveal()),
        ]
        return call(.changePassword, .post, path(.passwordChange), fields, session: session)
    }

    /// `POST password/reset/`: 200 with a message, even for unknown addresses.
    func resetPassword(email: String) -> Call {
        call(.requestPasswordReset, .post, path(.passwordReset), ["email": .string(email)])
    }

    /// `POST password/reset/confirm/`: 200 with a message; 400 for an unknown `uid`, invalid `token` or weak password.
    func resetPassword(uid: String, token: String, to new: Secret) -> Call {
        let fields: JSONObject = [
            "uid": .string(uid), "token": .string(token), "new_password1": .string(new.reveal()),
            "new_password2": .string(new.reveal()),
        ]
        return call(.finishPasswordReset, .post, path(.passwordResetConfirm), fields)
    }

    /// `POST registration/resend-email/`: 200, even for unknown addresses. django-rest-auth lacks this view.
    func sendVerification(email: String) -> Call {
        call(.sendVerification, .post, path(.resendEmail), ["email": .string(email)])
    }

    /// `POST registration/verify-email/`: 200; 404 for an unknown key. For a used key, dj-rest-auth sends 404, and
    /// django-rest-auth sends 200.
    func verifyEmail(key: String) -> Call {
        call(.verifyEmail, .post, path(.verifyEmail), ["key": .string(key)])
    }

    /// `POST google/`, for example: the same response as for a login, even if the request creates the account.
    ///
    /// - Parameter session: if not `nil`, the request is `POST google/connect/`, which links the identity to the user
    ///   of this session. The response contains a session of the user who owns the identity, possibly another user.
    func social(_ provider: IdentityProvider, _ proof: JSONObject, _ session: Session? = nil) -> Call {
        let view: RestAuthView = session == nil ? .socialLogin : .socialConnect
        let path = paths["\(view.rawValue).\(provider.name)"] ?? "\(provider.name)/\(view.standardPath)"
        return call(session == nil ? .logInWithIdentity : .linkIdentity, .post, path, proof, session: session)
    }

    /// `GET socialaccounts/`: 200 with a list.
    func socialAccounts(_ session: Session) -> Call {
        call(.listIdentities, .get, path(.socialAccounts), session: session)
    }

    /// `POST socialaccounts/<id>/disconnect/`: 200 `{}`; 404 for an unknown identity or an identity of another user.
    func disconnect(id: String, _ session: Session) -> Call {
        call(
            .unlinkIdentity, .post, "\(folder(.socialAccounts))\(id.percentEncoded)/disconnect/", [:], session: session)
    }

    /// The prefix of the paths below a view.
    private func folder(_ view: RestAuthView) -> String {
        let path = path(view)
        return path.hasSuffix("/") ? path : "\(path)/"
    }

    private func path(_ view: RestAuthView) -> String {
        if let path = paths[view.rawValue] { return path }
        guard let name = view.nameBelowRegistration else { return view.standardPath }
        return folder(.registration) + name
    }

    /// The header field that authenticates a request. For a wrong scheme, the site reports missing credentials.
    func headers(of session: Session) -> SessionHeaders {
        if let cookies = Cookies(session.token) { return SessionHeaders(cookies, of: base) }
        return SessionHeaders(scheme: scheme ?? session.scheme ?? (session.isJWT ? "Bearer" : "Token"), session)
    }

    /// The setting for the word before the token.
    var scheme: String? { paths[BackendSetting.tokenScheme.key] }

    private func call(
        _ operation: Operation, _ method: HTTPRequest.Method, _ path: String, _ fields: JSONObject? = nil,
        session: Session? = nil, isIdempotent: Bool? = nil
    ) -> Call {
        var headers: HTTPHeaders = ["Accept": "application/json", "Accept-Language": "en"]
        for field in session.map({ self.headers(of: $0).all.fields }) ?? [] { headers.add(field) }
        return Call(operation, method, "\(base)/\(path)", headers, fields, isIdempotent: isIdempotent)
    }
}

/// Views that a site may have moved or replaced. Their paths are settings of a profile.
///
/// Unless set, the views for verification e-mails are below the path of `registration`. The view that unlinks an identity
/// is below the path of `socialAccounts`. The views for tokens have the default paths of the packages.
enum RestAuthView: String, CaseIterable {
    case registration = "registrationPath"
    case logIn = "loginPath"
    case logOut = "logoutPath"
    case user = "userPath"
    case passwordChange = "passwordChangePath"
    case passwordReset = "passwordResetPath"
    case passwordResetConfirm = "passwordResetConfirmPath"
    case verifyEmail = "verifyEmailPath"
    case resendEmail = "resendEmailPath"
    case secondFactor = "secondFactorPath"
    /// One view for each provider: Google's setting ends in `.google`, and its default path begins with `google/`.
    case socialLogin = "socialLoginPath"
    case socialConnect = "socialConnectPath"
    case socialAccounts = "socialAccountsPath"

    /// The default path in the documentation of the packages (for a view of a provider, the part after `PROVIDER/`), and
    /// what the view does, after "the view that".
    private var facts: (path: String, purpose: String) {
        switch self {
        case .registration: ("registration/", "creates accounts")
        case .logIn: ("login/", "logs in")
        case .logOut: ("logout/", "logs out")
        case .user: ("user/", "shows the user")
        case .passwordChange: ("password/change/", "changes passwords")
        case .passwordReset: ("password/reset/", "sends password-reset e-mails")
        case .passwordResetConfirm: ("password/reset/confirm/", "accepts the keys of password-reset e-mails")
        case .verifyEmail: ("registration/verify-email/", "accepts the keys of verification e-mails")
        case .resendEmail: ("registration/resend-email/", "sends verification e-mails again")
        case .secondFactor: ("mfa/verify/", "accepts one-time codes")
        case .socialLogin: ("", "logs in with this provider")
        case .socialConnect: ("connect/", "links identities of this provider")
        case .socialAccounts: ("socialaccounts/", "lists linked identities")
        }
    }

    var standardPath: String { facts.path }
    var purpose: String { facts.purpose }

    /// The last part of the path, if the default path is below that of the signup view.
    fileprivate var nameBelowRegistration: String? {
        [.verifyEmail, .resendEmail].contains(self)
            ? String(standardPath.dropFirst(RestAuthView.registration.standardPath.count)) : nil
    }

    var setting: BackendSetting {
        let isPerProvider = self == .socialLogin || self == .socialConnect
        let standard = isPerProvider ? "PROVIDER/\(standardPath)" : standardPath
        return BackendSetting(
            rawValue, .path, standard: standard, summary: "path of `\(standard)`", isPerProvider: isPerProvider)
    }
}
