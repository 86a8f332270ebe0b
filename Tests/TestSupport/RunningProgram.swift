import CPseudoTerminal
package import Foundation

#if canImport(Testing)
    import Testing
#endif

/// A program that was started, until it is waited for.
package final class RunningProgram: Sendable {
    package let process: Int32
    private let words: [String]
    private let outputPath: String
    private let errorPath: String

    init(process: Int32, words: [String], outputPath: String, errorPath: String) {
        self.process = process
        self.words = words
        self.outputPath = outputPath
        self.errorPath = errorPath
    }

    /// What it wrote to its standard error so far.
    package var errorSoFar: String { text(errorPath) }

    package func send(_ signal: Int32) {
        kill(process, signal)
    }

    /// Kills it with all the programs that it started.
    package func killGroup() {
        kill(-process, SIGKILL)
    }

    /// Waits for its end. One that does not end in time is killed, and the test fails.
    @discardableResult
    package func wait(atMost limit: Duration = .seconds(30)) -> Finished {
        var status: Int32 = 0
        let milliseconds = Int32(limit.components.seconds * 1000)
        if wait_for_program(process, milliseconds, &status) == 0 {
            complain("'\(words.joined(separator: " "))' did not end within \(limit)")
            kill(process, SIGKILL)
            _ = wait_for_program(process, -1, &status)
        }
        let signal = ending_signal(status)
        return Finished(
            exitCode: signal == 0 ? exit_code(status) : nil, signal: signal == 0 ? nil : signal,
            output: Data(bytes(outputPath)), stderr: text(errorPath))
    }

    private func bytes(_ path: String) -> [UInt8] {
        // `try?`: a stream that went elsewhere left no file.
        (try? Data(contentsOf: URL(fileURLWithPath: path))).map { [UInt8]($0) } ?? []
    }

    private func text(_ path: String) -> String { String(decoding: bytes(path), as: UTF8.self) }

    /// Fails the test that runs now.
    ///
    /// The static standard library comes without Testing, and this target is built with it, too: there is no test to
    /// fail there.
    private func complain(_ text: String) {
        #if canImport(Testing)
            Issue.record("\(text)")
        #else
            fatalError(text)
        #endif
    }
}

/// How a program ended and what it wrote.
package struct Finished: Sendable {
    /// `nil` if a signal ended it.
    package let exitCode: Int32?
    /// `nil` if it exited.
    package let signal: Int32?
    package let output: Data
    package let stderr: String

    package var stdout: String { String(decoding: output, as: UTF8.self) }
    /// Everything that was written, for searching.
    package var everything: String { stdout + stderr }
    package var errorLines: [Substring] { stderr.split(separator: "\n") }

    /// The lines of standard error that are warnings.
    package var warnings: [Substring] { errorLines.filter { $0.hasPrefix("authctl: warning: ") } }

    /// The object on standard output.
    ///
    /// - Throws: if there is anything but exactly one document and a newline.
    package func document() throws -> JSONDocument { try JSONDocument(line: output) }

    /// The `error` of the one object on standard error.
    package func error() throws -> JSONDocument {
        let document = try JSONDocument(line: Data(stderr.utf8))
        guard document.string("kind") == "error" else { throw JSONDocument.Fault("no error document: \(stderr)") }
        return try document.object("error")
    }
}
