/// How help marks what stands out; applied after the lines are laid out, so it may add escape sequences.
package struct HelpStyle: Sendable {
    package let heading: @Sendable (String) -> String
    /// Marks what is typed: commands and options.
    package let strong: @Sendable (String) -> String

    package init(
        heading: @escaping @Sendable (String) -> String, strong: @escaping @Sendable (String) -> String
    ) {
        self.heading = heading
        self.strong = strong
    }

    package static let plain = HelpStyle(heading: { $0 }, strong: { $0 })
}

/// A term and what is said about it: a line of a two-column list.
package struct HelpRow: Sendable, Equatable {
    package let term: String
    package let text: String

    package init(_ term: String, _ text: String) {
        self.term = term
        self.text = text
    }
}
