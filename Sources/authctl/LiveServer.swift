import AccountListener
import AccountServer
import AuthClient
import AuthModel
import AuthctlCommands
import CProcess
import JSON
import Platform
import SQLite
import Synchronization
import Transport

/// Serves the accounts of the embedded account server on a TCP port.
struct LiveServer {
    private let request: ServeRequest
    private let listener: HTTPListener
    private let database: FileLocation?
    private let routes: ParseRoutes
    private let controls: TestControls?
    private let mailQueue: MailQueue

    /// Opens the port and the database, and creates the seed accounts.
    init(_ request: ServeRequest) throws(AuthError) {
        // Other processes must not read the server's memory, which holds passwords, app secrets and session tokens.
        deny_memory_access()
        share_memory_arena()
        self.request = request
        mailQueue = MailQueue(report: request.report)
        let options = request.options
        database = try Self.database(request)
        listener = try Self.listener(request)
        var settings = ServerSettings(
            database: database, baseURL: "\(listener.origin)/parse", applicationID: request.appID)
        settings.clientKey = request.clientKey
        settings.facebook = request.facebook.map(FacebookSettings.init)
        settings.mailQueue = mailQueue
        settings.limits = WorkLimits(processors: Int(usable_processors()))
        settings.acceptsUnsignedProofs = options.hasTestIdentities
        settings.requiresVerifiedEmail = options.requiresVerifiedEmail
        if database == nil { settings.passwordCost = .minimum }
        if options.isThrottled { settings.throttle = Throttle(database == nil ? .loginsOnly : .standard) }
        do throws(TransportError) {
            let connection = try AccountDatabase.open(database, busyTimeout: .seconds(2))
            let shared = GuardedDatabase(connection)
            controls =
                options.hasTestControls
                ? TestControls(origin: listener.origin, settings, database: shared) : nil
            if let controls { settings.clock = controls.wallClock }
            routes = ParseRoutes(settings, database: shared)
        } catch {
            throw AuthError(error)
        }
        if let seed = request.seed { try create(seed) }
    }

    /// Serves until SIGINT or SIGTERM arrives.
    func run(_ isReady: (ServerURLs) throws(AuthError) -> Void) throws(AuthError) {
        let mails = try ownMailFolder()
        try mapping { () throws(ListenerError) in
            prepare(mails)
            try listener.endOnSignals()
        }
        try isReady(urls)
        defer { mailQueue.finish() }
        try mapping { () throws(ListenerError) in try listener.run() }
    }

    /// Starts the command, and serves until the command has ended.
    func runCommand(
        filesIn place: String, _ isReady: (RunningServer) throws(AuthError) -> [String: String?]
    ) throws(AuthError) -> CommandEnding {
        let folder = try temporaryFolder(in: place)
        defer { folder.delete() }
        let configuration = try mappingFileErrors { () throws(FileError) in try folder.makeSubfolder("config") }
        let mails = try mailFolder(request.options.mailFolder ?? "\(folder.path)/mail")
        RunningCommand.passSignalsOn()
        let child = Child()
        try mapping { () throws(ListenerError) in
            prepare(mails)
            try listener.endWithChild { child.hasEnded() }
        }
        let variables = try isReady(
            RunningServer(urls: urls, mailFolder: mails.path, configurationFolder: configuration))
        changeEnvironment(variables)
        do throws(Errno) {
            child.command = try ProcessState.whileRestored { () throws(Errno) in
                try RunningCommand.start(Main.lastArguments(request.options.command.count))
            }
        } catch {
            return .notStarted(error)
        }
        defer { mailQueue.finish() }
        // If the server fails, the command must end as well.
        defer { if child.exitCode == nil { child.command?.end() } }
        try mapping { () throws(ListenerError) in try listener.run() }
        return .exited(child.exitCode ?? 0)
    }

    /// The child process that runs the command.
    private final class Child {
        var command: RunningCommand?
        private(set) var exitCode: Int32?

        func hasEnded() -> Bool {
            exitCode = exitCode ?? command?.takeExitCode()
            return exitCode != nil
        }
    }

    private var urls: ServerURLs { ServerURLs(parse: routes.url, controls: controls.map { Secret($0.url) }) }

    private func prepare(_ mails: PrivateFolder?) {
        let folder: (any MailOutlet)? = mails.map { MailFolder($0) }
        let outlet = controls.map { $0.recording(folder) } ?? folder ?? UnreadMails(warn: request.warnOfRequest)
        listener.prepare(routes.mailing(to: outlet), database: database?.path, controls: controls)
    }

    // MARK: - Files

    private static func database(_ request: ServeRequest) throws(AuthError) -> FileLocation? {
        if request.options.isEphemeral { return nil }
        guard let path = request.options.database else { return try World.localDatabase(request.warn) }
        let file = try mappingFileErrors { () throws(FileError) in
            try FileLocation(path: path, FolderRules(trusting: .all, warn: request.warn))
        }
        // `try?`: if there is no folder for local accounts, `file` cannot be the database of local accounts.
        guard request.options.hasTestControls, let local = try? World.localDatabase(request.warn) else { return file }
        guard !file.isSameFile(as: local) else {
            throw AuthError(
                .usage, "cannot use '\(path)' with --test-controls: it contains the accounts of the backend 'local'",
                nextSteps: ["use another file with --database", "or keep the accounts in memory with --ephemeral"])
        }
        return file
    }

    /// The folder of `--mail-dir`; for the accounts of the backend `local`, that of `authctl mail`; else `nil`.
    private func ownMailFolder() throws(AuthError) -> PrivateFolder? {
        if let path = request.options.mailFolder { return try mailFolder(path) }
        guard database != nil, request.options.database == nil else { return nil }
        return try Paths(environment: .process, warn: request.warn).mails()
    }

    private func mailFolder(_ path: String) throws(AuthError) -> PrivateFolder {
        try mappingFileErrors { () throws(FileError) in
            let folder = try World.userFolder(path, request.warn)
            // Test the lock now, because a later failure would make a client's request fail instead of this command.
            _ = try folder.lock()
            return folder
        }
    }

    private func temporaryFolder(in place: String) throws(AuthError) -> TemporaryFolder {
        let rules = FolderRules(remedy: { "use another folder for temporary files: set TMPDIR" }, warn: request.warn)
        return try mappingFileErrors { () throws(FileError) in try TemporaryFolder(in: place, rules) }
    }

    // MARK: - Accounts

    private func create(_ seed: AccountSeed) throws(AuthError) {
        do throws(SeedingError) {
            try routes.create(
                seed.rows.map { row in
                    SeedAccount(
                        id: row.id, body: row.signUpBody,
                        passwordHash: row.passwordHash.flatMap(HashedPassword.init)?.text.reveal())
                })
        } catch {
            switch error {
            case .refused(let index, let text): throw seed.error(.invalidFields, index, text)
            case .taken(let index, "username"):
                throw seed.error(.usernameTaken, index, "the username is already taken")
            case .taken(let index, "email"): throw seed.error(.emailTaken, index, "the e-mail is already taken")
            case .taken(let index, let field): throw seed.error(.conflict, index, "the \(field) is already taken")
            case .storage(let error): throw AuthError(error)
            }
        }
    }

    // MARK: - Port

    private static func listener(_ request: ServeRequest) throws(AuthError) -> HTTPListener {
        var settings = ListenerSettings(port: request.port)
        (settings.address, settings.otherAddress) = (request.options.address, request.options.otherAddress)
        settings.allowedHosts = request.options.allowedHosts
        settings.allowedOrigins = request.options.allowedOrigins
        settings.mostConnections = request.options.mostConnections
        (settings.log, settings.report, settings.warn) = (request.log, request.report, request.warnOfRequest)
        return try mapping { () throws(ListenerError) in try HTTPListener(settings) }
    }
}

/// The destination of e-mails that nobody can read. Requests for them succeed, as on any server.
private final class UnreadMails: MailOutlet {
    private let warn: (@Sendable (String) -> Void)?
    private let wasReported = Mutex(false)

    init(warn: (@Sendable (String) -> Void)?) { self.warn = warn }

    func deliver(_ mail: Mail) throws(FileError) {
        let isFirst = wasReported.withLock { wasReported in
            defer { wasReported = true }
            return !wasReported
        }
        if isFirst { warn?("e-mails are not kept: to read them, start authctl serve with --mail-dir FOLDER") }
    }
}

private func mapping<Result>(_ body: () throws(ListenerError) -> Result) throws(AuthError) -> Result {
    do throws(ListenerError) {
        return try body()
    } catch {
        throw AuthError(error)
    }
}

extension AccountRow {
    fileprivate var signUpBody: JSONObject {
        var body: JSONObject = [:]
        for (name, text) in [("username", username), ("password", password?.reveal()), ("email", email)] {
            body[name] = text.map(JSONValue.string)
        }
        body["emailVerified"] = state.emailVerified.map(JSONValue.bool)
        body["authData"] = authData.map(JSONValue.object)
        for member in fields.members { body[member.name] = member.value }
        return body
    }
}

extension FacebookSettings {
    init(_ facebook: EmbeddedFacebook) {
        self.init(
            appIDs: facebook.appIDs, appSecret: facebook.appSecret,
            graphURL: facebook.graphURL, transport: facebook.transport, timeLimit: facebook.timeLimit)
    }
}

extension AuthError {
    fileprivate init(_ error: ListenerError) {
        switch error {
        case .bind(let address, let port, let reason) where [.loopback, .loopbackIPv6].contains(address):
            self.init(
                .usage, "cannot listen on port \(port)\(address == .loopback ? "" : " of [::1]"): \(reason)",
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
            self.init(.internal, "no memory, file descriptor or thread available for the server")
        }
    }
}
