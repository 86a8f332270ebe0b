extension JSONValue {
    /// The value as compact JSON text.
    ///
    /// In addition to RFC 8259, it escapes DEL, C1 controls, bidirectional controls and the two Unicode line
    /// separators, so that the text is safe to show on a terminal. Parsing it returns the same string.
    package var text: String {
        var writer = JSONWriter()
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The value as compact JSON text, in UTF-8.
    package var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return writer.bytes
    }
}

private struct JSONWriter {
    var bytes: [UInt8] = []

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: append("null")
        case .bool(let truth): append(truth ? "true" : "false")
        case .integer(let number): append(String(number))
        case .number(let number): append(number.isFinite ? "\(number)" : "null")
        case .string(let text): write(text)
        case .array(let elements): list("[", elements, "]") { $0.write($1) }
        case .object(let object):
            list("{", object.members, "}") { writer, member in
                writer.write(member.name)
                writer.append(":")
                writer.write(member.value)
            }
        }
    }

    private mutating func list<Element>(
        _ open: StaticString, _ elements: [Element], _ close: StaticString, _ each: (inout Self, Element) -> Void
    ) {
        append(open)
        for (index, element) in elements.enumerated() {
            if index > 0 { append(",") }
            each(&self, element)
        }
        append(close)
    }

    private mutating func write(_ text: String) {
        append("\"")
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": append("\\\"")
            case "\\": append("\\\\")
            case "\n": append("\\n")
            case "\r": append("\\r")
            case "\t": append("\\t")
            case let scalar where scalar.mustBeEscaped: escape(scalar.value)
            default: bytes.append(contentsOf: UTF8.encode(scalar)!)
            }
        }
        append("\"")
    }

    /// All escaped scalars are in the basic plane, so one UTF-16 unit is enough.
    private mutating func escape(_ value: UInt32) {
        let digits = Array("0123456789abcdef".utf8)
        append("\\u")
        for shift in stride(from: 12, through: 0, by: -4) {
            bytes.append(digits[Int(value >> UInt32(shift)) & 15])
        }
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }
}

extension Unicode.Scalar {
    /// Whether a terminal might interpret this character: C0, DEL, C1, bidirectional controls, line separators.
    package var mustBeEscaped: Bool {
        switch value {
        case 0..<0x20, 0x7F...0x9F: true
        case 0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
