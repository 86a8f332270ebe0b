/// The elements of a list in a JSON document, as ranges of its bytes.
///
/// The elements are not parsed, so that numbers, escape sequences and the order of members stay as the server wrote
/// them, and a long list takes little memory.
package struct JSONList: Equatable {
    package enum Form: Equatable {
        /// `[…]`
        case array
        /// `{"results": […], "next": "https://…"}`
        case results(next: String?)
        /// `{"items": […], "perPage": 30}`
        case items(perPage: Int)
        /// Any other document. The whole document is the only element.
        case single
    }

    /// The ranges of the elements, without the white space around them.
    package let elements: [Range<Int>]
    package let form: Form

    init(elements: [Range<Int>], form: Form) {
        self.elements = elements
        self.form = form
    }

    /// - Throws: `JSONSyntaxError` if the bytes are not a JSON document, or if the member `next` beside `results` is
    ///   neither a string nor null. Duplicate names are accepted.
    package init(parsing bytes: [UInt8]) throws(JSONSyntaxError) {
        var scanner = JSONSyntax(bytes: bytes)
        self = try scanner.list()
        try scanner.requireEnd()
    }
}

extension JSONSyntax {
    /// Parses a document and returns the elements of its list.
    fileprivate mutating func list() throws(JSONSyntaxError) -> JSONList {
        skipSpace()
        if current == UInt8(ascii: "[") { return JSONList(elements: try elements(), form: .array) }
        guard current == UInt8(ascii: "{") else {
            return JSONList(elements: [try skip(depth: 0)], form: .single)
        }
        let start = offset
        var (results, items): ([Range<Int>]?, [Range<Int>]?)
        var (next, perPage): (String?, Int?)
        var invalidNext: Int?
        try list(closing: "}") { scanner throws(JSONSyntaxError) in
            scanner.skipSpace()
            let name = try scanner.string()
            scanner.skipSpace()
            try scanner.expect(":")
            scanner.skipSpace()
            switch (name, scanner.current) {
            case ("results", UInt8(ascii: "[")): results = try scanner.elements()
            case ("items", UInt8(ascii: "[")): items = try scanner.elements()
            case ("perPage", _):
                let number = try scanner.skip(depth: 1)
                perPage = Int(String(decoding: scanner.bytes[number], as: UTF8.self))
            case ("next", UInt8(ascii: "\"")): next = try scanner.string()
            case ("next", let first) where first != UInt8(ascii: "n"):
                invalidNext = scanner.offset
                _ = try scanner.skip(depth: 1)
            default: _ = try scanner.skip(depth: 1)
            }
        }
        if results == nil, let items, let perPage { return JSONList(elements: items, form: .items(perPage: perPage)) }
        guard let results else { return JSONList(elements: [start..<offset], form: .single) }
        if let invalidNext {
            offset = invalidNext
            throw fault("'next' is neither a string nor null")
        }
        return JSONList(elements: results, form: .results(next: next))
    }

    private mutating func elements() throws(JSONSyntaxError) -> [Range<Int>] {
        var elements: [Range<Int>] = []
        try list(closing: "]") { scanner throws(JSONSyntaxError) in elements.append(try scanner.skip(depth: 2)) }
        return elements
    }

    /// Skips a value without building it.
    ///
    /// - Returns: the range of the value, without the white space around it.
    private mutating func skip(depth: Int) throws(JSONSyntaxError) -> Range<Int> {
        guard depth < 512 else { throw fault("nested too deeply") }
        skipSpace()
        let start = offset
        switch current {
        case UInt8(ascii: "{"):
            try list(closing: "}") { scanner throws(JSONSyntaxError) in
                scanner.skipSpace()
                try scanner.skipString()
                scanner.skipSpace()
                try scanner.expect(":")
                _ = try scanner.skip(depth: depth + 1)
            }
        case UInt8(ascii: "["):
            try list(closing: "]") { scanner throws(JSONSyntaxError) in _ = try scanner.skip(depth: depth + 1) }
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): _ = try value(depth: depth)
        // Accept a number of any size, because its value is not needed.
        default:
            guard skipNumber() else {
                offset = start
                throw fault("expected a value")
            }
        }
        return start..<offset
    }

    /// Skips a string. Does not check escape sequences, because some servers store unpaired surrogates.
    private mutating func skipString() throws(JSONSyntaxError) {
        try expect("\"")
        while let byte = current, byte != UInt8(ascii: "\"") {
            if byte < 0x20 { throw fault("unescaped control character in a string") }
            offset += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        try expect("\"")
    }
}
