import AuthClient
import AuthModel
import Platform
import TestSupport

extension Sandbox {
    /// Saves a session of `ada`.
    func keepSession(
        for url: String, _ kind: ServerKind = .parse, _ session: Session = Session(token: Secret(OperationRun.token))
    ) throws {
        _ = try sessions.save(
            StoredSession(
                profile: "default",
                connection: AuthModel.Connection(backend: kind.rawValue, server: url, appID: kind.appID),
                session: session, user: User(id: "u1", username: "ada")))
    }

    /// Whether the session file is missing or readable, has mode 0600, and its folder has no other files.
    var hasSoundSessions: Bool {
        let names = Set(contents(of: sessionFolder).map { $0.dropFirst(sessionFolder.count + 1) })
        guard names.isSubset(of: [".lock", "default.json"]), mode(sessionFolder) == 0o700 else { return false }
        guard isThere(sessionFile()) else { return true }
        return mode(sessionFile()) == 0o600 && (try? sessions.load("default")) != nil
    }

    private var sessions: SessionFolder {
        SessionFolder(folder: PrivateFolder(path: sessionFolder, home: home))
    }
}
