extension String {
    /// Whether the text contains another string, compared by bytes.
    package func holds(_ other: String) -> Bool {
        let (text, other) = (Array(utf8), Array(other.utf8))
        guard text.count >= other.count else { return false }
        return (0...(text.count - other.count)).contains { text[$0...].starts(with: other) }
    }

    /// The text before and after the first occurrence of another string; `nil` if there is none.
    package func cut(at part: String) -> (before: String, after: String)? {
        let (text, part) = (Array(utf8), Array(part.utf8))
        guard let start = text.indices.first(where: { text[$0...].starts(with: part) }) else { return nil }
        return (
            String(decoding: text[..<start], as: UTF8.self),
            String(decoding: text[(start + part.count)...], as: UTF8.self)
        )
    }

    /// The text with `other` in place of each occurrence of `part`, which must not be empty.
    package func replacing(_ part: String, with other: String) -> String {
        var (rest, bytes) = (Array(utf8)[...], [UInt8]())
        while let first = rest.first {
            if rest.starts(with: part.utf8) {
                bytes += other.utf8
                rest = rest.dropFirst(part.utf8.count)
            } else {
                bytes.append(first)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The first `count` Unicode scalars, not characters: one character can have any number of combining marks.
    package func start(_ count: Int) -> String { String(unicodeScalars.prefix(count)) }

    /// The text as one word of a shell command, in quotes if necessary.
    package var shellQuoted: String {
        let isPlain = utf8.allSatisfy { $0.isASCIILetterOrDigit || "/._-+:@%".utf8.contains($0) }
        if isPlain, !isEmpty { return self }
        // Escape scalars, not characters, because a quote ends the word even if a combining mark follows the quote.
        let escaped = unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }
        return "'\(escaped.joined())'"
    }
}

extension String {
    /// The text with its HTML character references decoded once, such as `&amp;`, `&#61;` and `&#x2F;`. Unknown references
    /// are kept.
    package var decodingCharacterReferences: String {
        guard utf8.contains(UInt8(ascii: "&")) else { return self }
        var (rest, bytes) = (Array(utf8)[...], [UInt8]())
        while let byte = rest.popFirst() {
            let end = byte == UInt8(ascii: "&") ? rest.prefix(10).firstIndex(of: UInt8(ascii: ";")) : nil
            if let end, let text = Self.character(of: String(decoding: rest[..<end], as: UTF8.self).lowercased()) {
                bytes += text.utf8
                rest = rest[end...].dropFirst()
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let namedCharacters = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}",
    ]

    /// - Parameter reference: a lowercase reference without `&` and `;`.
    private static func character(of reference: String) -> String? {
        guard reference.hasPrefix("#") else { return namedCharacters[reference] }
        let digits = reference.dropFirst()
        let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap { Unicode.Scalar($0) }.map { String($0) }
    }
}

extension [String] {
    /// The first `limit` strings, and the number of further strings: `a, b and 3 more`.
    package func list(atMost limit: Int) -> String {
        let texts = prefix(limit).joined(separator: ", ")
        return count > limit ? "\(texts) and \(count - limit) more" : texts
    }

    /// Like `list`, with each string in quotes: `'a', 'b' and 3 more`.
    package func quotedList(atMost limit: Int) -> String { map { "'\($0)'" }.list(atMost: limit) }
}

/// Percent-encoding (RFC 3986, section 2.1). In queries, `+` may stand for a space, as in HTML form encoding.
extension StringProtocol {
    /// Encodes everything but unreserved characters, so the result is safe in any part of a URL.
    package var percentEncoded: String {
        let bytes = utf8.flatMap { byte in
            byte.isUnreserved
                ? [byte] : [UInt8(ascii: "%")] + [byte].hexadecimalBytes.map { $0.uppercasedASCII }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes percent-encoding. A `%` without two hexadecimal digits is kept. The result may be invalid UTF-8.
    package func percentDecoded(plusIsSpace: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+") where plusIsSpace:
                bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                let digits = rest.prefix(2).compactMap { $0.hexDigitValue }
                if digits.count == 2 { rest = rest.dropFirst(2) }
                bytes.append(digits.count == 2 ? digits[0] << 4 | digits[1] : byte)
            default:
                bytes.append(byte)
            }
        }
        return bytes
    }
}

extension String {
    /// The percent-decoded text; the text itself if the result would be invalid UTF-8.
    package var percentDecoded: String { String(validating: percentDecoded(plusIsSpace: false), as: UTF8.self) ?? self }
}

extension UInt8 {
    /// Whether the byte is an unreserved character of RFC 3986, section 2.3.
    fileprivate var isUnreserved: Bool { isASCIILetterOrDigit || "-._~".utf8.contains(self) }
}
