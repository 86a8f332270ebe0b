import LibC
import Platform
import Synchronization

/// Process settings that authctl changes before it opens a file, and restores before it starts another program.
enum ProcessState {
    private static let earlierMask = Atomic<UInt32>(0)
    /// Signals that authctl ignores and its caller did not. Only these get their default action back, so a started
    /// command still ignores the signals that the caller ignored.
    private static let newlyIgnoredSignals = Mutex<[Int32]>([])

    static func prepareAll() {
        reserveStandardStreams()
        stopBacktraces()
        change()
    }

    /// Starts a command with the settings that authctl inherited. Do not call this while other threads are running.
    static func whileRestored<Result, Failure: Error>(_ start: () throws(Failure) -> Result) throws(Failure) -> Result {
        restoreAll()
        defer { change() }
        return try start()
    }

    private static func change() {
        let signals = ignoreWriteSignals()
        newlyIgnoredSignals.withLock { $0 = signals }
        // Make new files accessible to their owner only. An inherited umask could even remove the owner's permissions.
        earlierMask.store(UInt32(umask(0o077)), ordering: .relaxed)
        // A core file would contain passwords and tokens. Linux starts a core collector program even with a limit of 0,
        // but not with a limit of 1. The hard limit is unchanged, so that `restoreAll` can undo the change.
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
    }

    /// Disables Swift's crash backtraces, because they show memory, which may contain passwords and tokens.
    private static func stopBacktraces() {
        for number in [SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGQUIT] { stopHandling(number) }
    }

    /// The environment variable that names the file to which TLS libraries write the keys of every connection.
    private static let keyLog = "SSLKEYLOGFILE"
    /// The address of the variable's previous value, which stays valid after `unsetenv`; 0 if the variable was unset.
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
