import Foundation
import TestSupport

/// An operation at a hostile server.
enum Operation: String {
    case whoami, login, signup, logout
    /// Requests a password-reset e-mail.
    case reset
    /// Links an identity after a request for the user.
    case link
    /// Requests the user with `api`.
    case api

    static let common: [Operation] = [.whoami, .login, .signup, .logout]

    /// The path below the base URL of a Parse server.
    var path: String { path(at: .parse) }

    func path(at kind: ServerKind) -> String {
        let paths: (parse: String, restAuth: String, allauth: String, kii: String) =
            switch self {
            case .whoami, .api: ("users/me", "user/", "auth/session", "users/me")
            case .login: ("login", "login/", "auth/login", "oauth2/token")
            case .signup: ("users", "registration/", "auth/signup", "users")
            case .logout: ("logout", "logout/", "auth/session", "")
            case .reset:
                (
                    "requestPasswordReset", "password/reset/", "auth/password/request",
                    "users/EMAIL:ada%40example.org/password/request-reset"
                )
            case .link: ("users/u1", "facebook/connect/", "auth/provider/token", "users/me/facebook/link")
            }
        return switch kind {
        case .parse: "/\(paths.parse)"
        case .restAuth: "/\(paths.restAuth)"
        case .allauth: "/\(paths.allauth)"
        case .kii: "/apps/\(OperationRun.appID)/\(paths.kii)"
        }
    }

    /// Whether authctl retries the request after it was sent.
    var isIdempotent: Bool { [.whoami, .logout, .api].contains(self) }

    /// The arguments of the command, for a server with this base URL.
    func words(at url: String, _ kind: ServerKind) -> [String] {
        switch self {
        // On a Django site, the path is below the origin.
        case .api:
            let mount = URL(string: url)?.path ?? ""
            return ["api", ([.restAuth, .allauth].contains(kind) ? mount : "") + path(at: kind)]
        case .whoami, .logout: return [rawValue]
        case .login, .signup: return [rawValue, "ada", "--password-stdin"]
        case .reset: return ["password", "reset", "ada@example.org"]
        case .link: return ["link-facebook", "--token-stdin", "--facebook-id", "1"]
        }
    }

    var input: Input { self == .link ? "canary-facebook\n" : .password }
}
