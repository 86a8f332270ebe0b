/// Checks the request line while its bytes arrive: method, target and version with one space between them.
///
/// libevent would answer an invalid line with HTML. Source: RFC 9112, section 3.
struct RequestLine {
    private enum Part {
        case method
        /// The first byte of the target.
        case targetStart
        /// The second byte of the target.
        case targetNext
        case target, version
    }

    private var part = Part.method
    /// The last eight bytes of the method or version.
    private var last: UInt64 = 0
    /// The number of bytes of the method or version.
    private var count = 0
    private var isMethodSupported = false
    private var isTargetPath = false
    /// Whether the method is HEAD. libevent would read the body of such a request as the next request.
    private(set) var isHead = false
    /// Whether the version is HTTP/1.0, which has no chunked bodies.
    var isHTTP10: Bool { last == word("HTTP/1.0") }

    /// Reads the next bytes of a part.
    ///
    /// - Returns: the index of the first byte to pass to `read(_:)`.
    mutating func read(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        if part == .targetStart || part == .targetNext { return start }
        var (index, letters) = (start, last)
        while index < bytes.count, bytes[index] > UInt8(ascii: " "), bytes[index] != 0x7F {
            letters = letters << 8 | UInt64(bytes[index])
            index += 1
        }
        (last, count) = (letters, count + index - start)
        return index
    }

    /// Reads a byte before the CR at the end of the line.
    mutating func read(_ byte: UInt8) -> RequestHead.Fault? {
        if byte == UInt8(ascii: " ") { return endPart() }
        if byte.isControl { return .malformed }
        if part == .targetStart {
            isTargetPath = byte == UInt8(ascii: "/")
            part = .targetNext
        } else {
            if byte == UInt8(ascii: "/") { isTargetPath = false }
            part = .target
        }
        return nil
    }

    private mutating func endPart() -> RequestHead.Fault? {
        switch part {
        case .method where count > 0:
            isHead = last == word("HEAD")
            isMethodSupported =
                isHead || last == word("GET") || last == word("POST") || last == word("PUT") || last == word("DELETE")
                || last == word("OPTIONS")
            part = .targetStart
        case .targetNext, .target: part = .version
        case .method, .targetStart, .version: return .malformed
        }
        (last, count) = (0, 0)
        return nil
    }

    /// The line is complete.
    func end() -> RequestHead.Fault? {
        guard part == .version, count == 8, isHTTP10 || last == word("HTTP/1.1") else { return .malformed }
        guard isMethodSupported else { return .unknownMethod }
        return isTargetPath ? nil : .foreignTarget
    }
}
