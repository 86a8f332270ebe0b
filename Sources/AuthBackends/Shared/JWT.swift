import AuthModel
import JSON
import Platform

/// The lifetime of a JSON Web Token: `{"exp": seconds since 1970, "iat": seconds since 1970, …}`.
///
/// The user is never read from it, because only the server can verify the signature.
/// Source: RFC 7519, sections 3 and 4.1.
struct JWT: Equatable {
    let expiresAt: Instant?
    let issuedAt: Instant?

    /// `nil` if the text is not a JWT: header, payload and signature, separated by dots.
    init?(_ token: Secret) {
        guard let payload = Self.payload(of: token) else { return nil }
        expiresAt = Self.instant(payload["exp"])
        issuedAt = Self.instant(payload["iat"])
    }

    /// The expiry by this machine's clock for a token that was issued just now. The server's clock may differ.
    func end(issuedAt now: Instant) -> Instant? {
        guard let expiresAt, let issuedAt, expiresAt > issuedAt else { return expiresAt }
        let (life, overflow) = expiresAt.milliseconds.subtractingReportingOverflow(issuedAt.milliseconds)
        let (end, isTooLate) = now.milliseconds.addingReportingOverflow(life)
        return overflow || isTooLate ? expiresAt : Instant(milliseconds: end)
    }

    /// The payload; `nil` if the text is not a JWT.
    static func payload(of token: Secret) -> JSONObject? {
        let parts = token.reveal().split(separator: "." as Character, omittingEmptySubsequences: false)
        // The signature may be empty, but its dot is required.
        guard parts.count == 3, let header = object(parts[0]), header["alg"] != nil else { return nil }
        return object(parts[1])
    }

    private static func object(_ part: Substring) -> JSONObject? {
        // `try?`: a part that is not JSON means that this is not a JWT.
        [UInt8](base64: part, isForURLs: true).flatMap { try? JSONValue(parsing: $0) }?.object
    }

    /// A number of seconds. A fraction is dropped.
    private static func instant(_ value: JSONValue?) -> Instant? {
        switch value {
        case .integer(let seconds): Instant(seconds: seconds)
        case .number(let seconds): Int64(exactly: seconds.value.rounded(.down)).map { Instant(seconds: $0) }
        default: nil
        }
    }
}

extension Session {
    /// Whether the token is a JWT. Sites issue either a JWT or an opaque key.
    var isJWT: Bool { JWT(token) != nil }

    /// A session with a token that the server has just issued. A JWT has an expiry and may have a refresh token.
    ///
    /// - Parameter refreshToken: an empty string if the site stores it in a cookie.
    init(given token: Secret, refreshToken: JSONValue?, at now: Instant, _ masker: Masker) {
        // Registered even if the session does not use it.
        let refreshToken = Secret(token: refreshToken, masker)
        guard let jwt = JWT(token) else {
            self.init(token: token)
            return
        }
        self.init(token: token, refreshToken: refreshToken, createdAt: now, expiresAt: jwt.end(issuedAt: now))
    }

    /// A session with a token from elsewhere.
    init(foreign token: Secret) {
        let jwt = JWT(token)
        self.init(token: token, createdAt: jwt?.issuedAt, expiresAt: jwt?.expiresAt)
    }

    /// - Throws: `AuthError` `sessionExpired` without a refresh token.
    func requiredRefreshToken() throws(AuthError) -> Secret {
        guard let refreshToken else {
            throw AuthError(.sessionExpired, "the session has expired and cannot be refreshed")
        }
        return refreshToken
    }

    /// The session that replaces this one.
    ///
    /// - Parameter refreshToken: missing if the old one stays valid.
    func refreshed(_ token: Secret, refreshToken: JSONValue?, at now: Instant, _ masker: Masker) -> Session {
        var session = Session(given: token, refreshToken: refreshToken, at: now, masker)
        session.refreshToken = session.refreshToken ?? self.refreshToken
        session.id = id
        session.createdAt = createdAt
        return session
    }
}
