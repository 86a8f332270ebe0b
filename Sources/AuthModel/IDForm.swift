/// The form of the ids that new accounts can be given.
package struct IDForm: Sendable, Equatable {
    /// What an id must do, for messages: `be a UUID`.
    package let rule: String
    /// In UTF-16 code units.
    private let lengths: ClosedRange<Int>
    /// `nil` for all characters but control characters.
    private let characters: String?
    /// The places, counted from 0, that must have a hyphen.
    private let hyphens: [Int]

    package init(_ rule: String, _ lengths: ClosedRange<Int>, of characters: String? = nil, hyphens: [Int] = []) {
        self.rule = rule
        self.lengths = lengths
        self.characters = characters
        self.hyphens = hyphens
    }

    package func matches(_ id: String) -> Bool {
        lengths.contains(id.utf16.count)
            && id.utf16.enumerated().allSatisfy { place, unit in
                if hyphens.contains(place) { return unit == 0x2D }
                return characters?.utf16.contains(unit) ?? (unit >= 0x20 && unit != 0x7F)
            }
    }
}
