import AuthctlCommands
import CArguments
import LibC
import Platform

@main
enum Main {
    static func main() {
        ProcessState.prepareAll()
        switch Runner(world: .live).run(words) {
        // `_exit` skips the exit handlers of loaded libraries, which take time and are not needed.
        case .exit(let code): _exit(code)
        case .brokenPipe: dieByBrokenPipe()
        }
    }

    /// The command-line arguments without the program name. Invalid UTF-8 is replaced by U+FFFD.
    private static var words: [String] {
        (0..<Int(argument_count())).dropFirst().map { String(cString: argument_at(Int32($0))) }
    }

    /// The last arguments of the process, byte for byte. The command of `exec` and `serve` is the end of the line.
    static func lastArguments(_ count: Int) -> [UnsafeMutablePointer<CChar>?] {
        (0..<Int(argument_count())).suffix(count).map { UnsafeMutablePointer(mutating: argument_at(Int32($0))) }
    }
}
