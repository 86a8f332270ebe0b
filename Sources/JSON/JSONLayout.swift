/// Changes only the white space of a JSON document that arrives piece by piece.
///
/// The document is not checked: malformed JSON stays malformed.
package struct JSONLayout {
    package enum Style: Sendable {
        /// One line without white space.
        case compact
        /// Two spaces for each level, like the output of `jq`.
        case indented
    }

    private let style: Style
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// Whether the last byte opened an array or object, which may be empty.
    private var hasJustOpened = false

    package init(_ style: Style) {
        self.style = style
    }

    package static func compact(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var layout = JSONLayout(.compact)
        return layout.laidOut(bytes)
    }

    /// Changes the white space of the next piece.
    package mutating func laidOut(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        for byte in bytes { add(byte, to: &output) }
        return output
    }

    private mutating func add(_ byte: UInt8, to output: inout [UInt8]) {
        if isInString {
            output.append(byte)
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
            return
        }
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): return
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth = max(0, depth - 1)
            if !hasJustOpened { breakLine(&output) }
            hasJustOpened = false
            output.append(byte)
            return
        default: break
        }
        if hasJustOpened { breakLine(&output) }
        hasJustOpened = false
        output.append(byte)
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            depth += 1
            hasJustOpened = true
        case UInt8(ascii: ","): breakLine(&output)
        case UInt8(ascii: ":"): if style == .indented { output.append(UInt8(ascii: " ")) }
        default: break
        }
    }

    private func breakLine(_ output: inout [UInt8]) {
        guard style == .indented else { return }
        output.append(UInt8(ascii: "\n"))
        output += repeatElement(UInt8(ascii: " "), count: 2 * min(depth, Self.deepestIndent))
    }

    /// The maximum indentation, in levels. Deeper levels are not indented further.
    private static let deepestIndent = 64
}
