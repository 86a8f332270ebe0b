import AuthctlCommands
import LibC
import Platform

@main
enum Main {
    static func main() {
        ProcessState.prepareAll()
        switch Runner(world: .live).run(Array(CommandLine.arguments.dropFirst())) {
        // `_exit`, not `exit`: the exit handlers of loaded libraries take half a millisecond and do nothing that is
        // needed.
        case .exit(let code): _exit(code)
        case .brokenPipe: dieByBrokenPipe()
        }
    }
}
