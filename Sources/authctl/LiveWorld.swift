import AccountListener
import AccountServer
import AuthBackends
import AuthClient
import AuthModel
import AuthctlCommands
import CurlTransport
import Platform
import Synchronization
import Transport

extension World {
    /// The world of the real process, the only place that connects all implementations.
    static let live = World(
        environment: .process,
        input: .standard,
        output: .standardOutput,
        errorOutput: .standardError,
        terminal: SystemTerminal(),
        terminalWidth: { Platform.terminalWidth() },
        waitNotices: LiveNotices(),
        clock: .system,
        randomness: .system,
        backends: { .standard },
        pause: { Platform.pause($0) },
        configuration: { warn throws(AuthError) in ConfigurationFile(folder: try paths(warn).configuration()) },
        sessions: { warn throws(AuthError) in SessionFolder(folder: try sessionFolder(warn)) },
        requireWritable: { files, warn throws(AuthError) in
            let folder = files == .sessions ? try sessionFolder(warn) : try paths(warn).data()
            try mappingFileErrors { () throws(FileError) in try folder.requireWritable() }
        },
        embedded: { facebook, warn throws(AuthError) in
            var settings = ServerSettings(
                database: try localDatabase(warn), baseURL: EmbeddedAccounts.baseURL,
                applicationID: EmbeddedAccounts.appID, publicURL: EmbeddedAccounts.publicURL,
                mail: MailFolder(try paths(warn).mails()), facebook: facebook.map(FacebookSettings.init))
            settings.isInProcess = true
            return EmbeddedTransport(settings)
        },
        network: { LibcurlTransport($0, userAgent: "authctl/\(programVersion)") },
        serve: { request, isReady throws(AuthError) in try serve(request, isReady) },
        execute: { command, environment in
            ProcessState.restoreAll()
            return replaceProcess(command, environment)
        },
        readFile: { path, limit throws(FileError) in try Platform.readFile(at: path, limit: limit) },
        openFile: { path throws(FileError) in try ByteSource.file(at: path) })

    private static func paths(_ warn: @escaping Warn) -> Paths { Paths(environment: .process, warn: warn) }

    private static func sessionFolder(_ warn: @escaping Warn) throws(AuthError) -> PrivateFolder {
        try paths(warn).configuration().subfolder("sessions")
    }

    private static func localDatabase(_ warn: @escaping Warn) throws(AuthError) -> FileLocation {
        FileLocation(folder: try paths(warn).data(), name: "local.db")
    }

    private static func database(_ request: ServeRequest) throws(AuthError) -> FileLocation {
        guard let path = request.database else { return try localDatabase(request.warn) }
        return try mappingFileErrors { () throws(FileError) in
            try FileLocation(path: path, FolderRules(warn: request.warn))
        }
    }

    private static func mailFolder(_ path: String) throws(AuthError) -> MailFolder {
        try mappingFileErrors { () throws(FileError) in
            // `FileLocation` also resolves the path of a folder.
            let folder = PrivateFolder(path: try FileLocation(path: path).path, home: nil)
            // Checked now: a later failure to write a mail would be reported to the client instead of the operator.
            _ = try folder.lock()
            return MailFolder(folder)
        }
    }

    private static func serve(
        _ request: ServeRequest, _ isReady: (String) throws(AuthError) -> Void
    ) throws(AuthError) {
        let database = try database(request)
        let listener = try listener(request)
        let settings = ServerSettings(
            database: database, baseURL: "\(listener.origin)/parse", applicationID: request.appID,
            clientKey: request.clientKey.map { ServerSecret($0.reveal()) },
            mail: try request.mailFolder.map { path throws(AuthError) in try mailFolder(path) },
            facebook: request.facebook.map(FacebookSettings.init),
            // The server handles one request at a time, so a request that waits for the database blocks all others.
            busyTimeout: .seconds(2))
        let routes: ParseRoutes
        do throws(TransportError) {
            routes = ParseRoutes(
                settings, database: try AccountDatabase.open(database, busyTimeout: settings.busyTimeout))
        } catch {
            throw AuthError(error)
        }
        try mappingListenerErrors { () throws(ListenerError) in
            try listener.prepare(routes, database: database.path)
        }
        try isReady(settings.baseURL)
        try mappingListenerErrors { () throws(ListenerError) in try listener.run() }
    }

    private static func mappingListenerErrors(_ body: () throws(ListenerError) -> Void) throws(AuthError) {
        do throws(ListenerError) {
            try body()
        } catch {
            throw AuthError(error)
        }
    }

    private static func listener(_ request: ServeRequest) throws(AuthError) -> HTTPListener {
        do throws(ListenerError) {
            return try HTTPListener(
                ListenerSettings(
                    address: request.address, port: request.port, allowedHosts: request.allowedHosts,
                    allowedOrigins: request.allowedOrigins, log: request.log))
        } catch {
            throw AuthError(error)
        }
    }
}

extension FacebookSettings {
    fileprivate init(_ facebook: EmbeddedFacebook) {
        self.init(
            appIDs: facebook.appIDs, appSecret: facebook.appSecret.map { ServerSecret($0.reveal()) },
            graphURL: facebook.graphURL, transport: facebook.transport, timeLimit: facebook.timeLimit)
    }
}

extension AuthError {
    fileprivate init(_ error: ListenerError) {
        switch error {
        case .bind(.loopback, let port, let reason):
            self.init(
                .usage, "cannot listen on port \(port): \(reason)",
                next: "use another port with --port; 0 means a free port")
        case .bind(let address, let port, let reason):
            self.init(
                .usage, "cannot listen on \(address.host):\(port): \(reason)",
                next: "use an address of this machine with --listen, and another port with --port")
        case .databaseGone(let path):
            self.init(
                .unreadable, "'\(path)' was removed or replaced while the server was running",
                nextSteps: [
                    "accounts created in the last second may be lost: restore the file",
                    NextStep("start the server again", run: ["serve"]),
                ])
        case .resources:
            self.init(.internal, "no memory, pipe or thread available for the server")
        }
    }
}

/// The wait notices of the process, one at a time.
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
