import JSON

/// Finds secrets in what a server says, in whichever writing it repeats what it was sent.
///
/// As they are, without the white space around them, in either case; as they stand in a URL or a form, in a page, in
/// JSON or the like; in hexadecimal digits and in base 64, there also within something longer.
package struct SecretEchoes {
    /// The longest first: one may be a part of another.
    private let secrets: [[UInt8]]
    /// The same in digits.
    private let encoded: [[UInt8]]
    /// By byte: whether one of them may begin with it.
    private let mayBegin: [Bool]

    /// - Parameter texts: the secrets; those of less than four bytes are left out, since any text holds them.
    package init(_ texts: [String]) {
        secrets = Set(texts + texts.map(\.trimmed)).map { Array($0.utf8) }.filter { $0.count >= 4 }
            .sorted { $0.count > $1.count }
        encoded = secrets.flatMap { [$0.hexadecimal] + $0.base64Parts }
        var mayBegin = [Bool](repeating: false, count: 256)
        for byte in (secrets + encoded).map({ $0[0] }) + Array("%+&\\".utf8) {
            mayBegin[Int(byte)] = true
            mayBegin[Int(byte.smallLetter)] = true
            mayBegin[Int(byte.capital)] = true
        }
        self.mayBegin = mayBegin
    }

    package init(_ secrets: [Secret?]) {
        self.init(secrets.compactMap { $0?.reveal() })
    }

    /// The same text with `<redacted>` in the place of each.
    package func masking(_ text: String) -> String {
        if secrets.isEmpty { return text }
        var search = Search(text)
        var masked: [UInt8] = []
        var place = 0
        while place < search.bytes.count {
            if let end = end(ofAnyAt: place, &search) {
                masked += Array("<redacted>".utf8)
                place = end
            } else {
                masked.append(search.bytes[place])
                place += 1
            }
        }
        return String(decoding: masked, as: UTF8.self)
    }

    func areIn(_ text: String) -> Bool {
        var search = Search(text)
        return search.bytes.indices.contains { end(ofAnyAt: $0, &search) != nil }
    }

    private func end(ofAnyAt place: Int, _ search: inout Search) -> Int? {
        guard mayBegin[Int(search.bytes[place])] else { return nil }
        for secret in secrets {
            for writing in search.writings {
                if let end = search.end(of: secret, writing, at: place) { return end }
            }
        }
        for digits in encoded {
            if let end = search.end(of: digits, .plain, at: place) { return end }
        }
        return nil
    }
}

/// A text that is looked through.
private struct Search {
    let bytes: [UInt8]
    let writings: [Writing]
    /// How many more bytes may be compared after a first one. A hostile text is so much like a secret that it would take
    /// minutes: where none are left, the rest is taken for one.
    private var steps: Int

    init(_ text: String) {
        bytes = Array(text.utf8)
        writings = Writing.all(in: bytes)
        steps = 100_000 + 16 * bytes.count
    }

    /// Where a secret ends that begins at a place.
    mutating func end(of secret: [UInt8], _ writing: Writing, at start: Int) -> Int? {
        var (place, known) = (start, 0)
        while known < secret.count {
            guard place < bytes.count else { return nil }
            if known > 0 { steps -= writing == .plain ? 1 : 4 }
            if steps < 0 { return bytes.count }
            if let (written, end) = writing.unescaped(bytes, at: place) {
                guard secret[known...].starts(with: written) else { return nil }
                (place, known) = (end, known + written.count)
            } else {
                guard bytes[place].smallLetter == secret[known].smallLetter else { return nil }
                (place, known) = (place + 1, known + 1)
            }
        }
        return place
    }
}

/// How characters are written that mean something where they stand; one kind at a time.
private enum Writing {
    case plain, url, page, quoted

    /// Those that a text can be in.
    static func all(in bytes: [UInt8]) -> [Writing] {
        var writings = [Writing.plain]
        if bytes.contains(UInt8(ascii: "%")) || bytes.contains(UInt8(ascii: "+")) { writings.append(.url) }
        if bytes.contains(UInt8(ascii: "&")) { writings.append(.page) }
        if bytes.contains(UInt8(ascii: "\\")) { writings.append(.quoted) }
        return writings
    }

    /// The bytes that an escape stands for, and where it ends.
    func unescaped(_ bytes: [UInt8], at place: Int) -> ([UInt8], Int)? {
        switch (self, bytes[place]) {
        case (.url, UInt8(ascii: "+")): ([UInt8(ascii: " ")], place + 1)
        case (.url, UInt8(ascii: "%")): Self.number(bytes, place + 1, 2).map { ([UInt8($0)], place + 3) }
        case (.page, UInt8(ascii: "&")): Self.entity(bytes, at: place)
        case (.quoted, UInt8(ascii: "\\")): Self.backslash(bytes, at: place)
        default: nil
        }
    }

    private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int, radix: UInt32 = 16) -> UInt32? {
        guard count > 0, start + count <= bytes.count else { return nil }
        var number: UInt32 = 0
        for byte in bytes[start..<start + count] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, digit < radix, number < 0x110000 else {
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

extension UInt8 {
    fileprivate var smallLetter: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
    fileprivate var capital: UInt8 { (0x61...0x7A).contains(self) ? self & 0xDF : self }
}

extension [UInt8] {
    fileprivate var hexadecimal: [UInt8] {
        let digits = [UInt8]("0123456789abcdef".utf8)
        return flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    /// What is the same of them in base 64 and in its alphabet for URLs, after nothing, one byte or two; none where that
    /// is so short that it is found in any text.
    fileprivate var base64Parts: [[UInt8]] {
        ["+/", "-_"].flatMap { last in (0..<3).map { base64Part(after: $0, last) } }.filter { $0.count >= 6 }
    }

    private func base64Part(after offset: Int, _ last: String) -> [UInt8] {
        let alphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\(last)".utf8)
        let bytes = [UInt8](repeating: 0, count: offset) + self
        // Six bits each; those at the ends hold bits of the neighbours.
        return ((8 * offset + 5) / 6..<8 * bytes.count / 6).map { place in
            let (byte, bit) = (6 * place / 8, 6 * place % 8)
            let pair = UInt16(bytes[byte]) << 8 | (byte + 1 < bytes.count ? UInt16(bytes[byte + 1]) : 0)
            return alphabet[Int(pair >> UInt16(10 - bit)) & 63]
        }
    }
}

extension String {
    /// Without white space around it.
    fileprivate var trimmed: String {
        let scalars = unicodeScalars.drop { $0.properties.isWhitespace }
        let end = scalars.lastIndex { !$0.properties.isWhitespace }
        return end.map { String(scalars[...$0]) } ?? ""
    }
}
