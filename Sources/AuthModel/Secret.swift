package import Platform

/// A text that must not be shown: a password, a token, a key.
///
/// It prints, interpolates and dumps as `<redacted>`, and is neither `Codable` nor reflected with its content.
package struct Secret: Sendable, Hashable {
    private let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// Returns the text itself. Only for building a request, hashing, writing the session file, and the command that
    /// prints the token.
    package func reveal() -> String { text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Masker {
    package func register(_ secret: Secret?) {
        if let secret { register(secret.reveal()) }
    }

    /// Registers the tokens of a session.
    package func register(_ session: Session?) {
        register(session?.token)
        register(session?.refreshToken)
    }
}
