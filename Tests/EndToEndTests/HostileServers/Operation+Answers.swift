import TestSupport

/// Responses of a server to the operations.
extension Operation {
    var goodAnswer: ScriptedServer.Answer { goodAnswer(of: .parse) }

    func goodAnswer(of kind: ServerKind) -> ScriptedServer.Answer {
        .answer(goodStatus(of: kind), ["Content-Type: application/json"], goodBody(of: kind))
    }

    /// The routes of this operation below a base URL. They include the requests that authctl sends beforehand or
    /// afterwards: the site's configuration and the current user.
    ///
    /// - Parameter own: the response to the operation itself; `nil` for a successful one.
    func routes(at kind: ServerKind, below base: String, _ own: ScriptedServer.Answer? = nil)
        -> [String: [ScriptedServer.Answer]]
    {
        let site = #"{"status":200,"data":{"account":{"login_methods":["username"]}}}"#
        return [
            "\(base)/config": [.answer("200 OK", ["Content-Type: application/json"], site)],
            base + Operation.whoami.path(at: kind): [Operation.whoami.goodAnswer(of: kind)],
        ].merging([base + path(at: kind): [own ?? goodAnswer(of: kind)]]) { $1 }
    }

    func goodStatus(of kind: ServerKind) -> String {
        switch (kind, self) {
        case (.allauth, .logout): "401 Unauthorized"
        case (.parse, .signup), (.restAuth, .signup), (.kii, .signup): "201 Created"
        default: "200 OK"
        }
    }

    var goodBody: String {
        switch self {
        case .whoami: #"{"objectId":"u1","username":"ada"}"#
        case .login: #"{"objectId":"u1","username":"ada","sessionToken":"r:canary-new"}"#
        case .signup: #"{"objectId":"u1","createdAt":"2026-01-01T00:00:00.000Z","sessionToken":"r:canary-new"}"#
        case .logout: "{}"
        }
    }

    func goodBody(of kind: ServerKind) -> String {
        let user = #""data":{"user":{"id":1,"username":"ada"}}"#
        let bodies: (restAuth: String, allauth: String, kii: String) =
            switch self {
            case .whoami:
                (
                    #"{"pk":1,"username":"ada","email":"ada@example.org"}"#,
                    #"{"status":200,\#(user),"meta":{"is_authenticated":true}}"#, #"{"userID":"u1","loginName":"ada"}"#
                )
            case .login, .signup:
                (
                    #"{"key":"canary-new"}"#,
                    #"{"status":200,\#(user),"meta":{"is_authenticated":true,"session_token":"canary-new"}}"#,
                    self == .login
                        ? #"{"id":"u1","access_token":"canary-new","expires_in":3600}"#
                        : #"{"userID":"u1","_accessToken":"canary-new"}"#
                )
            case .logout:
                (#"{"detail":"Done."}"#, #"{"status":401,"data":{"flows":[]},"meta":{"is_authenticated":false}}"#, "")
            }
        return switch kind {
        case .parse: goodBody
        case .restAuth: bodies.restAuth
        case .allauth: bodies.allauth
        case .kii: bodies.kii
        }
    }
}
