import Foundation

/// A finished run of the program. `broken` lists the invariants that it broke.
package struct CompletedRun {
    /// The data size limit (`RLIMIT_DATA`) of one process, in bytes.
    ///
    /// The peak memory that the system reports for a child cannot be checked instead: it includes the memory of the
    /// parent at the time of the fork. The limit of a server is higher, because it has a thread with a stack for each
    /// connection, and stacks are larger in debug builds.
    static func mostMemory(of words: some Sequence<String>) -> Int { (words.contains("serve") ? 600 : 50) << 20 }

    let words: [String]
    let end: Finished
    /// The signal that the test sent; 0 for none.
    let sentSignal: Int32
    let processorTime: Duration
    /// Whether standard output went to a file, so that the test can read all of it.
    let writesToFile: Bool

    package init(
        words: [String], end: Finished, sentSignal: Int32 = 0, processorTime: Duration = .zero,
        writesToFile: Bool = true
    ) {
        self.words = words
        self.end = end
        self.sentSignal = sentSignal
        self.processorTime = processorTime
        self.writesToFile = writesToFile
    }

    /// A description of each broken invariant.
    package var broken: [String] {
        [crash, unnamedEnd, processorTime > .seconds(2) ? "took \(processorTime) of processor time" : nil, output]
            .compactMap { $0 }
    }

    /// The signal of a crash, or the crash message in standard error.
    private var crash: String? {
        let faults = [SIGSEGV, SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGTRAP]
        if let signal = end.signal, faults.contains(signal), signal != sentSignal { return "died of signal \(signal)" }
        let reports = ["Fatal error", "Crash:", "Thread 0", "Current stack trace", "terminate called"]
        return reports.first(where: end.stderr.contains).map { "reports a crash: '\($0)'" }
    }

    /// Whether the exit code and standard output belong to a command that the program runs (`exec`, `serve --`).
    private var runsCommand: Bool { words.contains("exec") || words.contains("serve") && words.contains("--") }

    /// Describes an undocumented exit code. Code 1, an internal error, is accepted only if libcurl is missing. The exit
    /// codes of commands that `exec` or `serve` runs are not checked.
    private var unnamedEnd: String? {
        guard let code = end.exitCode, !runsCommand else { return nil }
        let isSignal = sentSignal != 0 && code == 128 + sentSignal
        let lacksLibcurl = code == 1 && end.stderr.contains("libcurl")
        let isNamed = isSignal || lacksLibcurl || [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].contains(code)
        return isNamed ? nil : "ended with \(code)"
    }

    /// Describes output that violates the rules of `--json`: one document on standard output, or an empty standard
    /// output and, if the command fails, an error document as the last line of standard error.
    private var output: String? {
        guard writesToFile, wantsJSON, let code = end.exitCode else { return nil }
        guard !end.output.isEmpty else {
            let lastLine = end.errorLines.last.map { Data("\($0)\n".utf8) } ?? Data()
            // `try?`: the next line reports an invalid document.
            let error = try? JSONDocument(line: lastLine)
            return error?.string("kind") == "error" || code == 0 ? nil : "no document, and none of an error"
        }
        do {
            guard String(validating: end.output, as: UTF8.self) != nil else { return "the document is not UTF-8" }
            // `users` and `check` print one document per line.
            let lines = end.output.split(separator: UInt8(ascii: "\n")).map { Data($0 + [UInt8(ascii: "\n")]) }
            for line in ["users", "check"].contains(words.first) ? lines : [end.output] {
                _ = try JSONDocument(line: line)
            }
            return nil
        } catch {
            return "\(error)"
        }
    }

    private var wantsJSON: Bool {
        let own = words.prefix { $0 != "--" }
        return own.contains("--json") && !runsCommand && !["help", "completion", "api"].contains(own.first ?? "")
            && !own.contains("--help") && !own.contains("-h")
    }
}
