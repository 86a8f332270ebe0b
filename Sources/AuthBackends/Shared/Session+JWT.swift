import AuthModel
import JSON
import Platform

extension Session {
    /// Whether the token is a JWT. Sites issue either a JWT or an opaque key.
    var isJWT: Bool { JWT(token) != nil }

    /// A session with a token that the server has just issued. Only a JWT has an expiry and may have a refresh token.
    ///
    /// - Parameter refreshToken: the value in the response; missing or empty if there is none, or if the site stores
    ///   the token in a cookie.
    init(given token: Secret, refreshToken: JSONValue?, at now: Instant, _ masker: Masker) {
        // Register the refresh token as a secret, even if the session does not use it.
        let refreshToken = Secret(token: refreshToken, masker)
        guard let jwt = JWT(token) else {
            self.init(token: token)
            return
        }
        self.init(token: token, refreshToken: refreshToken, createdAt: now, expiresAt: jwt.end(issuedAt: now))
    }

    /// A session with a token that the user supplied.
    init(foreign token: Secret) {
        let jwt = JWT(token)
        self.init(token: token, createdAt: jwt?.issuedAt, expiresAt: jwt?.expiresAt)
    }

    /// - Throws: `BackendError` `sessionExpired` if the session has no refresh token.
    func requiredRefreshToken() throws(BackendError) -> Secret {
        guard let refreshToken else { throw .sessionExpired }
        return refreshToken
    }

    /// Returns the session that replaces this one after a refresh.
    ///
    /// - Parameter refreshToken: the new refresh token; missing if the old one stays valid.
    func refreshed(_ token: Secret, refreshToken: JSONValue?, at now: Instant, _ masker: Masker) -> Session {
        var session = Session(given: token, refreshToken: refreshToken, at: now, masker)
        session.refreshToken = session.refreshToken ?? self.refreshToken
        if accessToken != nil { (session.token, session.accessToken) = (self.token, token) }
        session.id = id
        session.createdAt = createdAt
        session.loginName = loginName
        (session.scheme, session.refreshCookie, session.accessCookie) = (scheme, refreshCookie, accessCookie)
        return session
    }
}
