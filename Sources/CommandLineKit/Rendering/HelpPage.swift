/// A page of help.
package struct HelpPage: Sendable {
    /// The blocks of the page, each as formatted lines. Empty lines separate the blocks.
    let blocks: @Sendable (HelpLayout) -> [[String]]

    /// The page, with a trailing newline.
    ///
    /// - Parameter mark: marks headings, the terms of lists, and example command lines.
    package func text(width: Int = 80, marking mark: @escaping (String) -> String = { $0 }) -> String {
        let blocks = blocks(HelpLayout(wrap: TextWrap(width: width), mark: mark))
        return blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
    }
}

// MARK: - Commands

extension HelpPage {
    /// - Parameter specialExitCodes: the exit codes that only some commands can return, with short descriptions. The
    ///   page shows the codes that the command declares.
    package static func command(
        _ command: CommandDescription, program: CommandDescription,
        specialExitCodes: [(code: Int, words: String)] = []
    ) -> HelpPage {
        let codes = specialExitCodes.filter { command.exitCodes.contains($0.code) }.map { "\($0.code) \($0.words)" }
        let exitCodes = codes.isEmpty ? "" : "Exit codes: \(codes.joined(separator: ", "))."
        let name = program.name
        let references = "See '\(name) help', '\(name) help exit-codes', '\(name) help --full \(command.name)'."
        return HelpPage { layout in
            layout.declaration(command, program) + [
                layout.section("Examples", layout.examples(command.examples)),
                // The help page omits long rules. The full page contains all rules.
                command.ruleSentences.filter { $0.count <= 80 }.flatMap { layout.wrap.lines($0) },
                layout.wrap.lines(exitCodes) + layout.wrap.lines(references),
            ]
        }
    }

    /// The page of a command with everything that its manual page shows.
    ///
    /// - Parameters:
    ///   - exitCodes: all exit codes of the program, with their meanings.
    ///   - globals: the names of the global options that the page explains.
    package static func full(
        _ command: CommandDescription, program: CommandDescription, exitCodes: [(code: Int, meaning: String)],
        globals: [String]
    ) -> HelpPage {
        let exitCodes = exitCodes.filter { command.exitCodes.isEmpty || command.exitCodes.contains($0.code) }
            .map { HelpRow("\($0.code)", $0.meaning) }
        let examples = command.examples.flatMap { [HelpTopic.Block.paragraph($0.explanation), .code($0.commandLine)] }
        let rest = HelpTopic(
            command.name, summary: "", opening: command.ruleSentences.map { .paragraph($0) },
            sections: [
                HelpTopic.Section("Exit codes", [.rows(exitCodes)]),
                HelpTopic.Section("Environment", [.rows(command.environmentRows)]),
                HelpTopic.Section("Notes", command.notes), HelpTopic.Section("Examples", examples),
            ])
        let options = program.arguments.filter { globals.contains($0.name) }.compactMap(\.helpRow)
        return HelpPage { layout in
            layout.declaration(command, program)
                + [layout.section("Global options for the connection", layout.columns(options))]
                + topic(rest).blocks(layout)
        }
    }

    /// The page of a command group, such as `authctl profile --help`.
    package static func group(_ group: CommandGroup, program: CommandDescription) -> HelpPage {
        HelpPage { layout in
            [
                layout.wrap.lines(group.summary),
                layout.usage("\(program.name) \(group.name) COMMAND [OPTIONS] [ARGUMENTS]"),
                layout.section("Commands", layout.columns(group.commands.map { HelpRow($0.name, $0.summary) })),
                layout.wrap.lines("See '\(program.name) help \(group.name) COMMAND' for one command."),
            ]
        }
    }
}

extension HelpLayout {
    /// The blocks of a command's page up to the options.
    fileprivate func declaration(_ command: CommandDescription, _ program: CommandDescription) -> [[String]] {
        let operands = command.arguments.filter { !$0.isOption }
        let options = command.arguments.filter(\.isOption)
        return [
            wrap.lines(command.summary), usage(command.usage(of: program)), wrap.paragraphs(command.discussion),
            section("Arguments", columns(operands.compactMap(\.helpRow))),
            command.table.map { section($0.title, columns($0.rows)) } ?? [],
            section("Options", columns(options.compactMap(\.helpRow))),
        ]
    }
}

extension CommandDescription {
    /// The usage line: "authctl login [OPTIONS] [USERNAME]".
    package func usage(of program: CommandDescription) -> String {
        (["\(program.name) \(name) [OPTIONS]"] + arguments.compactMap(\.usage)).joined(separator: " ")
    }
}

// MARK: - The program and its topics

extension HelpPage {
    /// - Parameter groups: the titled groups of commands, each command with its summary.
    package static func overview(
        _ program: CommandDescription, groups: [(title: String, rows: [HelpRow])], topics: [HelpRow]
    ) -> HelpPage {
        let options = program.arguments + [.version, .help]
        let all = groups.flatMap(\.rows)
        let topic = topics.isEmpty ? "" : " and '\(program.name) help TOPIC'"
        return HelpPage { layout in
            [
                layout.wrap.lines(program.summary),
                layout.usage("\(program.name) [GLOBAL OPTIONS] COMMAND [OPTIONS] [ARGUMENTS]"),
                layout.wrap.paragraphs(program.discussion),
                layout.section("Examples", layout.examples(program.examples)),
            ] + groups.map { layout.section($0.title, layout.columns($0.rows, neighbours: all)) } + [
                layout.section("Global options", layout.columns(options.compactMap(\.helpRow))),
                layout.section("Help topics", layout.columns(topics)),
                layout.wrap.lines("See '\(program.name) help COMMAND'\(topic) for details."),
            ]
        }
    }

    package static func topic(_ topic: HelpTopic) -> HelpPage {
        HelpPage { layout in
            let opening = topic.opening.map { layout.lines(of: $0, indent: 0) }
            let sections = topic.sections.flatMap { section in
                let blocks = section.blocks.map { layout.lines(of: $0, indent: 2) }
                return [layout.section(section.title, blocks.first ?? [])] + blocks.dropFirst()
            }
            return [layout.wrap.lines(topic.summary)] + opening + sections
        }
    }
}

extension HelpLayout {
    fileprivate func lines(of block: HelpTopic.Block, indent: Int) -> [String] {
        switch block {
        case .paragraph(let text): wrap.lines(text, indent: indent)
        case .paragraphs(let text): wrap.paragraphs(text, indent: indent)
        case .rows(let rows): columns(rows)
        case .code(let text):
            text.split(separator: "\n" as Character, omittingEmptySubsequences: false).map {
                $0.isEmpty ? "" : "    \($0)"
            }
        }
    }
}
