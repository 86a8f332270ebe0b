import AuthModel
import JSON
import Platform
import Synchronization

/// Prints the result of a command: its output to standard output, an error to standard error.
struct Printer {
    let output: OutputStream
    let outputStyle: TextStyle
    let isVerbose: Bool
    let events: TerminalEvents
    private let brokenPipe = BrokenPipeFlag()

    var format: OutputFormat { events.format }
    private var errorOutput: OutputStream { events.output }

    /// - Returns: how the process must end.
    func finish(_ result: some CommandOutput) -> Ending {
        do throws(Errno) {
            if !result.wasPrinted { try write(result) }
        } catch {
            return error == .brokenPipe ? .brokenPipe : finish(unwritten(result, error))
        }
        // A JSON document that was just written already contains the error.
        if let error = result.error, format == .text || result.wasPrinted { show(error, exitCode: result.exitCode) }
        showWarnings()
        return .exit(result.exitCode)
    }

    /// Prints an output while the command continues.
    func announce(_ result: some CommandOutput) throws(AuthError) {
        do throws(Errno) {
            try write(result)
        } catch {
            throw unwritten(result, error)
        }
    }

    /// Prints an output on standard error while the command continues.
    func announceAside(_ result: some CommandOutput) {
        switch format {
        case .text: write("authctl: \(result.text(events.style))")
        case .json: write(result.json.text + "\n")
        }
    }

    /// The error for a failed write to standard output. After a broken pipe, `finish` does not print the error.
    func unwritten(_ failure: Errno) -> AuthError {
        if failure == .brokenPipe { brokenPipe.isSet.store(true, ordering: .relaxed) }
        return AuthError(.notWritten, "cannot write to standard output: \(failure.description)")
    }

    private func write(_ result: some CommandOutput) throws(Errno) {
        switch format {
        // `--quiet` suppresses reports of what was done, but not the results of queries.
        case .text where events.isQuiet && result.stateCommand != nil: break
        case .text: try output.write(result.text(outputStyle))
        case .json: try output.write(withWarnings(result.json).text + "\n")
        }
    }

    func finish(_ error: AuthError) -> Ending {
        if brokenPipe.isSet.load(ordering: .relaxed) { return .brokenPipe }
        show(error, exitCode: error.outcome.exitCode)
        return .exit(error.outcome.exitCode)
    }

    /// The error for an output that could not be printed. The message reports the completed operation.
    private func unwritten(_ result: some CommandOutput, _ failure: Errno) -> AuthError {
        let error = unwritten(failure)
        let lines = result.text(.plain).split(separator: "\n" as Character)
        guard let command = result.stateCommand, let done = lines.first else { return error }
        let hint = "the command itself succeeded" + (command.isEmpty ? "" : "; to see the state")
        return error.explaining(String(done)).suggesting(NextStep(hint, run: command))
    }

    private func show(_ error: AuthError, exitCode: Int32) {
        write(text(of: error, exitCode: exitCode, events.takeWarnings()))
    }

    /// Runs `body`. If Ctrl-C ends the process after a request was sent, prints `error` before the process ends.
    func printing<Value>(
        _ error: AuthError, ifInterrupted body: () throws(AuthError) -> Value
    ) throws(AuthError) -> Value {
        try writing((errorOutput.isTerminal ? "\n" : "") + text(of: error, exitCode: 130), ifInterrupted: body)
    }

    /// The text of an error for standard error. JSON includes the warnings.
    private func text(of error: AuthError, exitCode: Int32, _ warnings: [String] = []) -> String {
        let report = ErrorReport(error, events.hints, exitCode: exitCode, showsServerText: isVerbose)
        return switch format {
        case .text: report.text(events.style)
        case .json: report.document(warnings).text + "\n"
        }
    }

    /// Adds the warnings to a document that has a member for them.
    private func withWarnings(_ document: JSONValue) -> JSONValue {
        guard case .object(var members) = document, members["warnings"] != nil else { return document }
        members["warnings"] = JSONValue(events.takeWarnings())
        return .object(members)
    }

    private func showWarnings() {
        for warning in events.takeWarnings() {
            write((["v": 1, "kind": "warning", "message": .string(warning)] as JSONValue).text + "\n")
        }
    }

    /// `try?`: if standard error cannot be written, there is no place to report that.
    private func write(_ text: String) {
        try? errorOutput.write(text)
    }
}

/// Whether a write failed because the reader of standard output has closed the pipe.
private final class BrokenPipeFlag: Sendable {
    let isSet = Atomic(false)
}

/// How the process must end.
package enum Ending: Sendable, Equatable {
    case exit(Int32)
    /// The process must end with SIGPIPE, because the reader has closed the pipe.
    case brokenPipe
}
