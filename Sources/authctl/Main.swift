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
        ProcessState.prepareAll()
        switch Runner(world: .live).run(Array(CommandLine.arguments.dropFirst())) {
        // Not `exit`: nothing here waits for it, and the libraries that were loaded would tidy up for half a millisecond.
        case .exit(let code): _exit(code)
        case .brokenPipe: dieByBrokenPipe()
        }
    }
}
