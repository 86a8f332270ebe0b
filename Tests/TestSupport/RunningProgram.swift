import CPseudoTerminal
package import Foundation
import Synchronization

#if canImport(Testing)
    import Testing
#endif

package final class RunningProgram: Sendable {
    package let process: Int32
    private let words: [String]
    private let outputPath: String
    private let errorPath: String
    private let isReaped = Atomic(false)
    /// The last signal that the test sent; 0 for none.
    private let sent = Atomic<Int32>(0)

    init(process: Int32, words: [String], outputPath: String, errorPath: String) {
        self.process = process
        self.words = words
        self.outputPath = outputPath
        self.errorPath = errorPath
    }

    /// Kills and reaps a program that the test did not wait for. An unreaped child blocks all exit tests forever.
    deinit {
        guard !isReaped.load(ordering: .relaxed) else { return }
        killGroup()
        var (status, processorTime): (Int32, Int) = (0, 0)
        _ = wait_for_program(process, -1, &status, &processorTime)
    }

    package var errorSoFar: String { text(errorPath) }

    package func send(_ signal: Int32) {
        sent.store(signal, ordering: .relaxed)
        kill(process, signal)
    }

    /// Kills the program and its process group.
    package func killGroup() {
        kill(-process, SIGKILL)
    }

    /// Waits for the program to end. A program that exceeds the limit is killed, and the test fails. The test also
    /// fails if `authctl`, started without a wrapper command, breaks an invariant of `CompletedRun`.
    @discardableResult
    package func wait(atMost limit: Duration = .seconds(30)) -> Finished {
        var (status, processorTime): (Int32, Int) = (0, 0)
        let milliseconds = Int32(limit.components.seconds * 1000)
        if wait_for_program(process, milliseconds, &status, &processorTime) == 0 {
            complain("'\(words.joined(separator: " "))' did not end within \(limit)")
            kill(process, SIGKILL)
            _ = wait_for_program(process, -1, &status, &processorTime)
        }
        isReaped.store(true, ordering: .relaxed)
        let signal = ending_signal(status)
        let end = Finished(
            exitCode: signal == 0 ? exit_code(status) : nil, signal: signal == 0 ? nil : signal,
            output: Data(bytes(outputPath)), stderr: text(errorPath), words: words)
        if words.first == BuiltBinary.path {
            let run = CompletedRun(
                words: Array(words.dropFirst()), end: end, sentSignal: sent.load(ordering: .relaxed),
                processorTime: .milliseconds(processorTime), writesToFile: isFile(outputPath))
            for fault in run.broken { complain("'\(words.joined(separator: " "))': \(fault)") }
        }
        return end
    }

    private func isFile(_ path: String) -> Bool { access(path, F_OK) == 0 }

    private func bytes(_ path: String) -> [UInt8] {
        // `try?`: a redirected stream has no file.
        (try? Data(contentsOf: URL(fileURLWithPath: path))).map { [UInt8]($0) } ?? []
    }

    private func text(_ path: String) -> String { String(decoding: bytes(path), as: UTF8.self) }

    /// Fails the running test. The build with the static standard library lacks Testing, but runs no tests.
    private func complain(_ text: String) {
        #if canImport(Testing)
            Issue.record("\(text)")
        #else
            fatalError(text)
        #endif
    }
}

/// How a program ended and what it printed.
package struct Finished: Sendable {
    /// `nil` if a signal killed the program.
    package let exitCode: Int32?
    /// `nil` if the program exited.
    package let signal: Int32?
    package let output: Data
    package let stderr: String
    package let words: [String]

    package init(
        exitCode: Int32?, signal: Int32? = nil, output: Data = Data(), stderr: String = "", words: [String] = []
    ) {
        self.exitCode = exitCode
        self.signal = signal
        self.output = output
        self.stderr = stderr
        self.words = words
    }

    package var stdout: String { String(decoding: output, as: UTF8.self) }
    /// Standard output, followed by standard error.
    package var everything: String { stdout + stderr }
    package var errorLines: [Substring] { stderr.split(separator: "\n") }

    /// The lines of standard error that are warnings.
    package var warnings: [Substring] { errorLines.filter { $0.hasPrefix("authctl: warning: ") } }

    /// The JSON object on standard output.
    ///
    /// - Throws: an error unless standard output is exactly one document and a newline.
    package func document() throws -> JSONDocument { try JSONDocument(line: output) }

    /// The member `error` of the JSON object on standard error.
    package func error() throws -> JSONDocument {
        let document = try JSONDocument(line: Data(stderr.utf8))
        guard document.string("kind") == "error" else { throw JSONDocument.Fault("no error document: \(stderr)") }
        return try document.object("error")
    }
}
