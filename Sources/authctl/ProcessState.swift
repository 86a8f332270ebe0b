import Platform
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What authctl changes about its process before any file is opened or written, and gives back to a command that takes
/// its place.
enum ProcessState {
    private static let earlierMask = Atomic<UInt32>(0)
    /// A caller may have had them ignored, as `nohup` and some services do.
    private static let heededSignals = Mutex<[Int32]>([])

    static func prepareAll() {
        reserveStandardStreams()
        let heeded = ignoreWriteSignals()
        heededSignals.withLock { $0 = heeded }
        // Whatever is made belongs to its owner alone; and a foreign mask must not take away from that.
        earlierMask.store(UInt32(umask(0o077)), ordering: .relaxed)
        // A core file would hold passwords and tokens. The upper limit stays, so that this can be undone.
        setCoreLimit { $0.rlim_cur = 0 }
    }

    static func restoreAll() {
        heedSignals(heededSignals.withLock { $0 })
        umask(mode_t(earlierMask.load(ordering: .relaxed)))
        setCoreLimit { $0.rlim_cur = earlierCoreLimit(upTo: $0.rlim_max) }
    }

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
