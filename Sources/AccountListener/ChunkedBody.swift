import Platform

/// Checks a chunked body while its bytes arrive. libevent accepts signs before a size, lines without CR and data without
/// a line end, and adds trailer fields to the headers.
///
/// Chunk extensions and trailer fields are rejected: no client of the API sends them. Source: RFC 9112, section 7.1.
struct ChunkedBody {
    private enum Position {
        case size, sizeEnd, data, dataEnd, dataLineEnd, lastEnd, lastLineEnd, complete
    }

    private var position = Position.size
    /// The number of digits of the size.
    private var digits = 0
    /// The size of the chunk, or the number of its bytes that have not arrived.
    private var rest = 0
    /// The sum of the sizes.
    private var total = 0

    var isComplete: Bool { position == .complete }

    /// Reads the next bytes up to the end of the body, and ignores those of the next request.
    mutating func read(_ bytes: UnsafeRawBufferPointer) -> RequestHead.Fault? {
        var index = 0
        while index < bytes.count, !isComplete {
            if position == .data {
                let count = min(rest, bytes.count - index)
                (index, rest) = (index + count, rest - count)
                if rest == 0 { position = .dataEnd }
            } else {
                if let fault = read(bytes[index]) { return fault }
                index += 1
            }
        }
        return nil
    }

    private mutating func read(_ byte: UInt8) -> RequestHead.Fault? {
        switch (position, byte) {
        case (.size, carriageReturn) where digits > 0:
            total += rest
            position = .sizeEnd
            return total > ListenerSettings.largestBody ? .bodyTooLarge : nil
        case (.size, _): return readDigit(byte)
        case (.sizeEnd, lineFeed): position = rest > 0 ? .data : .lastEnd
        case (.dataEnd, carriageReturn): position = .dataLineEnd
        case (.dataLineEnd, lineFeed): (position, digits) = (.size, 0)
        case (.lastEnd, carriageReturn): position = .lastLineEnd
        case (.lastLineEnd, lineFeed): position = .complete
        default: return .malformed
        }
        return nil
    }

    private mutating func readDigit(_ byte: UInt8) -> RequestHead.Fault? {
        // Leading zeros must end, too.
        guard digits < 16, let digit = byte.hexDigitValue else { return .malformed }
        digits += 1
        rest = rest * 16 + Int(digit)
        return rest > ListenerSettings.largestBody ? .bodyTooLarge : nil
    }
}
