/// The emphasis in help pages. Applied after the layout, so it may add escape sequences.
package struct HelpStyle: Sendable {
    package let heading: @Sendable (String) -> String
    /// Marks literals: commands and options.
    package let strong: @Sendable (String) -> String

    package init(
        heading: @escaping @Sendable (String) -> String, strong: @escaping @Sendable (String) -> String
    ) {
        self.heading = heading
        self.strong = strong
    }

    package static let plain = HelpStyle(heading: { $0 }, strong: { $0 })
}
