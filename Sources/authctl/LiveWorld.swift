import AccountServer
import AuthBackends
import AuthClient
import AuthModel
import AuthctlCommands
import Platform
import Synchronization
import Transport

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
        embedded: { () throws(AuthError) in EmbeddedAccountServer(folder: try paths.data()) },
        readFile: { path, limit throws(FileError) in try Platform.readFile(at: path, limit: limit) })

    private static let paths = Paths(environment: .process)
}

/// The account server inside this program, its database in a folder that is made at the first request.
private final class EmbeddedAccountServer: HTTPTransport {
    private let folder: PrivateFolder
    private let server: EmbeddedTransport

    init(folder: PrivateFolder) {
        self.folder = folder
        server = EmbeddedTransport(
            ServerSettings(
                databasePath: "\(folder.path)/local.db", baseURL: EmbeddedAccounts.baseURL,
                applicationID: EmbeddedAccounts.appID))
    }

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        do throws(FileError) {
            try folder.create()
            try folder.check()
        } catch {
            throw TransportError(.storage(error.fault), error.message, hint: error.hint)
        }
        return try server.send(request)
    }
}

extension FileError {
    fileprivate var fault: TransportError.StorageFault {
        switch kind {
        case .unreadable: .unreadable
        case .unsafe: .unsafe
        case .corrupt: .corrupt
        case .newerVersion: .newerVersion
        case .locked: .locked
        case .noSpace: .noSpace
        case .notWritten: .notWritten
        }
    }
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
