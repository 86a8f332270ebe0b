import AuthModel
import Platform

/// Decides whether prompts for missing values are allowed.
struct PromptPolicy {
    /// `false` if the option `--no-input` is set.
    let allowsPrompts: Bool
    let environment: Environment
    let isInputTerminal: Bool

    var areAllowed: Bool { refusal == nil }

    /// Why prompts are not possible, for messages; `nil` if prompts are possible.
    var refusal: String? {
        if !allowsPrompts { return "--no-input is set" }
        if let variable = ["AUTHCTL_NO_INPUT", "CI"].first(where: environment.isOn) { return "\(variable) is set" }
        return isInputTerminal ? nil : "standard input is not a terminal"
    }
}

extension Context {
    /// The answer to a question; `nil` if no prompt is possible or the user does not answer.
    func ask(_ question: String) -> String? {
        // `try?`: the caller reports the missing answer.
        prompts.areAllowed ? try? world.terminal.ask(question) : nil
    }

    /// The value or, if it is empty, the answer to a question.
    ///
    /// - Throws: `failure` if there is no answer.
    func required(_ value: String, _ question: String, or failure: AuthError) throws(AuthError) -> String {
        guard value.isEmpty else { return value }
        guard let answer = ask(question), !answer.isEmpty else { throw failure }
        return answer
    }
}

extension String {
    /// Whether this answer to a `[y/N]` question means yes.
    var isYes: Bool { ["y", "yes"].contains(lowercased()) }
}
