/// Checks the request line while its bytes arrive: method, target and version with one space between them.
///
/// libevent would answer an invalid line with HTML. Source: RFC 9112, section 3.
struct RequestLine {
    private enum Part {
        case method, target, version
    }

    private var part = Part.method
    /// The last eight bytes of the part.
    private var last: UInt64 = 0
    /// The number of bytes of the part.
    private var count = 0
    private var isMethodSupported = false
    private var isTargetPath = true
    /// A response to HEAD has no body. A request with this method must not have one, either: libevent would read it as
    /// the next request.
    private(set) var isHead = false
    /// Of HTTP/1.0, which has no chunked bodies.
    var isOld: Bool { last == word("HTTP/1.0") }

    /// Reads a byte before the CR at the end of the line.
    mutating func read(_ byte: UInt8) -> RequestHead.Fault? {
        if byte == UInt8(ascii: " ") { return endPart() }
        guard !byte.isControl, part != .method || byte.isTokenCharacter else { return .malformed }
        if part == .target, count < 2, (byte == UInt8(ascii: "/")) != (count == 0) { isTargetPath = false }
        last = last << 8 | UInt64(byte)
        count += 1
        return nil
    }

    private mutating func endPart() -> RequestHead.Fault? {
        guard count > 0 else { return .malformed }
        switch part {
        case .method:
            isHead = last == word("HEAD")
            isMethodSupported =
                isHead || last == word("GET") || last == word("POST") || last == word("PUT") || last == word("DELETE")
                || last == word("OPTIONS")
            part = .target
        case .target: part = .version
        case .version: return .malformed
        }
        (last, count) = (0, 0)
        return nil
    }

    /// The line is complete.
    func end() -> RequestHead.Fault? {
        guard part == .version, count == 8, last == word("HTTP/1.1") || isOld else {
            return .malformed
        }
        guard isMethodSupported else { return .unknownMethod }
        return isTargetPath ? nil : .foreignTarget
    }
}
