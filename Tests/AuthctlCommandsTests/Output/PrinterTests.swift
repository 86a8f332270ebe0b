import CommandTestSupport
import Platform

@testable import AuthctlCommands

@Suite struct PrinterTests {
    struct Sample: CommandOutput {
        var wasPrinted = false
        var error: AuthError?
        func text(_ style: TextStyle) -> String { "text\n" }
        var json: JSONValue { ["v": 1] }
    }

    static let failed = AuthError(.connect, "it failed")

    @Test(arguments: [
        (OutputFormat.text, Sample(), "text\n", ""),
        (.json, Sample(), "{\"v\":1}\n", ""),
        (.text, Sample(wasPrinted: true), "", ""),
        (.json, Sample(wasPrinted: true), "", ""),
        (.text, Sample(error: failed), "text\n", "authctl: error: it failed\n"),
        // The JSON document contains the error, so standard error stays empty.
        (.json, Sample(error: failed), "{\"v\":1}\n", ""),
        (.text, Sample(wasPrinted: true, error: failed), "", "authctl: error: it failed\n"),
    ])
    func `a result is printed when the command ends unless it was already printed`(
        format: OutputFormat, sample: Sample, stdout: String, stderr: String
    ) {
        let (output, errorOutput) = (Journal(), Journal())
        let ending = printer(format, output, errorOutput).finish(sample)
        expect(output.lines.joined(), stdout)
        expect(errorOutput.lines.joined(), stderr)
        expect(ending, .exit(sample.error == nil ? 0 : 8))
    }

    @Test func `a JSON error is written to standard error if the result was printed before the error occurred`() {
        let (output, errorOutput) = (Journal(), Journal())
        _ = printer(.json, output, errorOutput).finish(Sample(wasPrinted: true, error: Self.failed))
        expect(output.lines, [])
        #expect(errorOutput.lines.joined().hasPrefix(#"{"v":1,"kind":"error","error":{"code":"unreachable","exit":8,"#))
    }

    @Test(arguments: [(OutputFormat.text, "text\n"), (.json, "{\"v\":1}\n")])
    func `a result announced while the command continues is printed immediately in the chosen format`(
        format: OutputFormat, stdout: String
    ) throws {
        let output = Journal()
        try printer(format, output, Journal()).announce(Sample())
        expect(output.lines, [stdout])
    }

    @Test func `announcing a result fails with an error if the result cannot be written`() throws {
        let printer = printer(.text, Journal(), Journal(), failure: Errno(28))
        let error = try #require(throws: AuthError.self) { try printer.announce(Sample()) }
        expect(error.reason, .notWritten)
        expect(printer.finish(error), .exit(12))
    }

    @Test func `a broken pipe silently ends a command that announces a result`() throws {
        let errorOutput = Journal()
        let printer = printer(.text, Journal(), errorOutput, failure: .brokenPipe)
        let error = try #require(throws: AuthError.self) { try printer.announce(Sample()) }
        expect(printer.finish(error), .brokenPipe)
        expect(errorOutput.lines, [])
    }

    private func printer(
        _ format: OutputFormat, _ output: Journal, _ errorOutput: Journal, failure: Errno? = nil
    ) -> Printer {
        let errors = OutputStream(isTerminal: false) { bytes throws(Errno) in
            errorOutput.add(String(decoding: bytes, as: UTF8.self))
        }
        return Printer(
            output: OutputStream(isTerminal: false) { bytes throws(Errno) in
                if let failure { throw failure }
                output.add(String(decoding: bytes, as: UTF8.self))
            },
            outputStyle: .plain, isVerbose: false,
            events: TerminalEvents(
                output: errors, style: .plain, format: format, isQuiet: false, moves: false, notice: SilentNotices(),
                hints: HintRenderer(profile: nil)))
    }
}

private struct SilentNotices: ProgressNotices {
    func begin(_ activity: String) {}
    func update(_ activity: String) {}
    func end() {}
}
