import CommandLineKit

/// The help topics, in the order in which help shows them.
enum HelpTopics {
    /// The name and summary of each topic, available without building it.
    static let rows = [
        HelpRow("environment", "The variables that are read"),
        HelpRow("exit-codes", "What the exit codes mean, and the reasons behind them"),
        HelpRow("json", "The documents that scripts read"),
        HelpRow("files", "Where things are kept, and how"),
        HelpRow("security", "What becomes of passwords, tokens and keys"),
    ]

    static var names: [String] { rows.map(\.term) }

    static func topic(named name: String) -> HelpTopic? {
        switch name {
        case "environment": environment
        case "exit-codes": exitCodes
        case "json": json
        case "files": files
        case "security": security
        default: nil
        }
    }

    static func summary(of name: String) -> String {
        rows.first { $0.term == name }?.text ?? ""
    }
}
