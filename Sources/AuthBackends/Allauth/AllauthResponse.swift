import AuthModel
import JSON
import Platform
import Transport

/// A JSON response from allauth: `{"status", "data", "meta", "errors"}`. Only `status` is always present.
struct AllauthResponse {
    let status: Int
    let body: JSONValue
    /// A new session, or a session that replaces the one in the request. Any response may contain a session.
    var session: Session?

    /// A step of an unfinished login or password reset. The raw value is the `id` of the step, except for `other`.
    enum Flow: String {
        case verifyEmail = "verify_email"
        case secondFactor = "mfa_authenticate"
        case providerSignUp = "provider_signup"
        case logInByCode = "login_by_code"
        case verifyPhone = "verify_phone"
        case resetByCode = "password_reset_by_code"
        case other

        /// The path for the code that completes the step; `nil` if authctl does not send a code.
        var codePath: String? {
            switch self {
            case .secondFactor: "auth/2fa/authenticate"
            case .logInByCode: "auth/code/confirm"
            case .verifyPhone: "auth/phone/verify"
            case .verifyEmail, .providerSignUp, .resetByCode, .other: nil
            }
        }

        /// Whether the site sends the code when the step begins.
        var sendsCode: Bool { self == .logInByCode || self == .verifyPhone }
    }

    /// Returns `nil` if the body is not a response from allauth.
    ///
    /// - Parameter now: the time of the response.
    init?(status: Int, _ body: JSONValue?, at now: Instant, _ masker: Masker) {
        guard let body, Self.isEnvelope(body, status: status) else { return nil }
        self.status = status
        self.body = body
        session = Self.session(body["meta"]?.object ?? [:], at: now, masker)
    }

    var data: JSONValue { body["data"] ?? .null }
    /// Whether the response reports that the user is logged in.
    var isAuthenticated: Bool { Self.isAuthenticated(body) }
    /// The pending steps of an unfinished login or password reset.
    var pending: [Flow] { Self.pending(body) }

    static func isEnvelope(_ body: JSONValue?, status: Int) -> Bool {
        guard let body, body["status"]?.integer != nil else { return false }
        // Every allauth response with status 401 or 410 contains `is_authenticated`. JSON from a gateway does not.
        return ![401, 410].contains(status) || body["meta"]?["is_authenticated"] != nil
    }

    static func isAuthenticated(_ body: JSONValue) -> Bool { body["meta"]?["is_authenticated"]?.bool ?? false }

    static func pending(_ body: JSONValue) -> [Flow] {
        (body["data"]?["flows"]?.array ?? []).filter { $0["is_pending"]?.bool ?? false }.map { flow in
            // No code completes a second factor that is only a passkey.
            flow["types"] == ["webauthn"] ? .other : flow["id"]?.string.flatMap(Flow.init) ?? .other
        }
    }

    /// Reads the session in `meta`. allauth itself accepts the session token beside any other: it does not accept the
    /// access token of a site's own strategy, nor a JWT if the site has a word of its own before it.
    ///
    /// Source: allauth 65.21, `headless/tokens/strategies/jwt`; documentation, "Token strategies".
    private static func session(_ meta: JSONObject, at now: Instant, _ masker: Masker) -> Session? {
        let plain = Secret(token: meta["session_token"], masker)
        guard let token = Secret(token: meta["access_token"], masker) else {
            return plain.map { Session(token: $0, createdAt: now) }
        }
        var session = Session(given: token, refreshToken: meta["refresh_token"], at: now, masker)
        session.createdAt = now
        if let plain { (session.token, session.accessToken) = (plain, token) }
        return session
    }
}
