/// An operation at a hostile server.
enum Operation: String {
    case whoami, login, signup, logout

    static let common: [Operation] = [.whoami, .login, .signup, .logout]

    /// The path below the base URL of a Parse server.
    var path: String { path(at: .parse) }

    func path(at kind: ServerKind) -> String {
        let paths: (parse: String, restAuth: String, allauth: String, kii: String) =
            switch self {
            case .whoami: ("users/me", "user/", "auth/session", "users/me")
            case .login: ("login", "login/", "auth/login", "oauth2/token")
            case .signup: ("users", "registration/", "auth/signup", "users")
            case .logout: ("logout", "logout/", "auth/session", "")
            }
        return switch kind {
        case .parse: "/\(paths.parse)"
        case .restAuth: "/\(paths.restAuth)"
        case .allauth: "/\(paths.allauth)"
        case .kii: "/apps/\(OperationRun.appID)/\(paths.kii)"
        }
    }

    /// Whether authctl retries the request after it was sent.
    var isIdempotent: Bool { [.whoami, .logout].contains(self) }

    /// The arguments of the command.
    var words: [String] { [rawValue] + ([.login, .signup].contains(self) ? ["ada", "--password-stdin"] : []) }
}
