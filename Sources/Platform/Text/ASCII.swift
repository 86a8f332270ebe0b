extension UInt8 {
    /// `0` to `9`.
    package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

    /// `A` to `Z` and `a` to `z`.
    package var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }

    package var isASCIILetterOrDigit: Bool { isASCIILetter || isASCIIDigit }

    /// `!` to `~`: no space and no control character.
    package var isVisibleASCII: Bool { (0x21...0x7E).contains(self) }

    /// Control characters: 0x00 to 0x1F, and DEL.
    package var isASCIIControl: Bool { self < 0x20 || self == 0x7F }

    /// `A` to `Z` become `a` to `z`; other bytes are unchanged.
    package var lowercasedASCII: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }

    /// `a` to `z` become `A` to `Z`; other bytes are unchanged.
    package var uppercasedASCII: UInt8 { isASCIILetter ? self & 0xDF : self }

    /// 0 to 15 for `0` to `9`, `A` to `F` and `a` to `f`; `nil` for any other byte.
    package var hexDigitValue: UInt8? {
        if isASCIIDigit { return self - 0x30 }
        let letter = self | 0x20
        return (0x61...0x66).contains(letter) ? letter - 0x61 + 10 : nil
    }
}

extension String {
    /// Whether the text is not empty and contains only ASCII digits: no sign, no space.
    package var isASCIIDigits: Bool { self[...].isASCIIDigits }

    /// Whether the text contains only visible ASCII, as required for a token in a header; true for an empty string.
    package var isVisibleASCII: Bool { self[...].isVisibleASCII }

    /// The maximum length of a token from any source, in bytes. Tokens hold claims and metadata of the user; what a server rejects as too long is its answer.
    package static let longestToken = 64 << 10

    /// Whether the text can be a token: 1 to `longestToken` bytes, and only visible ASCII, because a token is sent in a
    /// header.
    package var isToken: Bool { (1...Self.longestToken).contains(utf8.count) && isVisibleASCII }

    /// Whether the text can be the name of an identity provider: 1 to 64 ASCII letters, digits, `_` and `-`.
    package var isProviderName: Bool {
        (1...64).contains(utf8.count) && utf8.allSatisfy { $0.isASCIILetterOrDigit || "_-".utf8.contains($0) }
    }

    /// Whether the text is a `token` of RFC 9110, section 5.6.2, such as a method or the name of a header field.
    package var isHTTPToken: Bool {
        !isEmpty && utf8.allSatisfy { $0.isASCIILetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    }
}

// Closures, not key paths, because a key path is resolved at run time, which slows startup.
extension Substring {
    /// See `String.isASCIIDigits`.
    package var isASCIIDigits: Bool { !isEmpty && utf8.allSatisfy { $0.isASCIIDigit } }

    /// See `String.isVisibleASCII`.
    package var isVisibleASCII: Bool { utf8.allSatisfy { $0.isVisibleASCII } }
}

extension [UInt8] {
    /// Two lowercase hexadecimal digits for each byte, in ASCII.
    package var hexadecimalBytes: [UInt8] {
        // Use a plain loop, because `flatMap` with a pair of digits per byte is many times slower.
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * count)
        for byte in self {
            digits.append((byte >> 4).hexadecimalDigit)
            digits.append((byte & 15).hexadecimalDigit)
        }
        return digits
    }

    /// Two lowercase hexadecimal digits for each byte, as a string.
    package var hexadecimal: String { String(decoding: hexadecimalBytes, as: UTF8.self) }
}

extension UInt8 {
    /// The hexadecimal digit for a number from 0 to 15, in ASCII.
    fileprivate var hexadecimalDigit: UInt8 { self < 10 ? self + 0x30 : self - 10 + 0x61 }
}
