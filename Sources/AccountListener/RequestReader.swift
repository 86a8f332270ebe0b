/// Reads requests from the bytes that a client sends.
///
/// Rejects chunk extensions and trailer fields, which no client of the API sends. Source: RFC 9112, section 7.1.
struct RequestReader {
    enum Failure: Error, Equatable {
        case fault(RequestHead.Fault)
        /// The connection was closed or failed, or the client was too slow.
        case ended
    }

    /// Waits for input and appends at least one byte to the buffer.
    typealias More = (inout [UInt8]) throws(Failure) -> Void

    /// The bytes received so far. The bytes before `start` have already been consumed.
    private var bytes: [UInt8] = []
    private var start = 0

    /// The number of received bytes that have not been consumed.
    var count: Int { bytes.count - start }

    /// Discards the consumed bytes and waits for more.
    mutating func receive(_ more: More) throws(Failure) {
        bytes.removeFirst(start)
        start = 0
        try more(&bytes)
    }

    /// Reads the request line and the header fields. Reports an invalid request line without waiting for the fields.
    mutating func head(_ more: More) throws(Failure) -> RequestHead {
        // Both offsets are relative to `start`.
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
    ///   - length: the number of bytes before the empty line.
    ///   - end: the offset of the first byte after the empty line.
    private mutating func takeHead(_ line: RequestLine, _ length: Int, _ end: Int) throws(Failure) -> RequestHead {
        let lines = bytes[start..<(start + length - 1)]
        let head = try mapping { () throws(RequestHead.Fault) in try RequestHead(line, lines) }
        start += end
        return head
    }

    /// Whether the whole body has arrived; `false` for a chunked body.
    func hasBody(of head: RequestHead) -> Bool { head.body != .chunked && head.body.length <= count }

    mutating func body(of head: RequestHead, _ more: More) throws(Failure) -> [UInt8] {
        // Release the memory of the request, which the buffer would keep while the client reads the response.
        defer { if count == 0 { (bytes, start) = ([], 0) } }
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
            // Leading zeros also count towards the limit of 16 digits.
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
