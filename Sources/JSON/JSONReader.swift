extension JSONValue {
    /// Parses a JSON document strictly (RFC 8259) and keeps the order of members. Nesting deeper than 512 levels, a
    /// number beyond the range of `Double`, and a string with too many combining marks are errors. Duplicate names are
    /// errors, because parsers disagree on which one wins. A byte-order mark before the document is skipped.
    ///
    /// Foundation's parser reports no offset, accepts duplicate names and trailing commas, and loses the order of
    /// members. Its first use takes longer than the rest of authctl's startup.
    ///
    /// - Throws: `JSONSyntaxError` with the offset of the first error.
    package init(parsing bytes: some Sequence<UInt8>) throws(JSONSyntaxError) {
        var scanner = JSONSyntax(bytes: Array(bytes))
        self = try scanner.value(depth: 0)
        try scanner.requireEnd()
    }
}

/// The parser and its position in the document.
struct JSONSyntax {
    let bytes: [UInt8]
    var offset: Int

    init(bytes: [UInt8]) {
        self.bytes = bytes
        offset = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    mutating func requireEnd() throws(JSONSyntaxError) {
        skipSpace()
        if offset < bytes.count { throw fault("unexpected text after the document") }
    }

    mutating func value(depth: Int) throws(JSONSyntaxError) -> JSONValue {
        guard depth < 512 else { throw fault("nested too deeply") }
        skipSpace()
        switch current {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["):
            var elements: [JSONValue] = []
            try list(closing: "]") { scanner throws(JSONSyntaxError) in
                elements.append(try scanner.value(depth: depth + 1))
            }
            return .array(elements)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func object(depth: Int) throws(JSONSyntaxError) -> JSONObject {
        // Contains the names with escapes decoded, so that differently escaped duplicates are detected.
        var names: Set<String> = []
        var members: [JSONObject.Member] = []
        try list(closing: "}") { scanner throws(JSONSyntaxError) in
            scanner.skipSpace()
            let start = scanner.offset
            let name = try scanner.string()
            // For few members, a linear search is faster than a set.
            if members.count == 32 { names = Set(members.map(\.name)) }
            let isNew = members.count < 32 ? !members.contains { $0.name == name } : names.insert(name).inserted
            guard isNew else {
                throw JSONSyntaxError(offset: start, description: "duplicate name in an object")
            }
            scanner.skipSpace()
            try scanner.expect(":")
            members.append(JSONObject.Member(name: name, value: try scanner.value(depth: depth + 1)))
        }
        return JSONObject(members)
    }

    /// Parses the elements between brackets or braces. The current byte is the opening bracket or brace.
    mutating func list(
        closing: Unicode.Scalar, _ element: (inout Self) throws(JSONSyntaxError) -> Void
    ) throws(JSONSyntaxError) {
        offset += 1
        skipSpace()
        if current == UInt8(ascii: closing) {
            offset += 1
            return
        }
        while true {
            try element(&self)
            skipSpace()
            if current == UInt8(ascii: closing) {
                offset += 1
                return
            }
            try expect(",")
        }
    }

    mutating func string() throws(JSONSyntaxError) -> String {
        try expect("\"")
        // Most strings are ASCII without escapes: copy them at once.
        let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        let plain = bytes[offset...].prefix { 0x20..<0x80 ~= $0 && $0 != quote && $0 != backslash }
        if plain.endIndex < bytes.count, bytes[plain.endIndex] == quote {
            offset = plain.endIndex + 1
            return String(decoding: plain, as: UTF8.self)
        }
        let start = offset
        var text: [UInt8] = []
        while let byte = current, byte != UInt8(ascii: "\"") {
            if byte < 0x20 { throw fault("unescaped control character in a string") }
            if byte == UInt8(ascii: "\\") {
                offset += 1
                text += try escaped(in: start)
            } else {
                let rest = bytes[offset...]
                offset = rest.firstIndex { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C } ?? bytes.count
                text += rest[..<offset]
            }
        }
        try expect("\"")
        guard let text = String(validating: text, as: UTF8.self) else { throw brokenString(start) }
        if text.hasTooManyMarks {
            throw JSONSyntaxError(offset: start, description: "too many combining marks in a string")
        }
        return text
    }

    /// Parses the rest of an escape sequence, after its backslash.
    private mutating func escaped(in start: Int) throws(JSONSyntaxError) -> [UInt8] {
        guard let byte = current else { throw fault("") }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            guard let scalar = Unicode.Scalar(try codePoint(in: start)) else { throw brokenString(start) }
            return Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        default: throw brokenString(start)
        }
    }

    /// Parses four hexadecimal digits, or a surrogate pair for code points above U+FFFF.
    private mutating func codePoint(in start: Int) throws(JSONSyntaxError) -> UInt32 {
        let unit = try codeUnit(in: start)
        guard (0xD800..<0xDC00).contains(unit) else { return unit }
        guard skip("\\"), skip("u") else { throw brokenString(start) }
        let second = try codeUnit(in: start)
        guard (0xDC00..<0xE000).contains(second) else { throw brokenString(start) }
        return 0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00)
    }

    private mutating func codeUnit(in start: Int) throws(JSONSyntaxError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = current.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
                throw brokenString(start)
            }
            unit = unit << 4 + UInt32(digit)
            offset += 1
        }
        return unit
    }

    private func brokenString(_ start: Int) -> JSONSyntaxError {
        JSONSyntaxError(offset: start, description: "malformed string")
    }

    private mutating func number() throws(JSONSyntaxError) -> JSONValue {
        let start = offset
        let isNumber = skipNumber()
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        if isNumber, let integer = Int64(text) { return .integer(integer) }
        guard isNumber, Double(text)?.isFinite == true else {
            offset = start
            throw fault("expected a value")
        }
        return .number(JSONNumber(text))
    }

    /// Skips a number.
    ///
    /// - Returns: `false` if the number is invalid.
    mutating func skipNumber() -> Bool {
        skip("-")
        let whole = digits()
        var isNumber = whole.count == 1 || whole.count > 1 && whole.first != UInt8(ascii: "0")
        if skip(".") { isNumber = !digits().isEmpty && isNumber }
        if skip("eE") {
            skip("+-")
            isNumber = !digits().isEmpty && isNumber
        }
        return isNumber
    }

    private mutating func digits() -> ArraySlice<UInt8> {
        let digits = bytes[offset...].prefix { (0x30...0x39).contains($0) }
        offset = digits.endIndex
        return digits
    }

    /// Skips the next byte if it is one of `characters`. Returns whether it was skipped.
    @discardableResult
    private mutating func skip(_ characters: String) -> Bool {
        guard let byte = current, characters.utf8.contains(byte) else { return false }
        offset += 1
        return true
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
        let end = offset + word.utf8CodeUnitCount
        let matches = word.withUTF8Buffer { bytes[offset..<min(end, bytes.count)].elementsEqual($0) }
        guard matches else { throw fault("expected a value") }
        offset = end
        return value
    }

    mutating func expect(_ character: Unicode.Scalar) throws(JSONSyntaxError) {
        guard current == UInt8(ascii: character) else { throw fault("expected '\(character)'") }
        offset += 1
    }

    mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    func fault(_ description: String) -> JSONSyntaxError {
        offset < bytes.count
            ? JSONSyntaxError(offset: offset, description: description)
            : JSONSyntaxError(offset: bytes.count, description: "unexpected end of the text")
    }
}

/// The cause and the position of a JSON syntax error.
package struct JSONSyntaxError: Error, Equatable {
    /// The number of bytes before the error.
    package let offset: Int
    /// Lowercase, without a final period.
    package let description: String
}

extension String {
    /// Whether a character has more than 100 combining marks. Swift normalizes strings to compare and hash them, in
    /// time quadratic in the number of marks: seconds for 10,000. Unicode's Stream-Safe Text Format allows 30.
    package var hasTooManyMarks: Bool {
        if utf8.allSatisfy({ $0 < 0x80 }) { return false }
        var count = 0
        for scalar in unicodeScalars {
            count = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : count + 1
            if count > 100 { return true }
        }
        return false
    }
}
