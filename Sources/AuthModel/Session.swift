package import Platform

/// A session that the server accepts until the user logs out, or until it is revoked or expires.
package struct Session: Sendable, Equatable {
    package var token: Secret
    /// The token to exchange for a new session, if the server issued one.
    package var refreshToken: Secret?
    /// The server's id for the session, if there is one; never the token.
    package var id: String?
    package var createdAt: Instant?
    /// `nil` if the session does not expire, or if the server does not report the expiry.
    package var expiresAt: Instant?
    /// The token for the rest of the site, if `token` is only for the account server. `expiresAt` and `refreshToken` are
    /// then those of this token; the other one stays valid.
    package var accessToken: Secret?
    /// The name that the user logged in with, if the server shows another name, or none.
    package var loginName: LoginName?
    /// The word before the token in `Authorization`, if a site has one of its own.
    package var scheme: String?
    /// The cookie in which the server set the refresh token, without its value.
    package var refreshCookie: Cookie?
    /// The cookie in which the server set the token, without its value.
    package var accessCookie: Cookie?
    /// The path, below the server URL, of the page that has shown that the site accepts the cookies.
    package var page: String?

    package init(
        token: Secret, refreshToken: Secret? = nil, id: String? = nil, createdAt: Instant? = nil,
        expiresAt: Instant? = nil, scheme: String? = nil
    ) {
        self.token = token
        self.refreshToken = refreshToken
        self.id = id
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.scheme = scheme
    }

    /// The token for requests outside of the account server. It changes with each refresh.
    package var presentedToken: Secret { accessToken ?? token }

    package func hasExpired(at now: Instant) -> Bool {
        expiresAt.map { $0 <= now } ?? false
    }
}

/// The server and application that a profile uses, and that a session is bound to.
///
/// authctl sends a session only to the server and application of its connection. Exception: `authctl api` may send it
/// to other paths of the same origin, and to the API URL that was set at login.
package struct Connection: Sendable, Hashable {
    /// The `BackendDescriptor.kind` of the backend.
    package let backend: String
    /// The base URL in normal form (scheme and host in lower case, no default port, no trailing slash), with its mount
    /// path; `nil` for local accounts.
    package let server: String?
    /// The application id, if the server hosts several applications.
    package let appID: String?

    package init(backend: String, server: String? = nil, appID: String? = nil) {
        self.backend = backend
        self.server = server
        self.appID = appID
    }
}
