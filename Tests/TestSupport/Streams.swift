import CPseudoTerminal
import Foundation

/// The standard streams of a program that the test starts. `deinit` closes the descriptors that `init` opened.
final class Streams {
    private let input: Int32
    private let output: Int32
    private let error: Int32
    private var own: [Int32] = []

    init(input: Input, outputPath: String, errorPath: String, terminal: PseudoTerminal?, output: Int32?) throws {
        var own: [Int32] = []
        func opened(_ path: String, _ flags: Int32) throws -> Int32 {
            let descriptor = open(path, flags | O_CLOEXEC | O_NOCTTY, 0o600)
            guard descriptor >= 0 else { throw POSIXError(.EIO) }
            own.append(descriptor)
            return descriptor
        }
        switch (input, terminal) {
        case (.bytes(let bytes), _):
            let path = "\(outputPath).in"
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            self.input = try opened(path, O_RDONLY)
            unlink(path)
        case (.nothing, let terminal?): self.input = try opened(terminal.path, O_RDWR)
        case (.nothing, nil): self.input = try opened("/dev/null", O_RDONLY)
        }
        if let output {
            self.output = output
        } else if let terminal {
            self.output = try opened(terminal.path, O_RDWR)
        } else {
            self.output = try opened(outputPath, O_WRONLY | O_CREAT | O_TRUNC)
        }
        error = try terminal.map { try opened($0.path, O_RDWR) } ?? opened(errorPath, O_WRONLY | O_CREAT | O_TRUNC)
        self.own = own
    }

    deinit {
        for descriptor in own { close(descriptor) }
    }

    /// - Returns: the process id; -1 on failure.
    func start(_ commandLine: [String], environment: [String], folder: String, terminal: PseudoTerminal?) -> Int32 {
        withCStrings(commandLine) { arguments in
            withCStrings(environment) { variables in
                start_program(
                    commandLine[0], arguments, variables, folder, [input, output, error], terminal?.path,
                    commandLine[0] == BuiltBinary.path ? CompletedRun.mostMemory(of: commandLine) : 0)
            }
        }
    }
}

private func withCStrings<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var copies: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
    copies.append(nil)
    defer { for copy in copies { free(copy) } }
    return copies.withUnsafeBufferPointer { body($0.baseAddress!) }
}
