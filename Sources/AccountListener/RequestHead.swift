/// Checks the request line, the headers and the framing of a body while their bytes arrive. libevent accepts forms that
/// other servers and proxies read differently, which allows request smuggling, and answers errors with HTML.
///
/// Rejected are lines that do not end in CRLF, folded lines, control characters, white space before a colon, and lengths
/// that are ambiguous or not digits only. Source: RFC 9112, sections 2.2, 5 and 6.
struct RequestHead {
    enum Fault: Equatable {
        case malformed
        case unknownMethod
        /// The target is not a path.
        case foreignTarget
        /// The request line alone exceeds `ListenerSettings.largestHeader`.
        case targetTooLong
        /// The request line and headers exceed `ListenerSettings.largestHeader`.
        case headTooLarge
        /// The body exceeds `ListenerSettings.largestBody`.
        case bodyTooLarge
        /// `Expect` has another value than `100-continue`.
        case unknownExpectation
    }

    private enum Position {
        case requestLine
        /// After the CR of the request line or of a field.
        case lineEnd
        case lineStart
        case name
        case value
        /// After the CR of the empty line.
        case headEnd
        case chunkedBody
        case complete
    }

    private enum Field {
        case length, transferEncoding, expect, other
    }

    private static let mostForeign = 1024
    private var position = Position.requestLine
    private var requestLine = RequestLine()
    private var chunks = ChunkedBody()
    /// The field of the value.
    private var field = Field.other
    private var size = 0
    /// The number of bytes that are not ASCII.
    private var foreign = 0
    /// The last eight bytes of the name or value, with lowercase letters.
    private var last: UInt64 = 0
    /// The number of bytes of the name, or of the value without the white space around it.
    private var count = 0
    /// Whether white space follows the value.
    private var isValueOver = false
    /// The value of `Content-Length`.
    private var bodySize: Int?
    private var isChunked = false

    /// Whether the rest of the request needs no check.
    var isComplete: Bool { position == .complete || position == .chunkedBody && chunks.isComplete }

    var isHead: Bool { requestLine.isHead }

    /// Whether the version is HTTP/1.0. Valid from the end of the request line on.
    var isHTTP10: Bool { requestLine.isHTTP10 }

    /// Reads the next bytes up to the end of the head or of a chunked body, and ignores all others.
    mutating func read(_ bytes: UnsafeRawBufferPointer) -> Fault? {
        var index = 0
        while index < bytes.count, !isComplete {
            if position == .chunkedBody { return chunks.read(UnsafeRawBufferPointer(rebasing: bytes[index...])) }
            let start = index
            // These are most of a head.
            switch position {
            case .requestLine: index = requestLine.read(bytes, from: index)
            case .name: index = readName(bytes, from: index)
            case .value where field == .other:
                while index < bytes.count, !bytes[index].isControl { index += 1 }
            default: break
            }
            foreign += bytes[start..<index].count { $0 >= 0x80 }
            // They are compared with other texts, see `hasTooManyMarks`.
            if foreign > Self.mostForeign { return .malformed }
            if index == start {
                if let fault = read(bytes[index]) { return fault }
                index += 1
            }
            size += index - start
            if size > ListenerSettings.largestHeader {
                return position == .requestLine ? .targetTooLong : .headTooLarge
            }
        }
        return nil
    }

    private mutating func read(_ byte: UInt8) -> Fault? {
        switch position {
        case .name: return byte == UInt8(ascii: ":") ? beginValue() : .malformed
        case .value where byte == carriageReturn: return endValue()
        case .value: return readValue(byte)
        case .requestLine where byte == carriageReturn:
            position = .lineEnd
            return requestLine.end()
        case .requestLine: return requestLine.read(byte)
        case .lineEnd where byte == lineFeed: (position, last, count) = (.lineStart, 0, 0)
        case .lineStart where byte == carriageReturn: position = .headEnd
        case .lineStart where byte.isTokenCharacter:
            position = .name
            push(byte)
        case .headEnd where byte == lineFeed:
            position = isChunked ? .chunkedBody : .complete
            if requestLine.isHead, isChunked || (bodySize ?? 0) > 0 { return .malformed }
        case .lineEnd, .lineStart, .headEnd: return .malformed
        case .chunkedBody, .complete: break
        }
        return nil
    }

    /// - Returns: the index of the first byte that is not part of the name.
    private mutating func readName(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var (index, letters) = (start, last)
        while index < bytes.count, bytes[index].isTokenCharacter {
            letters.append(bytes[index])
            index += 1
        }
        (last, count) = (letters, count + index - start)
        return index
    }

    private mutating func push(_ byte: UInt8) {
        last.append(byte)
        count += 1
    }

    private mutating func beginValue() -> Fault? {
        field = .other
        // The end of the name is enough: no other field in use has such a name of that length.
        if count == 14, last == word("t-length") { field = .length }
        if count == 17, last == word("encoding") { field = .transferEncoding }
        if count == 6, last == word("expect") { field = .expect }
        (last, count, isValueOver, position) = (0, 0, false, .value)
        guard field == .length else { return nil }
        defer { bodySize = 0 }
        return bodySize == nil ? nil : .malformed
    }

    private mutating func readValue(_ byte: UInt8) -> Fault? {
        // libevent keeps a tab before a value, and so does not recognize the value.
        if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") && field == .other {
            isValueOver = count > 0
            return nil
        }
        if byte.isControl || field != .other && isValueOver { return .malformed }
        push(byte)
        if field == .expect, count == 4, last != word("100-") { return .unknownExpectation }
        guard field == .length else { return nil }
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return .malformed }
        bodySize = min((bodySize ?? 0) * 10 + Int(byte - UInt8(ascii: "0")), .max / 100)
        return nil
    }

    private mutating func endValue() -> Fault? {
        position = .lineEnd
        switch field {
        case .other: return nil
        case .length where count == 0: return .malformed
        case .length: break
        case .expect: return count == 12 && last == word("continue") ? nil : .unknownExpectation
        case .transferEncoding:
            // libevent reads every other encoding as a request without a body.
            guard !isChunked, !requestLine.isHTTP10, count == 7, last == word("chunked") else { return .malformed }
            isChunked = true
        }
        if isChunked, bodySize != nil { return .malformed }
        return (bodySize ?? 0) > ListenerSettings.largestBody ? .bodyTooLarge : nil
    }
}

let carriageReturn = UInt8(ascii: "\r")
let lineFeed = UInt8(ascii: "\n")

/// Up to eight ASCII characters as one number.
func word(_ text: StaticString) -> UInt64 {
    text.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt64($1) } }
}

extension UInt64 {
    /// Letters become lowercase; other characters stay or become ones that match no word.
    fileprivate mutating func append(_ byte: UInt8) {
        self = self << 8 | UInt64(byte | 0x20)
    }
}

extension UInt8 {
    var isControl: Bool { self < 0x20 || self == 0x7F }

    /// RFC 9110, section 5.6.2.
    fileprivate var isTokenCharacter: Bool {
        switch Unicode.Scalar(self) {
        case "a"..."z", "A"..."Z", "0"..."9", "!", "#"..."'", "*", "+", "-", ".", "^"..."`", "|", "~": true
        default: false
        }
    }
}
