import AuthModel
import Platform
import TestSupport

@testable import AuthClient

/// A session of the user `ada`, and the response of a Parse server to a request for the current user.
enum ParseSession {
    static let token = "r:canary-kept"
    static let appID = "shop"
    static let user = ScriptedServer.Answer.json(#"{"objectId":"u1","username":"ada"}"#)

    /// Environment variables with the session, for use without a saved session.
    static func environment(at url: String) -> [String: String] {
        ["AUTHCTL_TOKEN": token, "AUTHCTL_BACKEND": "parse", "AUTHCTL_SERVER": url, "AUTHCTL_APP_ID": appID]
    }

    /// Options that select the server.
    static func options(at url: String) -> [String] { ["--backend", "parse", "--server", url, "--app-id", appID] }
}

extension Sandbox {
    /// Saves a session for the default profile.
    func keepSession(
        for url: String, backend: String = "parse", appID: String? = ParseSession.appID,
        _ session: Session = Session(token: Secret(ParseSession.token), id: "s1")
    ) throws {
        _ = try SessionFolder(folder: PrivateFolder(path: sessionFolder)).save(
            StoredSession(
                profile: "default",
                connection: AuthModel.Connection(backend: backend, server: url, appID: appID),
                session: session, user: User(id: "u1", username: "ada")))
    }
}

extension ScriptedServer.Answer {
    static func json(_ body: String, _ status: String = "200 OK") -> Self {
        answer(status, ["Content-Type: application/json"], body)
    }
}
