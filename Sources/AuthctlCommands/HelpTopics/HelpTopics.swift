import CommandLineKit

/// The help topics, in the order in which help shows them.
enum HelpTopics {
    /// The name and summary of each topic, available without building the topics.
    static let rows = [
        HelpRow("backends", "What each backend can do"),
        HelpRow("environment", "Environment variables"),
        HelpRow("exit-codes", "Exit codes and error reasons"),
        HelpRow("json", "JSON output"),
        HelpRow("files", "Files and folders"),
        HelpRow("security", "How authctl handles passwords, tokens and keys"),
        HelpRow("recipes", "Recipes for scripts, tests and CI"),
    ]

    static var names: [String] { rows.map(\.term) }

    static func topic(named name: String) -> HelpTopic? {
        switch name {
        case "backends": backends
        case "environment": environment
        case "exit-codes": exitCodes
        case "json": json
        case "files": files
        case "security": security
        case "recipes": recipes
        default: nil
        }
    }

    static func summary(of name: String) -> String {
        rows.first { $0.term == name }?.text ?? ""
    }
}
