import Platform

/// Masks secrets in a server's text, in any encoding in which the server may repeat them.
///
/// It finds the secret itself, with and without surrounding white space, in upper and lower case; percent and form
/// encoding; HTML entities, and tags within the secret; the escapes of JSON and similar languages; hexadecimal digits;
/// Base64 and base64url, also within a longer encoded text.
package struct SecretRedactor: Sendable {
    static let mask = "<redacted>"

    /// The longest first, because one may be a part of another.
    private let secrets: [[UInt8]]
    /// The texts to search for, by their first byte in lower case: the secrets, then their digits (see `base64Parts`).
    private let patterns: [UInt8: [Pattern]]
    /// By byte: whether a secret may begin with it.
    private let mayBegin: [Bool]

    private struct Pattern {
        let bytes: [UInt8]
        /// Whether to search for escaped forms, too. Encoded digits are never escaped.
        let isSecret: Bool
    }

    /// Bytes. Shorter secrets are ignored, because they occur in any text.
    static let shortest = 4

    /// - Parameter texts: the secrets.
    package init(_ texts: [String]) {
        secrets = Set(texts + texts.map(\.trimmed)).map { Array($0.utf8) }.filter { $0.count >= Self.shortest }
            .sorted { $0.count > $1.count }
        let digits = secrets.flatMap { [$0.hexadecimalBytes] + $0.base64Parts }
        let all =
            secrets.map { Pattern(bytes: $0, isSecret: true) } + digits.map { Pattern(bytes: $0, isSecret: false) }
        patterns = Dictionary(grouping: all) { $0.bytes[0].lowercasedASCII }
        var mayBegin = [Bool](repeating: false, count: 256)
        if !secrets.isEmpty {
            for byte in patterns.keys + escapes {
                mayBegin[Int(byte)] = true
                mayBegin[Int(byte.uppercasedASCII)] = true
            }
        }
        self.mayBegin = mayBegin
    }

    /// Masks the secrets of a request and the application keys: for texts that are not from a successful response.
    package init(_ request: HTTPRequest) {
        self.init(request.secrets + request.applicationKeys)
    }

    var isEmpty: Bool { secrets.isEmpty }

    /// Returns the text with `<redacted>` in place of each secret.
    package func redact(_ text: String) -> String {
        var steps = Self.stepLimit(ofBytes: text.utf8.count)
        return redacted(text, &steps) ?? text
    }

    /// The limit of byte comparisons after a first match. A hostile text can be so similar to a secret that the search
    /// would take minutes; when the limit is reached, the rest of the text is masked.
    static func stepLimit(ofBytes count: Int) -> Int { 100_000 + 16 * count }

    /// - Returns: `nil` if no secret was found.
    func redacted(_ text: String, _ steps: inout Int) -> String? {
        guard text.utf8.contains(where: { mayBegin[Int($0)] }) else { return nil }
        return redacted(Array(text.utf8), &steps).map { String(decoding: $0, as: UTF8.self) }
    }

    /// - Returns: `nil` if no secret was found.
    func redacted(_ bytes: [UInt8], _ steps: inout Int) -> [UInt8]? {
        if isEmpty { return nil }
        var search = Search(bytes, steps)
        defer { steps = search.steps }
        var masked: [UInt8] = []
        var (place, copied) = (0, 0)
        while place < bytes.count {
            guard mayBegin[Int(bytes[place])], let end = end(ofAnyAt: place, &search) else {
                place += 1
                continue
            }
            masked += bytes[copied..<place] + Self.mask.utf8
            (place, copied) = (end, end)
        }
        return copied == 0 ? nil : masked + bytes[copied...]
    }

    private func end(ofAnyAt place: Int, _ search: inout Search) -> Int? {
        let byte = search.bytes[place]
        if escapes.contains(byte) {
            for secret in secrets {
                for escaping in search.escapings where escaping != .plain {
                    if let end = search.end(of: secret, escaping, at: place) { return end }
                }
            }
        }
        for pattern in patterns[byte.lowercasedASCII] ?? [] {
            for escaping in pattern.isSecret ? search.escapings : [.plain] {
                if let end = search.end(of: pattern.bytes, escaping, at: place) { return end }
            }
        }
        return nil
    }
}

/// The bytes that begin an escape sequence.
private let escapes = Array("%+&\\".utf8)

/// A text and the steps left for searching it.
private struct Search {
    let bytes: [UInt8]
    let escapings: [Escaping]
    var steps: Int

    init(_ bytes: [UInt8], _ steps: Int) {
        self.bytes = bytes
        self.steps = steps
        escapings = Escaping.all(in: bytes)
    }

    /// Returns the end of a secret that begins at `start`; `nil` if none does.
    mutating func end(of secret: [UInt8], _ escaping: Escaping, at start: Int) -> Int? {
        var (place, known) = (start, 0)
        while known < secret.count {
            guard place < bytes.count else { return nil }
            if known > 0 {
                steps -= escaping == .plain ? 1 : 4
                if steps < 0 { return bytes.count }
                if escaping == .html, let end = endOfTag(at: place) {
                    place = end
                    continue
                }
            }
            if let (written, end) = escaping.unescaped(bytes, at: place) {
                guard secret[known...].starts(with: written) else { return nil }
                (place, known) = (end, known + written.count)
            } else {
                guard bytes[place].lowercasedASCII == secret[known].lowercasedASCII else { return nil }
                (place, known) = (place + 1, known + 1)
            }
        }
        return place
    }

    /// Returns the end of an HTML tag that begins at a place: a browser joins the text on both sides of it.
    private func endOfTag(at place: Int) -> Int? {
        guard bytes[place] == UInt8(ascii: "<") else { return nil }
        let content = bytes[(place + 1)...].prefix(100)
        return content.firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 }
    }
}

/// How special characters are escaped. A text is searched for one kind at a time.
private enum Escaping {
    case plain, url, html, quoted

    /// The kinds whose escape characters occur in a text.
    static func all(in bytes: [UInt8]) -> [Escaping] {
        var escapings = [Escaping.plain]
        if bytes.contains(UInt8(ascii: "%")) || bytes.contains(UInt8(ascii: "+")) { escapings.append(.url) }
        if bytes.contains(UInt8(ascii: "&")) || bytes.contains(UInt8(ascii: "<")) { escapings.append(.html) }
        if bytes.contains(UInt8(ascii: "\\")) { escapings.append(.quoted) }
        return escapings
    }

    /// Decodes the escape at a place, and returns its bytes and its end.
    func unescaped(_ bytes: [UInt8], at place: Int) -> ([UInt8], Int)? {
        switch (self, bytes[place]) {
        case (.url, UInt8(ascii: "+")): ([UInt8(ascii: " ")], place + 1)
        case (.url, UInt8(ascii: "%")): Self.number(bytes, place + 1, 2).map { ([UInt8($0)], place + 3) }
        case (.html, UInt8(ascii: "&")): Self.entity(bytes, at: place)
        case (.quoted, UInt8(ascii: "\\")): Self.backslash(bytes, at: place)
        default: nil
        }
    }

    private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int, radix: UInt32 = 16) -> UInt32? {
        guard count > 0, start + count <= bytes.count else { return nil }
        var number: UInt32 = 0
        for byte in bytes[start..<start + count] {
            guard let digit = byte.hexDigitValue, digit < radix, number < 0x110000 else {
                return nil
            }
            number = number * radix + UInt32(digit)
        }
        return number
    }

    /// `&quot;`, `&#39;`, `&#x27;`.
    private static func entity(_ bytes: [UInt8], at place: Int) -> ([UInt8], Int)? {
        let name = bytes[(place + 1)...].prefix(9).prefix { $0 != UInt8(ascii: ";") }
        guard name.endIndex < bytes.count, bytes[name.endIndex] == UInt8(ascii: ";") else { return nil }
        let text = String(decoding: name, as: UTF8.self)
        let scalar: UInt32? =
            switch text {
            case "amp": 0x26
            case "lt": 0x3C
            case "gt": 0x3E
            case "quot": 0x22
            case "apos": 0x27
            case _ where text.hasPrefix("#x") || text.hasPrefix("#X"): number(bytes, place + 3, name.count - 2)
            case _ where text.hasPrefix("#"): number(bytes, place + 2, name.count - 1, radix: 10)
            default: nil
            }
        return scalar.flatMap(Unicode.Scalar.init).map { (Array(String($0).utf8), name.endIndex + 1) }
    }

    /// `\"`, `\n`, `\xe9`, `\u00e9`, `\ud83d\ude00`.
    private static func backslash(_ bytes: [UInt8], at place: Int) -> ([UInt8], Int)? {
        guard place + 1 < bytes.count else { return nil }
        switch bytes[place + 1] {
        case UInt8(ascii: "n"): return ([0x0A], place + 2)
        case UInt8(ascii: "r"): return ([0x0D], place + 2)
        case UInt8(ascii: "t"): return ([0x09], place + 2)
        case UInt8(ascii: "x"): return number(bytes, place + 2, 2).map { ([UInt8($0)], place + 4) }
        case UInt8(ascii: "u"):
            guard let unit = number(bytes, place + 2, 4) else { return nil }
            if let scalar = Unicode.Scalar(unit) { return (Array(String(scalar).utf8), place + 6) }
            guard unit < 0xDC00, let second = number(bytes, place + 8, 4), second >= 0xDC00,
                let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00))
            else { return nil }
            return (Array(String(scalar).utf8), place + 12)
        case let other: return ([other], place + 2)
        }
    }
}

extension [UInt8] {
    /// Their Base64 and base64url digits that do not depend on the neighbours, for each of the three alignments. Digits
    /// too few to be distinctive are omitted.
    fileprivate var base64Parts: [[UInt8]] {
        let parts = (0..<3).map { base64Part(after: $0) }.filter { $0.count >= 6 }
        // The two alphabets differ in two digits.
        let others = parts.filter { $0.contains(UInt8(ascii: "+")) || $0.contains(UInt8(ascii: "/")) }.map { part in
            part.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }
        }
        return parts + others
    }

    private func base64Part(after offset: Int) -> [UInt8] {
        let bytes = [UInt8](repeating: 0, count: offset) + self
        // Six bits per digit. The digits at both ends also contain bits of neighbouring bytes.
        return Array(Array(bytes.base64Encoded.utf8)[(8 * offset + 5) / 6..<8 * bytes.count / 6])
    }
}

extension String {
    /// Without surrounding white space.
    var trimmed: String {
        let scalars = unicodeScalars.drop { $0.properties.isWhitespace }
        let end = scalars.lastIndex { !$0.properties.isWhitespace }
        return end.map { String(scalars[...$0]) } ?? ""
    }
}
