import AuthModel

/// Successful responses without the required content.
extension AuthError {
    static func namesNoUser(status: Int = 200) -> AuthError {
        AuthError(.invalidResponse, "the response names no user", server: ServerDetail(status: status))
    }

    static func holdsNoSession(status: Int = 200) -> AuthError {
        AuthError(.invalidResponse, "the response has no session", server: ServerDetail(status: status))
    }

    static let holdsNoUsableSession = AuthError(.invalidResponse, "the response has no valid session")
    static let sessionOfOtherUser = AuthError(
        .invalidResponse, "the response has the session of another user", server: ServerDetail(status: 200))

    /// A change of a field that only the server sets. Servers ignore such a change, so it is not sent.
    static func readOnly(_ name: String) -> AuthError {
        AuthError(.invalidFields, "field '\(name)' is read-only", fields: [FieldFault(name, "is read-only")])
    }
}
