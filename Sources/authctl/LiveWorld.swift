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
    /// The `World` of the real process.
    static let live = {
        var world = World(
            environment: .process, input: .standard, output: .standardOutput, errorOutput: .standardError,
            terminal: SystemTerminal())
        world.terminalWidth = { Platform.terminalWidth() }
        world.progressNotices = LiveNotices()
        world.configuration = { warn throws(AuthError) in
            ConfigurationFile(folder: try paths(warn).configuration())
        }
        world.sessions = { warn throws(AuthError) in SessionFolder(folder: try sessionFolder(warn)) }
        world.requireWritable = { files, warn throws(AuthError) in
            let folder = files == .sessions ? try sessionFolder(warn) : try paths(warn).data()
            try mappingFileErrors { () throws(FileError) in try folder.requireWritable() }
            return folder.path
        }
        world.requireUnlocked = { warn throws(AuthError) in
            let folders = [try paths(warn).configuration(), try sessionFolder(warn)]
            // A command at work holds a lock for a moment.
            try mappingFileErrors { () throws(FileError) in
                for folder in folders { try folder.requireUnlocked(patience: .seconds(3)) }
            }
        }
        world.networkLibrary = { () throws(AuthError) in
            do throws(TransportError) { return try LibcurlTransport.library() } catch { throw AuthError(error) }
        }
        world.embedded = { facebook, warn throws(AuthError) in
            var settings = ServerSettings(
                database: try localDatabase(warn), baseURL: EmbeddedAccounts.baseURL,
                applicationID: EmbeddedAccounts.appID)
            settings.publicURL = EmbeddedAccounts.publicURL
            settings.mail = MailFolder(try paths(warn).mails())
            settings.facebook = facebook.map(FacebookSettings.init)
            settings.isInProcess = true
            return EmbeddedTransport(settings)
        }
        world.network = { LibcurlTransport($0, userAgent: "authctl/\(programVersion)") }
        world.serve = { request, isReady throws(AuthError) in try LiveServer(request).run(isReady) }
        world.serveWhile = { request, isReady throws(AuthError) in
            // Check TMPDIR before the server writes anything.
            let place = try Paths.folder("TMPDIR", in: .process) ?? "/tmp"
            return try LiveServer(request).runCommand(filesIn: place, isReady)
        }
        world.execute = { command, environment in
            ProcessState.restoreAll()
            changeEnvironment(environment)
            return replaceProcess(Main.lastArguments(command.count))
        }
        world.mails = { path, warn throws(AuthError) in
            guard let path else { return MailFolderReader(try paths(warn).mails(), warn: warn) }
            return try MailFolderReader(
                existing: try mappingFileErrors { () throws(FileError) in try userFolder(path.value, warn) },
                named: path, warn: warn)
        }
        return world
    }()

    static func userFolder(_ path: String, _ warn: @escaping Warn) throws(FileError) -> PrivateFolder {
        // `FileLocation` also makes the path of a folder absolute.
        PrivateFolder(path: try FileLocation(path: path).path, FolderRules(trusting: .all, warn: warn))
    }

    private static func paths(_ warn: @escaping Warn) -> Paths { Paths(environment: .process, warn: warn) }

    private static func sessionFolder(_ warn: @escaping Warn) throws(AuthError) -> PrivateFolder {
        try paths(warn).configuration().subfolder("sessions")
    }

    static func localDatabase(_ warn: @escaping Warn) throws(AuthError) -> FileLocation {
        FileLocation(folder: try paths(warn).data(), name: "local.db")
    }
}

/// Shows the progress notices of the process, at most one at a time.
private final class LiveNotices: ProgressNotices {
    private let current = Mutex<ProgressNotice?>(nil)

    func begin(_ activity: String) {
        current.withLock { $0 = ProgressNotice(activity) }
    }

    func update(_ activity: String) {
        current.withLock { $0?.update(activity) }
    }

    func end() {
        current.withLock { notice in
            notice?.end()
            notice = nil
        }
    }
}
