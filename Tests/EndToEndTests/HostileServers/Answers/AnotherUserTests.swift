import TestSupport
import Testing

/// Servers that respond to a login with the session of another user. The session is not saved.
@Suite(.keepsSecrets) struct AnotherUserTests {
    private static func json(_ body: String) -> [ScriptedServer.Answer] {
        [.answer("200 OK", ["Content-Type: application/json"], body)]
    }

    @Test(
        arguments: [
            (.parse, "users/me", "{}"), (.restAuth, "user/", #"{"pk":9,"username":"mallory","email":"m@example.org"}"#),
            (.allauth, "auth/session", "{}"), (.kii, "users/me", #"{"userID":"u1","loginName":"mallory"}"#),
            // The login response named user u1.
            (.kii, "users/me", #"{"userID":"u9","loginName":"ada"}"#),
        ] as [(ServerKind, String, String)])
    func `a login that returns another user's session saves nothing`(kind: ServerKind, path: String, user: String)
        throws
    {
        let logIn = Operation.login.goodBody(of: kind).replacing(#""username":"ada""#, with: #""username":"mallory""#)
        let base = kind == .kii ? "/api/apps/\(OperationRun.appID)" : "/api"
        let server = try ScriptedServer([
            "/api\(Operation.login.path(at: kind))": Self.json(logIn), "\(base)/\(path)": Self.json(user),
            "*": [.answer("404 No")],
        ])
        try OperationRun(.login, at: server.url("/api", host: "localhost"), kind: kind).failure(8, "broken-answer")
    }

    @Test(arguments: ["ADA", "ada"])
    func `a username in another case is the same user`(name: String) throws {
        let server = try ScriptedServer([
            "/api\(Operation.login.path(at: .restAuth))": Self.json(Operation.login.goodBody(of: .restAuth)),
            "/api/user/": Self.json(#"{"pk":1,"username":"\#(name)"}"#),
        ])
        try OperationRun(.login, at: server.url("/api", host: "localhost"), kind: .restAuth).success()
    }
}
