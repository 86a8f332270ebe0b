import Platform
import Transport

/// The request line and the header fields of a request.
///
/// Rejects folded lines, control characters, white space before a colon, and an ambiguous or non-numeric body length.
/// `RequestReader` rejects lines that do not end in CRLF. Other servers and proxies parse such requests differently,
/// which allows request smuggling. Source: RFC 9112, sections 2.2, 3, 5 and 6.
struct RequestHead {
    enum Fault: Error, Equatable {
        case malformed
        case unknownMethod
        /// The target does not start with a slash, or starts with two.
        case foreignTarget
        /// The request line alone exceeds `ListenerSettings.largestHeader`.
        case targetTooLong
        /// The request line and headers exceed `ListenerSettings.largestHeader`.
        case headTooLarge
        /// The body exceeds `ListenerSettings.largestBody`.
        case bodyTooLarge
        /// `Expect` has a value other than `100-continue`.
        case unknownExpectation
    }

    enum Body: Equatable {
        /// The number of bytes; 0 if there is no body.
        case length(Int)
        case chunked
    }

    let line: RequestLine
    let headers: HTTPHeaders
    let body: Body
    /// Whether the client waits for status 100 before it sends the body.
    let expectsContinue: Bool
    /// Whether the client may send another request on the connection.
    let keepsConnection: Bool

    /// - Parameter bytes: the request line and the header fields, without the last line feed and the empty line.
    init(_ line: RequestLine, _ bytes: ArraySlice<UInt8>) throws(Fault) {
        // Limit non-ASCII bytes: strings with many combining marks are slow to compare, see `hasTooManyMarks`.
        guard bytes.count(where: { $0 >= 0x80 }) <= 1024 else { throw .malformed }
        let lines = bytes.split(separator: lineFeed, omittingEmptySubsequences: false)
        self.line = line
        var fields: [HTTPHeaders.Field] = []
        for line in lines.dropFirst() where !line.isEmpty { fields.append(try Self.field(line.dropLast())) }
        headers = HTTPHeaders(fields)
        body = try Self.body(headers, line)
        let expectations = headers.values("Expect")
        guard expectations.allSatisfy({ $0.lowercased() == "100-continue" }) else { throw .unknownExpectation }
        // HTTP/1.0 has no status 100.
        expectsContinue = !expectations.isEmpty && !line.isHTTP10
        let options = headers.values("Connection").joined(separator: ",").lowercased().split { ", \t".contains($0) }
        keepsConnection = !options.contains("close") && (!line.isHTTP10 || options.contains("keep-alive"))
    }

    private static func field(_ line: ArraySlice<UInt8>) throws(Fault) -> HTTPHeaders.Field {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            case let name = String(decoding: line[..<colon], as: UTF8.self), name.isHTTPToken,
            line[colon...].allSatisfy({ !$0.isASCIIControl || $0 == UInt8(ascii: "\t") })
        else { throw .malformed }
        let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let start = line[(colon + 1)...].drop(while: isSpace)
        let end = start.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start.startIndex
        return HTTPHeaders.Field(name: name, value: String(decoding: start[..<end], as: UTF8.self))
    }

    private static func body(_ headers: HTTPHeaders, _ line: RequestLine) throws(Fault) -> Body {
        let (lengths, encodings) = (headers.values("Content-Length"), headers.values("Transfer-Encoding"))
        guard lengths.count + encodings.count <= 1 else { throw .malformed }
        if let encoding = encodings.first {
            guard encoding.lowercased() == "chunked", !line.isHTTP10, !line.isHead else { throw .malformed }
            return .chunked
        }
        guard let length = lengths.first else { return .length(0) }
        guard length.isASCIIDigits else { throw .malformed }
        // A length that overflows `Int` is also too large.
        let size = Int(length) ?? .max
        guard size <= ListenerSettings.largestBody else { throw .bodyTooLarge }
        guard size == 0 || !line.isHead else { throw .malformed }
        return .length(size)
    }
}

/// Method, target and version with one space between them.
struct RequestLine {
    let method: HTTPRequest.Method
    /// Path and query as sent.
    let target: String
    /// Whether the version is HTTP/1.0, which has no chunked bodies and no persistent connections by default.
    let isHTTP10: Bool

    var isHead: Bool { method == .head }

    /// The methods of the routes and of the test controls, and those of all servers. Source: RFC 9110, section 9.1.
    private static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]

    init(_ line: ArraySlice<UInt8>) throws(RequestHead.Fault) {
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }), !line.contains(where: \.isASCIIControl) else {
            throw .malformed
        }
        isHTTP10 = parts[2].elementsEqual("HTTP/1.0".utf8)
        guard isHTTP10 || parts[2].elementsEqual("HTTP/1.1".utf8) else { throw .malformed }
        let name = String(decoding: parts[0], as: UTF8.self)
        guard Self.methods.contains(name) else { throw .unknownMethod }
        let slash = UInt8(ascii: "/")
        guard parts[1].first == slash, parts[1].dropFirst().first != slash else { throw .foreignTarget }
        method = HTTPRequest.Method(rawValue: name)
        target = String(decoding: parts[1], as: UTF8.self)
    }
}

let carriageReturn = UInt8(ascii: "\r")
let lineFeed = UInt8(ascii: "\n")
