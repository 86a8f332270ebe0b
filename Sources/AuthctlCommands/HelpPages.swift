import AuthModel
import CommandLineKit

/// Finds the help page on a subject.
struct HelpPages {
    /// A page that can be rendered with or without styles.
    struct Page: Sendable {
        let text: @Sendable (HelpStyle) -> String
    }

    /// In columns.
    let width: Int

    /// - Parameter subject: a command, a group or a topic; empty for the program.
    func page(on subject: String) -> Page? {
        if subject.isEmpty { return overview }
        if CommandRegistry.isShort(subject) { return group(subject) }
        if let command = CommandRegistry.command(named: subject) { return page(on: command.description) }
        if let topic = HelpTopics.topic(named: subject) {
            let page = TopicPage(topic)
            return Page { [width] in page.text(width: width, style: $0) }
        }
        return group(subject)
    }

    func page(on command: CommandDescription) -> Page {
        let page = HelpPage(command, program: program, specialExitCodes: Self.specialExitCodes)
        return Page { [width] in page.text(width: width, style: $0) }
    }

    private var overview: Page {
        let groups = CommandRegistry.groups.map { OverviewPage.Group($0.title, $0.commands.map(Self.row)) }
        let page = OverviewPage(program, groups: groups, topics: HelpTopics.rows)
        return Page { [width] in page.text(width: width, style: $0) }
    }

    private func group(_ word: String) -> Page? {
        guard let group = CommandRegistry.commandGroups.first(where: { $0.name == word }) else { return nil }
        let page = GroupPage(group, program: program)
        return Page { [width] in page.text(width: width, style: $0) }
    }

    private var program: CommandDescription { GlobalOptions.spec.description }

    private static func row(_ command: any Command.Type) -> HelpRow {
        HelpRow(command.name, command.description.summary)
    }

    /// The codes that not every command has.
    private static let specialExitCodes = Outcome.allCases.compactMap { outcome in
        outcome.specialWords.map { (code: outcome.rawValue, words: $0) }
    }

    static let exitCodes =
        [(code: 0, meaning: "success, or nothing to do")]
        + Outcome.allCases.map { (code: $0.rawValue, meaning: $0.meaning) }
}

extension Context {
    /// The width of the terminal, from 20 to 80 columns: longer lines are hard to read.
    var helpWidth: Int {
        let columns = environment["COLUMNS"].flatMap { Int($0) } ?? world.terminalWidth() ?? 80
        return min(max(columns, 20), 80)
    }
}

extension TextStyle {
    var help: HelpStyle {
        HelpStyle(heading: { strong($0) }, strong: { strong($0) })
    }
}

/// The manual pages, rendered from declarations and help topics; a test compares or writes them.
enum ManualPages {
    static var all: [Manual.Page] {
        Manual(
            program: GlobalOptions.spec.description,
            groups: CommandRegistry.groups.map { ($0.title, $0.commands.map { $0.description }) },
            commandGroups: CommandRegistry.commandGroups,
            exitCodes: HelpPages.exitCodes,
            parts: Manual.Parts(
                exitCodes: HelpTopics.exitCodeRows, environment: HelpTopics.environment, files: HelpTopics.fileRows,
                notes: HelpTopics.security),
            formats: [HelpTopics.json, HelpTopics.files],
            release: Manual.Release(version: programVersion, date: programDate)
        ).pages
    }
}
