import LibC
import Platform
import Synchronization

/// What authctl changes about its process before any file is opened or written, and gives back to a command that takes
/// its place.
enum ProcessState {
    private static let earlierMask = Atomic<UInt32>(0)
    /// Those that this process ignores and its caller did not; `nohup` and some services start programs with ignored ones.
    private static let newlyIgnoredSignals = Mutex<[Int32]>([])

    static func prepareAll() {
        reserveStandardStreams()
        let signals = ignoreWriteSignals()
        newlyIgnoredSignals.withLock { $0 = signals }
        // Whatever is made belongs to its owner alone; and a foreign mask must not take away from that.
        earlierMask.store(UInt32(umask(0o077)), ordering: .relaxed)
        // A core file would hold passwords and tokens. At 1 Linux starts no program that collects cores, either, which it
        // does at 0. The upper limit stays, so that this can be undone.
        setCoreLimit { $0.rlim_cur = min(1, $0.rlim_max) }
        stopBacktraces()
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

    /// Swift's own, where it is installed and wanted, show the memory that registers point to, of a crash.
    private static func stopBacktraces() {
        for number in [SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGQUIT] { stopHandling(number) }
    }

    /// Names the file into which the libraries below libcurl write what every connection is encrypted with.
    private static let keyLog = "SSLKEYLOGFILE"
    /// The address of its earlier value, which stays where the system put it; 0: none.
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
