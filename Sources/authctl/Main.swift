import AuthctlCommands
import Platform

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@main
enum Main {
    static func main() {
        prepareProcess()
        switch Runner(world: .live).run(Array(CommandLine.arguments.dropFirst())) {
        case .exit(let code): exit(code)
        case .brokenPipe: dieByBrokenPipe()
        }
    }

    /// What must hold before any file is opened or written.
    private static func prepareProcess() {
        reserveStandardStreams()
        ignoreWriteSignals()
        // Whatever is made belongs to its owner alone; and a foreign mask must not take away from that.
        umask(0o077)
        // A core file would hold passwords and tokens.
        var limit = rlimit()
        getrlimit(coreLimit, &limit)
        limit.rlim_cur = 0
        setrlimit(coreLimit, &limit)
    }

    #if canImport(Glibc)
        private static let coreLimit = __rlimit_resource_t(RLIMIT_CORE.rawValue)
    #else
        private static let coreLimit = RLIMIT_CORE
    #endif
}
