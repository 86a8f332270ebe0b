import Platform
import Transport

/// Receives a response piece by piece, and rejects an invalid response. The body is collected, or passed to a sink.
///
/// Stores the header fields of the final response, but not those of interim responses (status 1xx), and no trailers.
/// Rejects, among others, an ambiguous length (RFC 9112, section 6.3), a folded line (section 5.2), white space before
/// the colon (section 5.1), and a bare CR (section 2.2).
final class ResponseCollector {
    /// Why the transfer was aborted. For an invalid header, the raw value completes "the response of 'host' …".
    enum Fault: String {
        case large = "is too large"
        case largeHeader = "has a header larger than 256 KiB"
        case brokenLine = "has a malformed header line"
        case unclearLength = "has conflicting lengths"
        case impossibleStatus = "has an invalid status"
        /// Nothing was sent or received within the stall limit.
        case stalled = "stopped"
        /// The sink failed.
        case notPassedOn = "could not be passed on"
    }

    /// The maximum number of bytes to collect before a streamed body goes to the sink.
    static let bodyLimit = 1 << 20
    static let headerLimit = 256 << 10
    static let progressLimit = 64 << 10

    /// Whether any byte of the request may have been sent.
    var wasSent = false {
        // Restart the stall timer, because connecting has a separate time limit.
        didSet { stall?.restart() }
    }
    /// Whether libcurl may send the request again on a new connection if a reused connection is dead.
    let mayBeResent: Bool
    /// Whether any line of a response was received.
    var hasBegun: Bool { headerSize > 0 }
    private(set) var fault: Fault?
    /// Whether the header of the final response is complete.
    private(set) var headIsWhole = false

    /// The maximum size of a body in bytes; `nil` for a body of any size.
    let bodyLimit: Int?

    private let reception: Reception
    private var stall: StallWatch?
    /// Whether the body is being passed to the sink.
    private var isStreaming = false
    private var progress = 0
    private var status = 0
    private var fields: [HTTPHeaders.Field] = []
    private var body: [UInt8] = []
    private var headerSize = 0

    init(for request: HTTPRequest) {
        reception = request.reception
        mayBeResent = request.mayBeResent
        stall = request.stallLimit.map { StallWatch(limit: $0, source: request.bodySource) }
        bodyLimit =
            switch reception {
            case .whole(let limit): limit
            case .streamed: nil
            }
    }

    var response: HTTPResponse { HTTPResponse(status: status, headers: HTTPHeaders(fields), body: body) }

    /// Detects a stalled transfer after the request is sent. Before that, limits the number of calls of this function:
    /// libcurl calls it for each byte of a proxy's error page, and limits neither the page's size nor the time.
    ///
    /// - Parameter bytes: the number of bytes received and sent so far.
    /// - Returns: false to abort the transfer.
    func takeProgress(_ bytes: Int64) -> Bool {
        if wasSent, stall?.hasStalled(at: bytes) == true { return refuse(.stalled) }
        if !wasSent { progress += 1 }
        return progress < Self.progressLimit
    }

    /// - Returns: false to abort the transfer.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if isStreaming { return passOn(bytes) }
        guard body.count + bytes.count > bodyLimit ?? Self.bodyLimit else {
            body.append(contentsOf: bytes.bindMemory(to: UInt8.self))
            return true
        }
        guard bodyLimit == nil, !(300..<400).contains(status) else { return refuse(.large) }
        let held = body
        body = []
        return beginStream() && held.withUnsafeBytes(passOn) && passOn(bytes)
    }

    private func beginStream() -> Bool {
        isStreaming = true
        return reception.sink?.begin(response) == true || refuse(.notPassedOn)
    }

    private func passOn(_ bytes: UnsafeRawBufferPointer) -> Bool {
        defer { stall?.restart() }
        return reception.sink?.write(bytes) == true || refuse(.notPassedOn)
    }

    /// Processes one line with its line end: a status line, a header field, or the empty line after the last field.
    ///
    /// - Returns: false to abort the transfer.
    func takeHeaderLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headerSize += bytes.count
        guard headerSize <= Self.headerLimit else { return refuse(.largeHeader) }
        let line = bytes.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        if headIsWhole { return true }
        let end = bytes.dropFirst(line.count)
        guard end.count < 2 || end.elementsEqual("\r\n".utf8) else { return refuse(.brokenLine) }
        if line.isEmpty { return endHead() }
        if line.starts(with: "HTTP/".utf8) { return beginHead(line) }
        return takeField(line)
    }

    private func beginHead(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
        fields = []
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count > 1, let number = Int(String(decoding: words[1], as: UTF8.self)), (100...599).contains(number)
        else { return refuse(.impossibleStatus) }
        status = number
        return true
    }

    private func takeField(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            !line[line.startIndex].isBlank, !line[colon - 1].isBlank
        else { return refuse(.brokenLine) }
        let value = line[(colon + 1)...].drop(while: \.isBlank)
        let end = value.lastIndex { !$0.isBlank }.map { $0 + 1 } ?? value.startIndex
        let name = String(decoding: line[..<colon], as: UTF8.self)
        fields.append(HTTPHeaders.Field(name: name, value: String(decoding: value[..<end], as: UTF8.self)))
        return true
    }

    private func endHead() -> Bool {
        // Status 101 is invalid, because the request contained no `Upgrade` field.
        if status == 101 { return refuse(.impossibleStatus) }
        if status < 200 { return true }
        headIsWhole = true
        guard hasClearLength else { return refuse(.unclearLength) }
        guard case .streamed(_, holdsSuccess: false) = reception, (200..<300).contains(status) else { return true }
        return beginStream()
    }

    private var hasClearLength: Bool {
        let headers = HTTPHeaders(fields)
        let lengths = headers.values("content-length")
        guard !lengths.isEmpty else { return true }
        let words = lengths.joined(separator: ",").split(separator: ",", omittingEmptySubsequences: false).map {
            $0.split(separator: " ").joined(separator: " ")
        }
        return words.allSatisfy { $0 == words[0] && $0.isASCIIDigits } && headers.values("transfer-encoding").isEmpty
    }

    private func refuse(_ fault: Fault) -> Bool {
        self.fault = fault
        return false
    }
}

/// Detects that nothing was sent or received for longer than `limit`.
private struct StallWatch {
    let limit: Duration
    /// The body to send. Its position counts as progress, because libcurl reports none while it reads from a slow pipe.
    let source: ByteSource?
    var bytes: Int64 = 0
    var position = 0
    var start = monotonicNow()

    mutating func hasStalled(at bytes: Int64) -> Bool {
        let position = source?.position ?? 0
        if bytes == self.bytes, position == self.position { return monotonicNow() - start > limit }
        (self.bytes, self.position) = (bytes, position)
        restart()
        return false
    }

    /// Restarts the stall timer, for example after libcurl had to wait for the reader of the response.
    mutating func restart() { start = monotonicNow() }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}
