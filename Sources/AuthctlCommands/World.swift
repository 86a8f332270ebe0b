package import AuthBackends
package import AuthClient
package import AuthModel
package import Platform
package import Transport

/// All access to the outside world, such as files, terminal, network and clock. Tests replace the real `World` with a
/// fake.
///
/// Operations without a working default fail until they are set.
package struct World: Sendable {
    package typealias Failure = AuthError
    /// Receives warnings about files; may receive the same warning several times.
    package typealias Warn = @Sendable (String) -> Void
    package enum StoredFiles: Sendable { case sessions, localAccounts }

    /// Masks the secrets of the process in server messages and other text.
    package let masker = Masker()
    package let environment: Environment
    package let input: InputStream
    package let output: OutputStream
    package let errorOutput: OutputStream
    package let terminal: any Terminal
    package var terminalWidth: @Sendable () -> Int? = { nil }
    package var progressNotices: any ProgressNotices = NoNotices()
    package var clock = WallClock.system
    package var randomness = Randomness.system
    package var pause: @Sendable (Duration) -> Void = { Platform.pause($0) }
    /// The monotonic time since an arbitrary point.
    package var uptime: @Sendable () -> Duration = { monotonicNow() }
    /// The available backends. A closure avoids building the registry for commands that need no backend.
    package var backends: @Sendable () -> BackendRegistry = { .standard }
    package var configuration: @Sendable (@escaping Warn) throws(Failure) -> any ConfigurationStore = {
        _ throws(AuthError) in throw .missing("configuration")
    }
    package var sessions: @Sendable (@escaping Warn) throws(Failure) -> any SessionStore = {
        _ throws(AuthError) in throw .missing("sessions")
    }
    /// Checks that files can be written, without creating a file.
    package var requireWritable: @Sendable (StoredFiles, @escaping Warn) throws(Failure) -> String = {
        _, _ throws(AuthError) in throw .missing("files to write")
    }
    /// Fails if another process holds the lock of the configuration or of the sessions. The error names the process.
    package var requireUnlocked: @Sendable (@escaping Warn) throws(Failure) -> Void = {
        _ throws(AuthError) in throw .missing("files to lock")
    }
    /// The names and versions of the HTTP library and its TLS library, and where the certificates of authorities are, as
    /// a clause; `nil` if there are none.
    package var networkLibrary: @Sendable () throws(Failure) -> (name: String, authorities: String?) = {
        () throws(AuthError) in throw .missing("network")
    }
    /// The embedded account server. Without Facebook settings, the server rejects Facebook logins.
    package var embedded: @Sendable (EmbeddedFacebook?, @escaping Warn) throws(Failure) -> any HTTPTransport = {
        _, _ throws(AuthError) in throw .missing("embedded server")
    }
    /// A transport for remote hosts, without retries and redirects.
    package var network: @Sendable (NetworkSettings) -> any HTTPTransport = { _ in NoNetwork() }
    /// Runs a server until SIGINT or SIGTERM. `isReady` receives the server's URLs.
    package var serve:
        @Sendable (ServeRequest, _ isReady: (ServerURLs) throws(Failure) -> Void) throws(Failure) -> Void = {
            _, _ throws(AuthError) in throw .missing("server")
        }
    /// Runs a command as soon as a server is ready, and stops the server when the command ends. `isReady` returns the
    /// environment variables to set for the command, or to unset where the value is `nil`.
    package var serveWhile:
        @Sendable (
            ServeRequest, _ isReady: (RunningServer) throws(Failure) -> [String: String?]
        ) throws(Failure) -> CommandEnding = { _, _ throws(AuthError) in throw .missing("server") }
    /// Replaces this process with a command. Returns only if that fails.
    package var execute: @Sendable (_ command: [String], _ environment: [String: String?]) -> Errno = { _, _ in
        .noSuchFile
    }
    /// Reads at most `limit` + 1 bytes of a file named by the user.
    package var readFile: @Sendable (_ path: String, _ limit: Int) throws(FileError) -> UserFile = {
        path, limit throws(FileError) in try Platform.readFile(at: path, limit: limit)
    }
    /// Whether this user may change the permissions of a file. Only its owner and root may.
    package var mayChangeMode: @Sendable (_ path: String) -> Bool = { Platform.mayChangeMode(of: $0) }
    /// Opens a file named by the user, to be read piece by piece.
    package var openFile: @Sendable (_ path: String) throws(FileError) -> ByteSource = { path throws(FileError) in
        try ByteSource.file(at: path)
    }
    /// Creates or replaces a file named by the user, with mode 0600.
    package var writeFile: @Sendable (_ path: String, _ bytes: [UInt8], @escaping Warn) throws(FileError) -> Void = {
        path, bytes, warn throws(FileError) in
        try FileLocation(path: path, FolderRules(trusting: .all, warn: warn)).replace(with: bytes)
    }
    /// Opens a folder named by the user, for files that only they may read. Creates a missing folder with mode 0700.
    package var openFolder: @Sendable (_ path: String, @escaping Warn) throws(FileError) -> PrivateFolder = {
        path, warn throws(FileError) in
        guard !path.isEmpty else { throw FileError(.unreadable, "'' does not name a folder") }
        let rules = FolderRules(trusting: .shared, remedy: { "name another folder" }, warn: warn)
        let folder = try FileLocation(path: "\(path)/*", rules).folder
        try folder.create()
        return folder
    }
    /// Opens a file named by the user, to append lines. Creates a missing file if `creates` is true.
    package var appendFile:
        @Sendable (_ path: String, BulkFile, _ creates: Bool, @escaping Warn) throws(FileError) -> AppendFile = {
            path, kind, creates, warn throws(FileError) in
            try AppendFile(path: path, creates: creates, isUnfinished: kind.isUnfinished, warn: warn)
        }
    /// The absolute path of a file or folder that the user named.
    package var absolutePath: @Sendable (_ path: String) throws(FileError) -> String = { path throws(FileError) in
        path.hasPrefix("/") ? path : try FileLocation(path: path).path
    }
    /// The e-mails in an existing folder named by the user; if `folder` is `nil`, those of the local accounts.
    package var mails: @Sendable (_ folder: Setting<String>?, @escaping Warn) throws(Failure) -> any MailSource = {
        _, _ throws(AuthError) in throw .missing("e-mails")
    }
    /// Whether libcurl trusts the system's CA certificates in addition to a given CA file. Apple's libcurl does.
    package var alwaysTrustsSystem: Bool = {
        #if canImport(Darwin)
            true
        #else
            false
        #endif
    }()

    package init(
        environment: Environment, input: InputStream, output: OutputStream, errorOutput: OutputStream,
        terminal: any Terminal
    ) {
        self.environment = environment
        self.input = input
        self.output = output
        self.errorOutput = errorOutput
        self.terminal = terminal
    }
}

private struct NoNotices: ProgressNotices {
    func begin(_ activity: String) {}
    func update(_ activity: String) {}
    func end() {}
}

private struct NoNetwork: HTTPTransport {
    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        throw TransportError(.unavailable, "this process has no network")
    }
}

extension AuthError {
    fileprivate static func missing(_ what: String) -> AuthError {
        AuthError(.internal, "this process has no \(what)")
    }
}

/// How the embedded account server verifies Facebook identities.
package struct EmbeddedFacebook: Sendable {
    package let appIDs: [String]
    /// If set, Graph API requests carry `appsecret_proof`.
    package let appSecret: Secret?
    /// The base URL of the Graph API, without a trailing slash.
    package let graphURL: String
    package let transport: any HTTPTransport
    package let timeLimit: Duration
}
