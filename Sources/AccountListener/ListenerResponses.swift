import Platform
import Transport

/// Responses that the listener sends itself, without the account server.
extension HTTPResponse {
    static func rejection(_ fault: RequestHead.Fault) -> HTTPResponse {
        switch fault {
        case .malformed: refusal(400, "malformed request")
        case .bodyTooLarge: refusal(413, "request entity too large")
        case .targetTooLong: refusal(414, "request target too long")
        case .unknownExpectation: refusal(417, "unknown expectation")
        case .foreignTarget: refusal(421, "the request target is not a path of this server")
        case .headTooLarge: refusal(431, "request header fields too large")
        case .unknownMethod: refusal(501, "this method is not implemented")
        }
    }

    /// The response to a CORS preflight request from an allowed origin.
    ///
    /// The allowed methods and headers are those of Parse Server, except that `X-Parse-Installation-Id` replaces
    /// `X-Parse-Master-Key`. Source: Parse Server, `middlewares.js`, `allowCrossDomain`.
    static let preflight = HTTPResponse(
        status: 200,
        headers: [
            "Access-Control-Allow-Methods": "GET,PUT,POST,DELETE,OPTIONS",
            "Access-Control-Allow-Headers":
                "X-Parse-REST-API-Key, X-Parse-Javascript-Key, X-Parse-Application-Id, X-Parse-Client-Version, "
                + "X-Parse-Session-Token, X-Requested-With, X-Parse-Revocable-Session, X-Parse-Installation-Id, "
                + "X-Parse-Request-Id, Content-Type, Pragma, Cache-Control",
            "Access-Control-Max-Age": "600",
        ])

    /// The response as HTTP/1.1 bytes, ready to send.
    ///
    /// - Parameters:
    ///   - isLast: whether the connection closes after this response.
    ///   - isHTTP10: whether the client uses HTTP/1.0, which needs `Connection: keep-alive` to keep the connection
    ///     open.
    func bytes(isLast: Bool, isHTTP10: Bool = false) -> [UInt8] {
        var bytes = Array("HTTP/1.1 \(status) \(reason)".utf8)
        bytes.reserveCapacity(512 + body.count)
        func add(_ name: String, _ value: String) {
            for part in ["\r\n", name, ": ", value] { bytes += part.utf8 }
        }
        for field in headers.fields { add(field.name, field.value) }
        add("Date", "\(UTCTime(secondsSince1970: WallClock.system.now().seconds).textWithWeekday) GMT")
        if status != 304, headers["Content-Length"] == nil { add("Content-Length", String(body.count)) }
        if isLast { add("Connection", "close") } else if isHTTP10 { add("Connection", "keep-alive") }
        bytes += "\r\n\r\n".utf8
        bytes += body
        return bytes
    }

    /// The reason phrase. It may be empty (RFC 9112, section 4).
    private var reason: String { Self.reasons[status] ?? "" }

    /// Source: RFC 9110, section 15; RFC 6585; RFC 4918.
    private static let reasons = [
        200: "OK", 201: "Created", 304: "Not Modified", 400: "Bad Request", 403: "Forbidden", 404: "Not Found",
        413: "Content Too Large", 429: "Too Many Requests", 500: "Internal Server Error", 503: "Service Unavailable",
        507: "Insufficient Storage",
    ]
}
