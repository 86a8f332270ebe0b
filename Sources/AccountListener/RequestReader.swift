/// Reads requests from the bytes that a client sends.
///
/// Chunk extensions and trailer fields are rejected: no client of the API sends them. Source: RFC 9112, section 7.1.
struct RequestReader {
    enum Failure: Error, Equatable {
        case fault(RequestHead.Fault)
        /// The client closed the connection, or was too slow.
        case ended
    }

    /// Appends the bytes that arrive next, at least one.
    typealias More = (inout [UInt8]) throws(Failure) -> Void

    /// The bytes that have arrived. The bytes before `start` belong to earlier parts.
    private var bytes: [UInt8] = []
    private var start = 0

    /// The number of bytes that have arrived and were not read yet.
    var count: Int { bytes.count - start }

    /// Waits for further bytes.
    mutating func receive(_ more: More) throws(Failure) {
        bytes.removeFirst(start)
        start = 0
        try more(&bytes)
    }

    /// Reads the request line and the header fields. An error of the request line is found before the rest has arrived.
    mutating func head(_ more: More) throws(Failure) -> RequestHead {
        // Relative to `start`.
        var (index, lineStart, requestLine): (Int, Int, RequestLine?) = (0, 0, nil)
        while true {
            while let end = bytes[(start + index)...].firstIndex(of: lineFeed).map({ $0 - start }),
                end < ListenerSettings.largestHeader
            {
                guard end > lineStart, bytes[start + end - 1] == carriageReturn else { throw .fault(.malformed) }
                let line = bytes[(start + lineStart)..<(start + end - 1)]
                if let requestLine, line.isEmpty { return try takeHead(requestLine, lineStart, end + 1) }
                if requestLine == nil {
                    requestLine = try mapping { () throws(RequestHead.Fault) in try RequestLine(line) }
                }
                (index, lineStart) = (end + 1, end + 1)
            }
            guard count <= ListenerSettings.largestHeader else {
                throw .fault(requestLine == nil ? .targetTooLong : .headTooLarge)
            }
            index = count
            try receive(more)
        }
    }

    /// - Parameters:
    ///   - length: bytes of the lines, without the empty one.
    ///   - end: the first byte behind the empty line.
    private mutating func takeHead(_ line: RequestLine, _ length: Int, _ end: Int) throws(Failure) -> RequestHead {
        let lines = bytes[start..<(start + length - 1)]
        let head = try mapping { () throws(RequestHead.Fault) in try RequestHead(line, lines) }
        start += end
        return head
    }

    /// Whether the whole body has arrived; `false` for a chunked body.
    func hasBody(of head: RequestHead) -> Bool { head.body != .chunked && head.body.length <= count }

    /// Reads the body.
    mutating func body(of head: RequestHead, _ more: More) throws(Failure) -> [UInt8] {
        guard head.body == .chunked else { return try take(head.body.length, more) }
        var body: [UInt8] = []
        while true {
            let size = try chunkSize(more)
            guard body.count + size <= ListenerSettings.largestBody else { throw .fault(.bodyTooLarge) }
            body += try take(size, more)
            guard try take(2, more) == [carriageReturn, lineFeed] else { throw .fault(.malformed) }
            if size == 0 { return body }
        }
    }

    private mutating func chunkSize(_ more: More) throws(Failure) -> Int {
        var size = 0
        for count in 0... {
            let byte = try take(1, more)[0]
            if byte == carriageReturn, count > 0 { break }
            // The number of leading zeros must also be limited.
            guard count < 16, let digit = byte.hexDigitValue else { throw .fault(.malformed) }
            size = size * 16 + Int(digit)
            guard size <= ListenerSettings.largestBody else { throw .fault(.bodyTooLarge) }
        }
        guard try take(1, more) == [lineFeed] else { throw .fault(.malformed) }
        return size
    }

    private mutating func take(_ wanted: Int, _ more: More) throws(Failure) -> [UInt8] {
        while count < wanted { try receive(more) }
        defer { start += wanted }
        return Array(bytes[start..<(start + wanted)])
    }

    private func mapping<Result>(_ parse: () throws(RequestHead.Fault) -> Result) throws(Failure) -> Result {
        do {
            return try parse()
        } catch {
            throw .fault(error)
        }
    }
}

extension RequestHead.Body {
    /// 0 for a chunked body.
    var length: Int { if case .length(let length) = self { length } else { 0 } }
}
