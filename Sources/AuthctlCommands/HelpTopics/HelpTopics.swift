import CommandLineKit

/// The help topics, in the order in which help shows them.
enum HelpTopics {
    static var all: [HelpTopic] { [backends, environment, exitCodes, json, files, security, recipes] }

    static var rows: [HelpRow] { all.map { HelpRow($0.name, $0.summary) } }

    static var names: [String] { all.map(\.name) }

    static func topic(named name: String) -> HelpTopic? { all.first { $0.name == name } }
}
