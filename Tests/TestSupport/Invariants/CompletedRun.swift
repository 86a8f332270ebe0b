import Foundation

/// A run of the program that has ended, held against what holds for every run.
package struct CompletedRun {
    /// Bytes of data that one process may have: the program is started with no more, and dies where it wants more.
    ///
    /// What the system says of the memory of a child that has ended is no measure: it counts that of its parent, too, as
    /// it was when the child began. A server has many threads, each with its stack.
    static func mostMemory(of words: some Sequence<String>) -> Int { (words.contains("serve") ? 150 : 50) << 20 }

    let words: [String]
    let end: Finished
    /// By the test; 0: none.
    let sentSignal: Int32
    let processorTime: Duration
    /// Whether standard output went to a file, so that all of it is known.
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

    /// What does not hold, in words.
    package var broken: [String] {
        [crash, unnamedEnd, processorTime > .seconds(2) ? "took \(processorTime) of processor time" : nil, output]
            .compactMap { $0 }
    }

    /// A death by a fault of its own, or the report of one.
    private var crash: String? {
        let faults = [SIGSEGV, SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGTRAP]
        if let signal = end.signal, faults.contains(signal), signal != sentSignal { return "died of signal \(signal)" }
        let reports = ["Fatal error", "Crash:", "Thread 0", "Current stack trace", "terminate called"]
        return reports.first(where: end.stderr.contains).map { "reports a crash: '\($0)'" }
    }

    /// An exit code that the documents do not name, or that of a fault of its own, which a missing libcurl is. What
    /// `exec` ran has codes of its own.
    private var unnamedEnd: String? {
        guard let code = end.exitCode, !words.contains("exec"), !end.stderr.contains("libcurl") else { return nil }
        return [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12].contains(code) ? nil : "ended with \(code)"
    }

    /// With JSON: one document on standard output, or none there and that of an error on standard error.
    private var output: String? {
        guard writesToFile, wantsJSON, let code = end.exitCode else { return nil }
        guard !end.output.isEmpty else {
            // `try?`: what is no such document is what is told.
            let lastLine = end.errorLines.last.map { Data("\($0)\n".utf8) } ?? Data()
            let error = try? JSONDocument(line: lastLine)
            return error?.string("kind") == "error" || code == 0 ? nil : "no document, and none of an error"
        }
        do {
            guard String(validating: end.output, as: UTF8.self) != nil else { return "the document is not UTF-8" }
            _ = try JSONDocument(line: end.output)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private var wantsJSON: Bool {
        let own = words.prefix { $0 != "--" }
        return own.contains("--json") && !["exec", "help", "completion"].contains(own.first ?? "")
            && !own.contains("--help") && !own.contains("-h")
    }
}
