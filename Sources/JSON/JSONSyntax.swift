/// Reads one JSON document to the letter, and says where it is not one.
///
/// FoundationEssentials' reader neither tells the place of a fault, nor sees a member that stands twice, nor keeps the
/// order of members. Files that people edit need all three, and it is the first file that every start reads: that
/// reader would cost more than all the rest of the start. Escapes in strings are still left to it.
package struct JSONSyntax {
    private let bytes: [UInt8]
    private var offset = 0

    /// - Throws: `JSONSyntaxError` with the offset of the first fault.
    package static func check(_ bytes: [UInt8]) throws(JSONSyntaxError) {
        _ = try parse(bytes)
    }

    /// The document, its members in their order.
    ///
    /// - Throws: `JSONSyntaxError` with the offset of the first fault.
    package static func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONValue {
        var scanner = JSONSyntax(bytes: bytes)
        let value = try scanner.value(depth: 0)
        scanner.skipSpace()
        if scanner.offset < bytes.count { throw scanner.fault("something stands behind the document") }
        return value
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSONValue {
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
        // As the reader tells names apart: by what they mean, however they are written.
        var names: Set<String> = []
        var members: [JSONObject.Member] = []
        try list(closing: "}") { scanner throws(JSONSyntaxError) in
            scanner.skipSpace()
            let start = scanner.offset
            let name = try scanner.string()
            guard names.insert(name).inserted else {
                throw JSONSyntaxError(offset: start, description: "this name stands twice in one object")
            }
            scanner.skipSpace()
            try scanner.expect(":")
            members.append(JSONObject.Member(name: name, value: try scanner.value(depth: depth + 1)))
        }
        return JSONObject(members)
    }

    /// Elements between brackets; the opening one is the current byte.
    private mutating func list(
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

    private mutating func string() throws(JSONSyntaxError) -> String {
        try expect("\"")
        let start = offset
        var hasEscape = false
        while let byte = current, byte != UInt8(ascii: "\"") {
            if byte < 0x20 { throw fault("a control character in a string") }
            let isEscape = byte == UInt8(ascii: "\\")
            hasEscape = hasEscape || isEscape
            offset += isEscape ? 2 : 1
        }
        let content = bytes[start..<min(offset, bytes.count)]
        try expect("\"")
        let text = hasEscape ? JSONValue.unescaped(Array(content)) : String(validating: content, as: UTF8.self)
        guard let text else { throw JSONSyntaxError(offset: start, description: "a string that cannot be read") }
        return text
    }

    private mutating func number() throws(JSONSyntaxError) -> JSONValue {
        let start = offset
        skip("-")
        let whole = digits()
        var isNumber = whole.count == 1 || whole.count > 1 && whole.first != UInt8(ascii: "0")
        if skip(".") { isNumber = !digits().isEmpty && isNumber }
        if skip("eE") {
            skip("+-")
            isNumber = !digits().isEmpty && isNumber
        }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        guard isNumber, let number = Double(text), number.isFinite else {
            offset = start
            throw fault("a value was expected")
        }
        return Int64(text).map(JSONValue.integer) ?? .number(number)
    }

    private mutating func digits() -> ArraySlice<UInt8> {
        let digits = bytes[offset...].prefix { (0x30...0x39).contains($0) }
        offset = digits.endIndex
        return digits
    }

    /// Passes over one of these characters, if it is there.
    @discardableResult
    private mutating func skip(_ characters: String) -> Bool {
        guard let byte = current, characters.utf8.contains(byte) else { return false }
        offset += 1
        return true
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
        let end = offset + word.utf8CodeUnitCount
        let matches = word.withUTF8Buffer { bytes[offset..<min(end, bytes.count)].elementsEqual($0) }
        guard matches else { throw fault("a value was expected") }
        offset = end
        return value
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(JSONSyntaxError) {
        guard current == UInt8(ascii: character) else { throw fault("'\(character)' was expected") }
        offset += 1
    }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private func fault(_ description: String) -> JSONSyntaxError {
        offset < bytes.count
            ? JSONSyntaxError(offset: offset, description: description)
            : JSONSyntaxError(offset: bytes.count, description: "the text ends too early")
    }
}

/// Why bytes are no JSON document, and where.
package struct JSONSyntaxError: Error, Equatable {
    /// Bytes before the fault.
    package let offset: Int
    /// No capital, no full stop.
    package let description: String
}
