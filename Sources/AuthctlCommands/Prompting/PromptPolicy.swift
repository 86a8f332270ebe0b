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
}

extension String {
    /// Whether this answer to a `[y/N]` question means yes.
    var isYes: Bool { ["y", "yes"].contains(lowercased()) }
}
