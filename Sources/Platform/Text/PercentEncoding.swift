/// Percent-encoding of URLs. Source: RFC 3986, section 2.1; `+` for a space in queries is the form encoding of HTML.
extension StringProtocol {
    /// Encodes everything but unreserved characters, so the result is safe in any part of a URL.
    package var percentEncoded: String {
        let bytes = utf8.flatMap { byte in
            byte.isUnreserved
                ? [byte] : [UInt8(ascii: "%")] + [byte].hexadecimalBytes.map { $0.uppercasedASCII }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes; a `%` without two hexadecimal digits stays as it is. The result need not be UTF-8.
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
    /// Decodes, unless the result would not be UTF-8.
    package var percentDecoded: String { String(validating: percentDecoded(plusIsSpace: false), as: UTF8.self) ?? self }
}

extension UInt8 {
    /// Source: RFC 3986, section 2.3.
    fileprivate var isUnreserved: Bool { isASCIILetterOrDigit || "-._~".utf8.contains(self) }
}
