import AuthctlCommands
import CArguments
import LibC
import Platform

@main
enum Main {
    static func main() {
        ProcessState.prepareAll()
        switch Runner(world: .live).run(words) {
        // Not `exit`: nothing here waits for it, and the libraries that were loaded would tidy up for half a millisecond.
        case .exit(let code): _exit(code)
        case .brokenPipe: dieByBrokenPipe()
        }
    }

    /// The command line without the program's name; what is no UTF-8 in it is repaired.
    private static var words: [String] {
        (0..<Int(argument_count())).dropFirst().map { String(cString: argument_at(Int32($0))) }
    }
}
