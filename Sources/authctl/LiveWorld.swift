import AccountServer
import AuthBackends
import AuthClient
import AuthModel
import AuthctlCommands
import Platform
import Synchronization

extension World {
    /// The world as the process finds it: the one place where everything meets.
    static let live = World(
        environment: .process,
        input: .standard,
        output: .standardOutput,
        errorOutput: .standardError,
        terminal: SystemTerminal(),
        terminalWidth: { Platform.terminalWidth() },
        waitNotices: LiveNotices(),
        clock: .system,
        configuration: { () throws(AuthError) in ConfigurationFile(folder: try paths.configuration()) },
        sessions: { () throws(AuthError) in
            SessionFolder(folder: try paths.configuration().subfolder("sessions"))
        },
        embedded: { () throws(AuthError) in
            EmbeddedTransport(
                ServerSettings(
                    database: FileLocation(folder: try paths.data(), name: "local.db"),
                    baseURL: EmbeddedAccounts.baseURL, applicationID: EmbeddedAccounts.appID))
        },
        readFile: { path, limit throws(FileError) in try Platform.readFile(at: path, limit: limit) })

    private static let paths = Paths(environment: .process)
}

/// The notices of the process: one at a time.
private final class LiveNotices: WaitNotices {
    private let current = Mutex<WaitNotice?>(nil)

    func begin(_ activity: String) {
        current.withLock { $0 = WaitNotice(activity) }
    }

    func end() {
        current.withLock { notice in
            notice?.end()
            notice = nil
        }
    }
}
