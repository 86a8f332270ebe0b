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
        let file = sessionFile()
        let isSound = contents(of: sessionFolder).allSatisfy { $0 == file || $0.hasSuffix("/.lock") }
        guard isSound, mode(sessionFolder) == 0o700 else { return false }
        guard isThere(file) else { return true }
        // `try?`: a session that cannot be read is not sound.
        return mode(file) == 0o600 && (try? sessions.list(of: "default").first?.content.get()) != nil
    }

    private var sessions: SessionFolder {
        SessionFolder(folder: PrivateFolder(path: sessionFolder, home: home))
    }
}
