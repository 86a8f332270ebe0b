import Platform

/// A URL or relative reference, split at its delimiters. The fragment is dropped.
///
/// Stricter than the standard, because a URL that two parsers read differently can send a request to the wrong host.
/// Only ASCII; no space, no control character (not even percent-encoded), no backslash, and brackets only around an
/// address. Source: RFC 3986, section 3 and appendix B.
struct URLReference {
    /// As written: the text before the first `:`, if no `/` precedes it.
    let scheme: String?
    /// As written; nil without `//`, empty in `file:///x`.
    let authority: String?
    let path: String
    /// Without its `?`.
    let query: String?

    init?(_ text: String) {
        guard text.utf8.allSatisfy(Self.isAllowed),
            Self.percentEncodedBytes(text)?.contains(where: \.isASCIIControl) == false
        else { return nil }
        var rest = text.prefix { $0 != "#" }
        query = rest.firstIndex(of: "?").map { String(rest[rest.index(after: $0)...]) }
        rest = rest.prefix { $0 != "?" }
        if let colon = rest.firstIndex(of: ":"), !rest[..<colon].contains("/") {
            scheme = String(rest[..<colon])
            rest = rest[rest.index(after: colon)...]
        } else {
            scheme = nil
        }
        if rest.hasPrefix("//") {
            authority = rest.dropFirst(2).prefix { $0 != "/" }.description
            rest = rest.dropFirst(2).drop { $0 != "/" }
        } else {
            authority = nil
        }
        path = String(rest)
        guard scheme.map(Self.isScheme) ?? true, !path.contains(where: isBracket),
            query?.contains(where: isBracket) != true
        else { return nil }
    }

    /// Decodes each `%` and its two digits, in order; nil if digits are missing.
    static func percentEncodedBytes(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        for piece in text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).dropFirst() {
            let digits = piece.prefix(2)
            // Digit by digit, because `UInt8(_:radix:)` accepts a sign.
            let values = digits.compactMap { $0.hexDigitValue }
            guard values.count == 2 else { return nil }
            bytes.append(values[0] << 4 | values[1])
        }
        return bytes
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "-._~:/?#[]@!$&'()*+,;=%".utf8.contains(byte)
    }

    private static func isScheme(_ text: String) -> Bool {
        text.utf8.first?.isASCIILetter == true
            && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "+-.".utf8.contains($0) }
    }
}

private func isBracket(_ character: Character) -> Bool {
    character == "[" || character == "]"
}
