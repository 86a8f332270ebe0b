/// Help that belongs to no command, such as `authctl help json`, and the manual page about the same topic.
package struct HelpTopic: Sendable {
    package enum Block: Sendable, Equatable {
        /// Text to wrap; literals are in backticks.
        case paragraph(String)
        /// Paragraphs, separated by empty lines.
        case paragraphs(String)
        /// Terms with their descriptions.
        case rows([HelpRow])
        /// Lines that are not wrapped, at most 74 columns.
        case code(String)
    }

    package struct Section: Sendable, Equatable {
        /// The title, without the colon that a help page adds.
        package let title: String
        package let blocks: [Block]

        package init(_ title: String, _ blocks: [Block]) {
            self.title = title
            self.blocks = blocks
        }
    }

    /// The name as typed after `help`: one word.
    package let name: String
    /// The section of the topic's manual page.
    package let manualSection: Int
    /// The summary without a final period, like the summary of a command.
    package let summary: String
    private let makeOpening: @Sendable () -> [Block]
    private let makeSections: @Sendable () -> [Section]

    /// - Parameter opening: the blocks before the first section; made when the topic is shown, like the sections.
    package init(
        _ name: String, section: Int = 5, summary: String, opening: @autoclosure @escaping @Sendable () -> [Block],
        sections: @autoclosure @escaping @Sendable () -> [Section] = []
    ) {
        self.name = name
        manualSection = section
        self.summary = summary
        makeOpening = opening
        makeSections = sections
    }

    package var opening: [Block] { makeOpening() }
    package var sections: [Section] { makeSections() }
}

/// A term and its description: a row of a two-column list.
package struct HelpRow: Sendable, Equatable {
    package let term: String
    package let text: String

    package init(_ term: String, _ text: String) {
        self.term = term
        self.text = text
    }
}

extension [HelpTopic.Block] {
    /// Paragraphs, separated by empty lines.
    package static func paragraphs(_ text: String) -> [HelpTopic.Block] { [.paragraphs(text)] }
}
