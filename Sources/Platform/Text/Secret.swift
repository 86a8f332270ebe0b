/// A string that must not be shown, such as a password, a token or a key.
///
/// Printing, string interpolation and `dump` show `<redacted>`. The type is not `Codable`, and its mirror is empty.
package struct Secret: Sendable, Hashable {
    private let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// Returns the secret string, which must not get into messages or logs.
    package func reveal() -> String { text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
