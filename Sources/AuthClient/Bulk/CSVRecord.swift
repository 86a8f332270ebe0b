/// The values of one record in a CSV file, parsed line by line. Source: RFC 4180.
struct CSVRecord {
    private enum State {
        case start, plain, quoted
        /// After a quote in a quoted value. The next byte shows whether the quote is doubled or ends the value.
        case quote
    }

    private(set) var cells: [[UInt8]] = []
    /// `false` if an unquoted value contains a quote, or if text follows a closing quote.
    private(set) var isValid = true
    private var state = State.start

    /// Whether the next line continues a quoted value.
    var isOpen: Bool { state == .quoted }

    /// - Parameter line: the next line, without its line ending.
    mutating func add(_ line: [UInt8]) {
        if isOpen { append(UInt8(ascii: "\n")) } else { cells.append([]) }
        for byte in line { add(byte) }
        if state != .quoted { state = .start }
    }

    private mutating func add(_ byte: UInt8) {
        let (comma, quote) = (UInt8(ascii: ","), UInt8(ascii: "\""))
        switch (state, byte) {
        case (.quoted, quote): state = .quote
        case (.quoted, _): append(byte)
        case (.quote, quote):
            append(quote)
            state = .quoted
        case (_, comma):
            cells.append([])
            state = .start
        case (.start, quote): state = .quoted
        case (.quote, _), (_, quote): isValid = false
        default:
            append(byte)
            state = .plain
        }
    }

    private mutating func append(_ byte: UInt8) {
        cells[cells.count - 1].append(byte)
    }
}
