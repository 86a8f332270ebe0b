import AuthModel

/// Good responses without the content that they promise.
extension AuthError {
    static let namesNoUser = AuthError(.brokenAnswer, "the server's answer names no user")
    static let holdsNoSession = AuthError(.brokenAnswer, "the server's answer holds no session")
    static let holdsNoUsableSession = AuthError(.brokenAnswer, "the server's answer holds no usable session")
    static let sessionOfAnother = AuthError(
        .brokenAnswer, "the server's answer is the session of another user", server: ServerDetail(status: 200))
}

extension Session {
    /// - Throws: `AuthError` `sessionExpired` without a refresh token.
    func requiredRefreshToken() throws(AuthError) -> Secret {
        guard let refreshToken else {
            throw AuthError(.sessionExpired, "the session has run out and cannot be renewed")
        }
        return refreshToken
    }
}
