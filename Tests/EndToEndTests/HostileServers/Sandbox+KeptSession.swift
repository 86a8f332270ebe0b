import AuthClient
import AuthModel
import Platform
import TestSupport

extension Sandbox {
    /// Saves a session of `ada`.
    func keepSession(
        for url: String, _ kind: ServerKind = .parse,
        _ session: Session = Session(token: Secret(OperationRun.token), id: "s1")
    ) throws {
        _ = try sessions.save(
            StoredSession(
                profile: "default",
                connection: AuthModel.Connection(backend: kind.rawValue, server: url, appID: kind.appID),
                session: session, user: User(id: "u1", username: "ada")))
    }

    /// Whether all session files are readable and have mode 0600, and their folder has no other files.
    var hasSoundSessions: Bool {
        let files = contents(of: sessionFolder).filter { !$0.hasSuffix("/.lock") }
        let areSound = files.allSatisfy { $0.hasPrefix("\(sessionFolder)/default~~") && mode($0) == 0o600 }
        guard areSound, mode(sessionFolder) == 0o700 else { return false }
        // `try?`: a session that cannot be read is not sound.
        let readable = try? sessions.list(of: "default").map { try $0.content.get() }
        return readable?.count == files.count
    }

    private var sessions: SessionFolder {
        SessionFolder(folder: PrivateFolder(path: sessionFolder))
    }
}
