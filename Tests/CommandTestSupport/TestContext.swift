package import AuthBackends
package import AuthClient
package import AuthModel
package import AuthctlCommands
package import Platform
import Synchronization
package import Transport

/// The stubs that a command uses instead of the system.
///
/// The test fails on each access that it did not script: a request, a prompt, a read of standard input or e-mails, or
/// the start of a server or program. The test also fails if a response or an answer stays unused.
package final class TestContext {
    package let sessions = MemorySessionStore()
    package let configuration = MemoryConfigurationStore()
    package let terminal = StubTerminal()
    /// The embedded account server.
    package let server = ReplayingTransport()
    /// Records the Facebook settings each time the embedded account server starts.
    package let facebook = AskedFacebook()
    /// The remote servers. The expected requests contain their full URLs.
    package let network = ReplayingTransport()
    /// If set, replaces `network`.
    package var hostileNetwork: (any HTTPTransport)?
    /// The network settings of each connection.
    package let networkSettings = Asked()
    package var environment: [String: String] = [:]
    /// The registered kinds of backend.
    package var backends = BackendRegistry.standard
    /// The contents of files, by path.
    package var files: [String: String] = [:]
    /// The folder of the files to which commands append lines. The paths in commands are relative to this folder.
    package var linesFolder: TestFolder?
    package var now = Instant.sampleNow
    /// Whether the system's CA certificates are always trusted, as in Apple's libcurl.
    package var alwaysTrustsSystem = false
    package var isInputTerminal = false
    package var isOutputTerminal = false
    package var isErrorTerminal = false
    package var terminalWidth: Int?
    /// Fails every write to standard output.
    package var outputFailure: Errno?
    /// Fails every write to standard error.
    package var errorOutputFailure: Errno?
    /// The modes of `files`; a file without an entry has 0600.
    package var fileModes: [String: UInt32] = [:]
    /// Whether the user owns all files.
    package var mayChangeMode = true
    /// The files that commands cannot write, each with the error.
    package var unwritable: [World.StoredFiles: AuthError] = [:]
    /// Fails every access to sessions, configuration and local accounts.
    package var storageFailure: AuthError?
    /// A fake server: gets its configuration and passes its URLs to `isReady`.
    package var serve: Serve = { _, _ throws(AuthError) in complain("an unexpected server was started") }
    /// A fake server that runs a command: passes a `RunningServer` to `isReady`, and returns how the command ended.
    package var serveWhile: ServeWhile = { _, _ throws(AuthError) in
        complain("an unexpected server was started for a command")
        return .exited(1)
    }
    /// The e-mails that each read of the mail folder finds; the last entry also applies to all later reads.
    package var mails: [[ReceivedMail]]?
    /// Fails every access to e-mails.
    package var mailFailure: AuthError?
    /// The folders whose e-mails were read, each with its origin; `local` for the folder of local accounts.
    package let mailFolders = Journal()
    /// A fake `exec`: gets the command and its variables, and returns the error.
    package var execute: @Sendable (_ command: [String], _ environment: [String: String?]) -> Errno = { _, _ in
        complain("an unexpected command was run")
        return .noSuchFile
    }

    package typealias Serve =
        @Sendable (ServeRequest, _ isReady: (ServerURLs) throws(AuthError) -> Void) throws(AuthError) -> Void

    package typealias ServeWhile =
        @Sendable (
            ServeRequest, _ isReady: (RunningServer) throws(AuthError) -> [String: String?]
        ) throws(AuthError) -> CommandEnding

    package init() {}

    package struct Result: Equatable {
        package let words: [String]
        /// The prompts on the terminal, each with its answer; a hidden answer is left out.
        package let prompts: [String]
        package let stdout: String
        package let stderr: String
        package let ending: Ending

        package init(
            words: [String] = [], prompts: [String] = [], stdout: String, stderr: String, ending: Ending
        ) {
            self.words = words
            self.prompts = prompts
            self.stdout = stdout
            self.stderr = stderr
            self.ending = ending
        }

        /// Runs are equal if they have the same output and the same ending.
        package static func == (one: Self, other: Self) -> Bool {
            one.stdout == other.stdout && one.stderr == other.stderr && one.ending == other.ending
        }

        /// The exit code; -1 if a broken pipe ended the run, because such a run has no exit code.
        package var exitCode: Int32 { if case .exit(let code) = ending { code } else { -1 } }
    }

    /// - Parameter stdin: the standard input; if it is `nil`, a command that reads standard input fails the test.
    package func run(_ words: String..., stdin: String? = nil) -> Result {
        run(words: words, stdin: stdin)
    }

    package func run(words: [String], stdin: String? = nil) -> Result {
        let (output, errorOutput) = (Capture(failure: outputFailure), Capture(failure: errorOutputFailure))
        let earlierPrompts = terminal.transcript.count
        let uptime = Uptime()
        var world = World(
            environment: .fixed(environment), input: inputStream(stdin),
            output: output.stream(isTerminal: isOutputTerminal),
            errorOutput: errorOutput.stream(isTerminal: isErrorTerminal), terminal: terminal)
        world.terminalWidth = { [terminalWidth] in terminalWidth }
        world.clock = .fixed(now)
        world.randomness = Randomness { Array(repeating: 7, count: $0) }
        world.backends = { [backends] in backends }
        world.pause = { uptime.advance(by: $0) }
        world.uptime = { uptime.now }
        world.configuration = providing(configuration)
        world.sessions = providing(sessions)
        world.requireWritable = { [unwritable] files, _ throws(AuthError) in
            if let error = unwritable[files] { throw error }
            return files == .sessions ? "/home/ada/.config/authctl/sessions" : "/home/ada/.local/share/authctl"
        }
        world.requireUnlocked = { _ in }
        world.networkLibrary = { ("libcurl 8.5.0 with OpenSSL/3.0.13 of the system", "in '/etc/ssl/certs'") }
        world.embedded = { [facebook, embedded = providing(server)] asked, warn throws(AuthError) in
            facebook.add(asked)
            return try embedded(warn)
        }
        world.network = { [network = hostileNetwork ?? network, networkSettings] settings in
            networkSettings.add(settings)
            return network
        }
        world.serve = serve
        world.serveWhile = serveWhile
        world.execute = execute
        world.readFile = { [files, fileModes] path, limit throws(FileError) in
            guard let text = files[path] else { throw FileError(.unreadable, "cannot read '\(path)'") }
            return UserFile(Array(text.utf8.prefix(limit + 1)), modeOfOthers: fileModes[path, default: 0] & 0o077)
        }
        world.mayChangeMode = { [mayChangeMode] _ in mayChangeMode }
        world.openFile = { [files, fileModes] path throws(FileError) in
            guard let text = files[path] else { throw FileError(.unreadable, "cannot read '\(path)'") }
            return ByteSource(bytes: Array(text.utf8), modeOfOthers: fileModes[path, default: 0] & 0o077)
        }
        world.appendFile = { [linesFolder] path, kind, creates, warn throws(FileError) in
            guard let linesFolder else { throw FileError(.unreadable, "cannot read '\(path)'") }
            return try AppendFile(
                path: linesFolder.path(path), creates: creates, isUnfinished: kind.isUnfinished, warn: warn)
        }
        world.mails = { [mails, mailFolders, mailFailure] folder, _ throws(AuthError) in
            if let mailFailure { throw mailFailure }
            if mails == nil { complain("e-mails were read, but not provided") }
            mailFolders.add(folder.map { "\($0.value)\($0.origin.clause)" } ?? "local")
            return StubMails(mails ?? [[]])
        }
        world.alwaysTrustsSystem = alwaysTrustsSystem
        let ending = Runner(world: world).run(words)
        return Result(
            words: words, prompts: Array(terminal.transcript.dropFirst(earlierPrompts)), stdout: output.text,
            stderr: errorOutput.text, ending: ending)
    }

    private func inputStream(_ stdin: String?) -> InputStream {
        let read: @Sendable () -> [UInt8] = {
            if stdin == nil { complain("standard input was read, but not provided") }
            return Array((stdin ?? "").utf8)
        }
        return InputStream(
            isTerminal: isInputTerminal, read: { limit in Array(read().prefix(limit + 1)) },
            source: { ByteSource(bytes: read()) })
    }

    private func providing<Store: Sendable>(_ store: Store) -> @Sendable (World.Warn) throws(AuthError) -> Store {
        { [storageFailure] _ throws(AuthError) in
            if let storageFailure { throw storageFailure }
            return store
        }
    }
}

/// A clock that advances only by pauses.
private final class Uptime: Sendable {
    private let time = Mutex(Duration.zero)

    var now: Duration { time.withLock { $0 } }

    func advance(by pause: Duration) {
        time.withLock { $0 += pause }
    }
}

/// A folder in which e-mails arrive.
private final class StubMails: MailSource {
    private let looks: Mutex<[[ReceivedMail]]>

    init(_ looks: [[ReceivedMail]]) {
        self.looks = Mutex(looks)
    }

    func mails() -> [ReceivedMail] {
        looks.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? [] }
    }
}

/// Records the network settings of all connections.
package final class Asked: Sendable {
    private let content = Mutex<[NetworkSettings]>([])

    package var settings: [NetworkSettings] { content.withLock { $0 } }

    func add(_ settings: NetworkSettings) {
        content.withLock { $0.append(settings) }
    }
}

/// Records the Facebook settings each time the embedded account server starts.
package final class AskedFacebook: Sendable {
    private let content = Mutex<[EmbeddedFacebook?]>([])

    package var settings: [EmbeddedFacebook?] { content.withLock { $0 } }

    func add(_ settings: EmbeddedFacebook?) {
        content.withLock { $0.append(settings) }
    }
}

/// Records an output stream.
private final class Capture: Sendable {
    private let content = Mutex("")
    private let failure: Errno?

    init(failure: Errno?) {
        self.failure = failure
    }

    var text: String { content.withLock { $0 } }

    func stream(isTerminal: Bool) -> OutputStream {
        OutputStream(isTerminal: isTerminal) { [self] bytes throws(Errno) in
            if let failure { throw failure }
            content.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
        }
    }
}
