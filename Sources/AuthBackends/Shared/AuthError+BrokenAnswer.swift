import AuthModel

/// Successful responses without the required content.
extension AuthError {
    static func namesNoUser(status: Int = 200) -> AuthError {
        AuthError(.brokenAnswer, "the server's answer names no user", server: ServerDetail(status: status))
    }

    static func holdsNoSession(status: Int = 200) -> AuthError {
        AuthError(.brokenAnswer, "the server's answer holds no session", server: ServerDetail(status: status))
    }

    static let holdsNoUsableSession = AuthError(.brokenAnswer, "the server's answer holds no usable session")
    static let sessionOfAnother = AuthError(
        .brokenAnswer, "the server's answer is the session of another user", server: ServerDetail(status: 200))
}
