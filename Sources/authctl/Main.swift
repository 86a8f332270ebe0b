import AuthctlCommands
import CArguments
import LibC
import Platform

@main
enum Main {
    static func main() {
        ProcessState.prepareAll()
        switch Runner(world: .live).run(words) {
        // `_exit`, not `exit`: the exit handlers of loaded libraries take time and do nothing that is needed.
        case .exit(let code): _exit(code)
        case .brokenPipe: dieByBrokenPipe()
        }
    }

    /// The command line without the program's name; invalid UTF-8 is repaired.
    private static var words: [String] {
        (0..<Int(argument_count())).dropFirst().map { String(cString: argument_at(Int32($0))) }
    }
}
