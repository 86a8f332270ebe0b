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
        case .exit(let code): exit(code)
        case .brokenPipe: dieByBrokenPipe()
        }
    }
}
