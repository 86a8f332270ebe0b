import AuthModel

extension AuthError.Reason {
    /// What to do where a gateway answered in the place of the server.
    static var gatewayHint: String { "is that the server that is meant? check its URL" }

    /// What the user is told of a refusal, where a kind of server has no words of its own for it.
    ///
    /// - Parameter status: of the answer.
    func words(status: Int) -> String {
        switch self {
        case .wrongPassword: "wrong user name or password"
        case .wrongCode: "the server does not accept the one-time code"
        case .usernameTaken: "the user name is taken"
        case .emailTaken: "the e-mail is taken"
        case .identityTaken: "that Facebook identity belongs to another account"
        case .emailUnverified: "the e-mail is not verified yet"
        case .secondFactorRequired: "the account has a second factor"
        case .accountDisabled: "the account is disabled"
        case .sessionRevoked: "the server does not accept this session any more"
        case .sessionExpired: "the session has run out and cannot be renewed"
        case .tokenRefused: "the server does not accept this session"
        case .weakPassword: "the server finds the password too weak"
        case .notFound: "the server knows no such thing"
        case .badAppKey: "the server does not accept the application id or key"
        case .rateLimited: status == 503 ? "the server is too busy" : "too many requests"
        case .serverFault: "the server failed"
        case .outcomeUnknown:
            "the answer was lost: \([502, 504].contains(status) ? "a gateway" : "a page") with status \(status) came"
        case .brokenAnswer: "the server's answer makes no sense"
        case .forbidden where status == 401: "the server, or a gateway before it, asks for another authentication"
        case .forbidden where status == 403: "the server, or a gateway before it, forbids it"
        default: "the server refused it"
        }
    }
}
