package import Platform
import Synchronization

/// A terminal with scripted answers. The test fails on an unexpected question, and on unused answers.
package final class StubTerminal: Terminal {
    package enum Answer: Sendable {
        case shown(String)
        case hidden(String)
        case fault(TerminalError)
    }

    private let answers = Mutex<[Answer]>([])
    private let prompts = Mutex<[(question: String, echo: String)]>([])

    package init() {}

    package func answer(_ answers: Answer...) {
        self.answers.withLock { $0 += answers }
    }

    /// The questions so far.
    package var questions: [String] { prompts.withLock { $0.map(\.question) } }

    /// The screen output: each question with its answer; a hidden answer is left out.
    package var transcript: [String] { prompts.withLock { $0.map { $0.question + $0.echo } } }

    package func ask(_ prompt: String) throws(TerminalError) -> String {
        switch next(prompt) {
        case .shown(let text): return text
        case .fault(let error): throw error
        case .hidden, nil:
            complain("unexpected question with echo: '\(prompt)'")
            throw .unavailable
        }
    }

    package func askHidden(_ prompt: String) throws(TerminalError) -> String {
        switch next(prompt) {
        case .hidden(let text): return text
        case .fault(let error): throw error
        case .shown, nil:
            complain("unexpected question without echo: '\(prompt)'")
            throw .unavailable
        }
    }

    package func readHidden(_ prompt: String, _ extent: HiddenExtent) throws(TerminalError) -> String {
        try askHidden(prompt)
    }

    private func next(_ prompt: String) -> Answer? {
        let answer = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        let echo = if case .shown(let text) = answer { text } else { "" }
        prompts.withLock { $0.append((prompt, echo)) }
        return answer
    }

    deinit {
        let unused = answers.withLock(\.count)
        if unused > 0 { complain("\(unused) answers at the terminal were not used") }
    }
}
