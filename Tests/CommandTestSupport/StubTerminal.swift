package import Platform
import Synchronization

/// A terminal at which the test has answered beforehand: a question that is not expected fails the test, and so does
/// an answer that nobody asked for.
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

    /// What was asked so far.
    package var questions: [String] { prompts.withLock { $0.map(\.question) } }

    /// What the terminal shows: each question with its answer, unless that is hidden.
    package var transcript: [String] { prompts.withLock { $0.map { $0.question + $0.echo } } }

    package func ask(_ prompt: String) throws(TerminalError) -> String {
        switch next(prompt) {
        case .shown(let text): return text
        case .fault(let error): throw error
        case .hidden, nil:
            complain("the terminal was asked '\(prompt)', to be answered in the open")
            throw .unavailable
        }
    }

    package func askHidden(_ prompt: String) throws(TerminalError) -> String {
        switch next(prompt) {
        case .hidden(let text): return text
        case .fault(let error): throw error
        case .shown, nil:
            complain("the terminal was asked '\(prompt)', to be answered unseen")
            throw .unavailable
        }
    }

    private func next(_ prompt: String) -> Answer? {
        let answer = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        let echo = if case .shown(let text) = answer { text } else { "" }
        prompts.withLock { $0.append((prompt, echo)) }
        return answer
    }

    deinit {
        let unused = answers.withLock(\.count)
        if unused > 0 { complain("\(unused) answers at the terminal were not asked for") }
    }
}
