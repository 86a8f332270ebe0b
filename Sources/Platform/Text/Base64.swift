extension [UInt8] {
    /// Base64 with padding. Source: RFC 4648, section 4.
    package var base64Encoded: String {
        let alphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: count, by: 3) {
            let group = self[start..<Swift.min(start + 3, count)]
            let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
            for place in 0..<4 {
                let digit = alphabet[Int(bits >> UInt32(18 - 6 * place)) & 63]
                text.append(place <= group.count ? digit : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes Base64 up to the padding; `nil` if a character is not in the Base64 alphabet.
    ///
    /// - Parameter isForURLs: whether the text is base64url without padding (RFC 4648, section 5).
    package init?(base64 text: some StringProtocol, isForURLs: Bool = false) {
        self = []
        var (bits, count): (UInt32, Int) = (0, 0)
        for character in text.utf8 {
            if character == UInt8(ascii: "="), !isForURLs { break }
            guard let value = Self.sextet(character, isForURLs) else { return nil }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
    }

    private static func sextet(_ character: UInt8, _ isForURLs: Bool) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: isForURLs ? "-" : "+"): 62
        case UInt8(ascii: isForURLs ? "_" : "/"): 63
        default: nil
        }
    }
}
