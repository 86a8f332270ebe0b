import CArguments
import LibC
import Platform
import Synchronization

/// Process settings that authctl changes before it opens a file, and restores for other commands.
enum ProcessState {
    private static let earlierMask = Atomic<UInt32>(0)
    /// Signals that this process ignores but its caller did not; `nohup` and some services start programs with ignored
    /// signals.
    private static let newlyIgnoredSignals = Mutex<[Int32]>([])

    static func prepareAll() {
        reserveStandardStreams()
        #if os(Linux)
            leaveRelativeLibraryFolders()
        #endif
        stopBacktraces()
        change()
    }

    /// Starts a command, which inherits the settings of the caller. Call it without other work in progress.
    static func whileRestored<Result, Failure: Error>(_ start: () throws(Failure) -> Result) throws(Failure) -> Result {
        restoreAll()
        defer { change() }
        return try start()
    }

    private static func change() {
        let signals = ignoreWriteSignals()
        newlyIgnoredSignals.withLock { $0 = signals }
        // New files belong to their owner only. An inherited umask could also remove bits of the owner.
        earlierMask.store(UInt32(umask(0o077)), ordering: .relaxed)
        // A core file would contain passwords and tokens. With a limit of 1, Linux also skips the core collector
        // program, which it starts with 0. The hard limit stays, so that the change can be undone.
        setCoreLimit { $0.rlim_cur = min(1, $0.rlim_max) }
        if let path = getenv(keyLog) {
            keyLogBefore.store(UInt(bitPattern: path), ordering: .relaxed)
            unsetenv(keyLog)
        }
    }

    static func restoreAll() {
        restoreDefaultActions(of: newlyIgnoredSignals.withLock { $0 })
        umask(mode_t(earlierMask.load(ordering: .relaxed)))
        setCoreLimit { $0.rlim_cur = earlierCoreLimit(upTo: $0.rlim_max) }
        if let path = UnsafePointer<CChar>(bitPattern: keyLogBefore.load(ordering: .relaxed)) {
            setenv(keyLog, path, 1)
        }
        #if os(Linux)
            if let path = UnsafePointer<CChar>(bitPattern: libraryFoldersBefore.load(ordering: .relaxed)) {
                setenv(libraryFolders, path, 1)
            }
        #endif
    }

    #if os(Linux)
        private static let libraryFolders = "LD_LIBRARY_PATH"
        /// Carries the original list to the restarted process.
        private static let originalLibraryFolders = "AUTHCTL_ORIGINAL_LD_LIBRARY_PATH"
        /// The address of the original list, which stays in the initial environment; 0 if it was not changed.
        private static let libraryFoldersBefore = Atomic<UInt>(0)

        /// Restarts authctl if LD_LIBRARY_PATH has an empty or relative element. Such an element names the working folder,
        /// and libcurl and its dependencies must not come from there. The dynamic loader reads the list only once, when a
        /// program starts.
        private static func leaveRelativeLibraryFolders() {
            if let original = getenv(originalLibraryFolders) {
                libraryFoldersBefore.store(UInt(bitPattern: original), ordering: .relaxed)
                unsetenv(originalLibraryFolders)
            }
            // The loader ignores an empty list.
            guard let list = getenv(libraryFolders), list.pointee != 0 else { return }
            let original = String(cString: list)
            let folders = original.utf8.split(omittingEmptySubsequences: false) { ":;".utf8.contains($0) }
            let absolute = folders.filter { folder in
                ["/", "$ORIGIN", "${ORIGIN}"].contains { folder.starts(with: $0.utf8) }
            }
            guard absolute.count < folders.count else { return }
            setenv(originalLibraryFolders, original, 1)
            setenv(libraryFolders, absolute.map { String(Substring($0)) }.joined(separator: ":"), 1)
            if absolute.isEmpty { unsetenv(libraryFolders) }
            var words = (0..<argument_count()).map { UnsafeMutablePointer(mutating: argument_at($0)) }
            words.append(nil)
            // By its path first: otherwise the name of the process, for `ps`, would be `exe`.
            if let path = realpath("/proc/self/exe", nil) { execv(path, words) }
            execv("/proc/self/exe", words)
            let message = """
                authctl: error: cannot restart without the relative folders in LD_LIBRARY_PATH
                authctl: hint: remove empty and relative folders from LD_LIBRARY_PATH

                """
            try? writeAll(Array(message.utf8), to: STDERR_FILENO)
            _exit(1)
        }
    #endif

    /// Where installed and enabled, Swift's backtraces show the memory that registers point to.
    private static func stopBacktraces() {
        for number in [SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGQUIT] { stopHandling(number) }
    }

    /// The file to which TLS libraries write the keys of every connection.
    private static let keyLog = "SSLKEYLOGFILE"
    /// The address of its previous value, which stays in the initial environment; 0 if it was unset.
    private static let keyLogBefore = Atomic<UInt>(0)

    private static let coreLimitBefore = Atomic<UInt64>(0)

    private static func earlierCoreLimit(upTo most: rlim_t) -> rlim_t {
        min(rlim_t(coreLimitBefore.load(ordering: .relaxed)), most)
    }

    private static func setCoreLimit(_ change: (inout rlimit) -> Void) {
        var limit = rlimit()
        guard getrlimit(coreLimit, &limit) == 0 else { return }
        let before = limit.rlim_cur
        change(&limit)
        if setrlimit(coreLimit, &limit) == 0 { coreLimitBefore.store(UInt64(before), ordering: .relaxed) }
    }

    #if canImport(Glibc)
        private static let coreLimit = __rlimit_resource_t(RLIMIT_CORE.rawValue)
    #else
        private static let coreLimit = RLIMIT_CORE
    #endif
}
