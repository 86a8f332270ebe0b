import Platform
import Transport

/// Responses that the listener sends itself, without the account server.
extension HTTPResponse {
    /// 421 is Misdirected Request, RFC 9110 section 15.5.20.
    static let foreignHost = json(421, #"{"error":"this server does not accept requests for this host name"}"#)
    static let foreignOrigin = json(403, #"{"error":"this origin is not allowed"}"#)

    static func rejection(_ fault: RequestHead.Fault) -> HTTPResponse {
        switch fault {
        case .malformed: json(400, #"{"error":"malformed request"}"#)
        case .bodyTooLarge: json(413, #"{"error":"request entity too large"}"#)
        case .targetTooLong: json(414, #"{"error":"request target too long"}"#)
        case .unknownExpectation: json(417, #"{"error":"unknown expectation"}"#)
        case .foreignTarget: json(421, #"{"error":"the request target is not a path of this server"}"#)
        case .headTooLarge: json(431, #"{"error":"request header fields too large"}"#)
        case .unknownMethod: json(501, #"{"error":"this method is not implemented"}"#)
        }
    }

    /// The response to a request that changes the database when its disk or its quota is full. Source: RFC 4918, 507.
    static let noSpace = json(507, #"{"code":1,"error":"the server has no space left on its disk"}"#)

    /// Source: Parse Server's response to an internal error.
    static let failure = json(500, #"{"code":1,"message":"Internal server error."}"#)

    /// The response to a CORS preflight request of an allowed origin. Source: recorded from Parse Server.
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

    /// The response as sent.
    ///
    /// - Parameters:
    ///   - isLast: whether the connection is closed afterwards.
    ///   - isHTTP10: whether the client knows only HTTP/1.0, whose connections close unless a field says otherwise.
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

    /// Source: RFC 9110, section 15; RFC 6585; RFC 4918.
    private var reason: String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 413: "Content Too Large"
        case 429: "Too Many Requests"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        case 507: "Insufficient Storage"
        // It may be empty: RFC 9112, section 4.
        default: ""
        }
    }

    private static func json(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: ["Content-Type": "application/json; charset=utf-8"], body: Array(text.utf8))
    }
}
