/// A text that belongs to no command: `authctl help json`, and the manual page of the same subject.
package struct HelpTopic: Sendable {
    package enum Block: Sendable, Equatable {
        /// Text to be wrapped; what stands in backticks is typed as it is.
        case paragraph(String)
        /// Terms and what is said about each.
        case rows([HelpRow])
        /// Lines that stay as they are, at most 74 columns.
        case code(String)
    }

    package struct Section: Sendable, Equatable {
        /// As printed, without a colon.
        package let title: String
        package let blocks: [Block]

        package init(_ title: String, _ blocks: [Block]) {
            self.title = title
            self.blocks = blocks
        }
    }

    /// One word, as it is asked for.
    package let name: String
    /// As a command's: no full stop.
    package let summary: String
    /// What stands before the first section.
    package let opening: [Block]
    package let sections: [Section]

    package init(_ name: String, summary: String, opening: [Block], sections: [Section] = []) {
        self.name = name
        self.summary = summary
        self.opening = opening
        self.sections = sections
    }
}
