package import CommandLineKit

/// The manual pages of a program, with the macros of man(7) and the section order of man-pages(7).
package struct Manual: Sendable {
    /// A manual page; its file is named `name.section`.
    package struct Page: Sendable {
        package let name: String
        package let section: Int
        package let text: String

        package var fileName: String { "\(name).\(section)" }
    }

    package typealias Group = (title: String, commands: [CommandDescription])

    /// The sections of the program's manual page that are not derived from its `CommandDescription`.
    package struct Parts: Sendable {
        let exitCodes: [HelpRow]
        let environment: HelpTopic
        let files: [HelpRow]
        let notes: HelpTopic

        package init(exitCodes: [HelpRow], environment: HelpTopic, files: [HelpRow], notes: HelpTopic) {
            self.exitCodes = exitCodes
            self.environment = environment
            self.files = files
            self.notes = notes
        }
    }

    private let program: CommandDescription
    private let groups: [Group]
    private let commandGroups: [CommandGroup]
    /// The exit codes and their meanings, for the pages of the commands.
    private let exitCodes: [(code: Int, meaning: String)]
    private let parts: Parts
    /// Topics with their own page.
    private let topics: [HelpTopic]
    private let version: String
    /// The date of the release, not of the build: `2026-11-20`.
    private let date: String

    package init(
        program: CommandDescription, groups: [Group], commandGroups: [CommandGroup],
        exitCodes: [(code: Int, meaning: String)], parts: Parts, topics: [HelpTopic], version: String, date: String
    ) {
        self.program = program
        self.groups = groups
        self.commandGroups = commandGroups
        self.exitCodes = exitCodes
        self.parts = parts
        self.topics = topics
        self.version = version
        self.date = date
    }

    package var pages: [Page] {
        [programPage] + groups.flatMap(\.commands).map(page) + commandGroups.map(page) + topics.map(page)
    }

    private var programPage: Page {
        let commands = groups.flatMap { group in
            [".SS \(group.title)"]
                + Roff.terms(
                    group.commands.map { command in
                        (Roff.page(fileName(command), 1), Roff.lines(command.summary + "."))
                    })
        }
        let options = (program.arguments.filter { $0.helpRow != nil } + [.version, .help]).map(term)
        return page(
            program.name, 1,
            [
                ("NAME", name(program.name, program.summary)),
                (
                    "SYNOPSIS",
                    [
                        "\(Roff.bold(program.name)) [\\fIglobal options\\fP] \\fIcommand\\fP [\\fIoptions\\fP] [\\fIarguments\\fP]"
                    ]
                ),
                ("DESCRIPTION", paragraphs(program.discussion) + commands),
                (
                    "OPTIONS",
                    [".PP"]
                        + Roff.lines(
                            """
                            These options are valid before and after the command's name, but not after `--`. \
                            `--version` is valid only without a command.
                            """) + Roff.terms(options)
                ),
                ("EXIT STATUS", Roff.rows(parts.exitCodes)),
                ("ENVIRONMENT", body(parts.environment)),
                ("FILES", Roff.rows(parts.files)),
                ("NOTES", body(parts.notes)),
                ("EXAMPLES", examples(program.examples)),
                ("SEE ALSO", seeAlso(groups.flatMap(\.commands).map { (fileName($0), 1) } + topicNames)),
            ])
    }

    private func page(_ command: CommandDescription) -> Page {
        let operands = command.arguments.filter { !$0.isOption }
        let options = command.arguments.filter { $0.isVisibleOption }
        let codes = exitCodes.filter { command.exitCodes.isEmpty || command.exitCodes.contains($0.code) }
        let global = (program.arguments.filter(\.isVisibleOption) + [.help]).map { "`\($0.spelling)`" }
        let others =
            [".PP"] + Roff.lines("Global options: \(global.joined(separator: ", ")). See")
            + [Roff.page(program.name, 1) + "."]
        return page(
            fileName(command), 1,
            [
                ("NAME", name(fileName(command), command.summary)),
                ("SYNOPSIS", synopsis(command)),
                (
                    "DESCRIPTION",
                    paragraphs(command.summary + ".") + paragraphs(command.discussion) + Roff.terms(operands.map(term))
                        + (command.table.map { [".SS \(Roff.escaped($0.title))"] + Roff.rows($0.rows) } ?? [])
                ),
                ("OPTIONS", Roff.terms(options.map(term)) + command.ruleSentences.flatMap(paragraphs) + others),
                ("EXIT STATUS", Roff.rows(codes.map { HelpRow("\($0.code)", $0.meaning) })),
                ("ENVIRONMENT", Roff.rows(command.environmentRows)),
                ("NOTES", command.notes.flatMap(lines)),
                ("EXAMPLES", examples(command.examples)),
                ("SEE ALSO", seeAlso([(program.name, 1)] + relatives(of: command) + topicNames)),
            ])
    }

    private func page(_ group: CommandGroup) -> Page {
        let title = "\(program.name)-\(group.name)"
        let commands = Roff.terms(group.commands.map { (Roff.page(fileName($0), 1), Roff.lines($0.summary + ".")) })
        return page(
            title, 1,
            [
                ("NAME", name(title, group.summary)),
                (
                    "SYNOPSIS",
                    [
                        "\(Roff.bold("\(program.name) \(group.name)")) \\fIcommand\\fP [\\fIoptions\\fP] [\\fIarguments\\fP]"
                    ]
                ),
                ("DESCRIPTION", paragraphs(group.summary + ".") + commands),
                ("SEE ALSO", seeAlso([(program.name, 1)] + group.commands.map { (fileName($0), 1) })),
            ])
    }

    private func page(_ topic: HelpTopic) -> Page {
        let title = "\(program.name)-\(topic.name)"
        return page(
            title, topic.manualSection,
            [
                ("NAME", name(title, topic.summary)),
                ("DESCRIPTION", body(topic)),
                ("SEE ALSO", seeAlso([(program.name, 1)] + topicNames.filter { $0.name != title })),
            ])
    }

    private func page(_ name: String, _ section: Int, _ sections: [(title: String, lines: [String])]) -> Page {
        let head = [
            ".\\\" Generated from the declarations in the source of \(program.name).",
            ".TH \(name.uppercased()) \(section) \(date) \"\(program.name) \(version)\"",
        ]
        let body = sections.filter { !$0.lines.isEmpty }.flatMap { section in
            // `.PP` must not directly follow a heading.
            [".SH \(section.title)"] + (section.lines.first == ".PP" ? Array(section.lines.dropFirst()) : section.lines)
        }
        return Page(name: name, section: section, text: (head + body).joined(separator: "\n") + "\n")
    }

    /// The page name of a command: "authctl-login".
    private func fileName(_ command: CommandDescription) -> String {
        "\(program.name)-\(command.name.hyphenated)"
    }

    private var topicNames: [(name: String, section: Int)] {
        topics.map { ("\(program.name)-\($0.name)", $0.manualSection) }
    }

    /// The other commands with the same first word.
    private func relatives(of command: CommandDescription) -> [(name: String, section: Int)] {
        let word = command.name.prefix { $0 != " " }
        return groups.flatMap(\.commands)
            .filter { $0.name != command.name && $0.name.prefix { $0 != " " } == word }
            .map { (fileName($0), 1) }
    }

    private func name(_ title: String, _ summary: String) -> [String] {
        ["\(Roff.escaped(title)) \\-"] + Roff.lines(summary.lowercasedFirst)
    }

    private func synopsis(_ command: CommandDescription) -> [String] {
        let operands = command.arguments.compactMap(\.usage).map(Roff.italic)
        let start = "\(Roff.bold("\(program.name) \(command.name)")) [\\fIoptions\\fP]"
        return [([start] + operands).joined(separator: " ")]
    }

    private func term(_ argument: ArgumentDescription) -> (term: String, lines: [String]) {
        guard let row = argument.helpRow else { return (Roff.bold(argument.spelling), []) }
        guard argument.isOption else { return (Roff.italic(row.term), Roff.lines(row.text)) }
        let names = (argument.short.map { [Roff.bold("-\($0)")] } ?? []) + [Roff.bold(argument.spelling)]
        let value = argument.takesValue ? argument.valueName : nil
        let term = names.joined(separator: ", ") + (value.map { " \(Roff.italic($0))" } ?? "")
        return (term, Roff.lines(row.text))
    }

    private func examples(_ examples: [Example]) -> [String] {
        examples.flatMap { example in
            [".PP"] + Roff.lines(example.explanation) + [".PP", ".RS 4"]
                + Roff.code(Roff.folded(example.commandLine).joined(separator: "\n"))
                + [".RE"]
        }
    }

    private func body(_ topic: HelpTopic) -> [String] {
        topic.opening.flatMap(lines)
            + topic.sections.flatMap { section in
                let lines = section.blocks.flatMap(lines)
                return [".SS \(Roff.escaped(section.title))"]
                    + (lines.first == ".PP" ? Array(lines.dropFirst()) : lines)
            }
    }

    private func lines(of block: HelpTopic.Block) -> [String] {
        switch block {
        case .paragraph(let text): [".PP"] + Roff.lines(text)
        case .paragraphs(let text): paragraphs(text)
        case .rows(let rows): Roff.rows(rows)
        case .code(let text): [".PP", ".RS 4"] + Roff.code(text) + [".RE"]
        }
    }

    private func paragraphs(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).split { $0.allSatisfy(\.isWhitespace) }
            .flatMap { [".PP"] + Roff.lines($0.joined(separator: " ")) }
    }

    private func seeAlso(_ pages: [(name: String, section: Int)]) -> [String] {
        pages.enumerated().map { index, page in
            Roff.page(page.name, page.section) + (index == pages.count - 1 ? "" : ",")
        }
    }
}

extension String {
    /// "profile-add" for "profile add".
    fileprivate var hyphenated: String { split(separator: " " as Character).joined(separator: "-") }

    /// The sentence with a lowercase first letter, unless the first word is an acronym such as JSON.
    fileprivate var lowercasedFirst: String {
        dropFirst().first?.isUppercase == true ? self : prefix(1).lowercased() + dropFirst()
    }
}
