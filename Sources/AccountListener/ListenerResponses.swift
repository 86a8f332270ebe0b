import Transport

/// Responses that the listener sends itself, without the account server.
extension HTTPResponse {
    static func refusal(_ refusal: RequestGate.Refusal) -> HTTPResponse {
        json(refusal.status, #"{"error":"\#(refusal.text)"}"#)
    }

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

    /// Too many requests wait, or the database cannot be used now.
    static let unavailable = unavailable("the server is busy; try again")

    static let shuttingDown = unavailable("the server is shutting down")

    /// The response to a request that changes the database when its disk or its quota is full. Source: RFC 4918, 507.
    static let noSpace = json(507, #"{"code":1,"error":"the server has no space left on its disk"}"#)

    private static func unavailable(_ text: String) -> HTTPResponse {
        var response = json(503, #"{"code":1,"error":"\#(text)"}"#)
        response.headers["Retry-After"] = "1"
        return response
    }

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

    /// The last response of a connection, as sent.
    var bytes: [UInt8] {
        // The reason phrase may be empty: RFC 9112, section 4.
        var head = "HTTP/1.1 \(status) \r\n"
        for field in headers.fields { head += "\(field.name): \(field.value)\r\n" }
        if headers["Content-Length"] == nil { head += "Content-Length: \(body.count)\r\n" }
        return Array("\(head)Connection: close\r\n\r\n".utf8) + body
    }

    private static func json(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: ["Content-Type": "application/json; charset=utf-8"], body: Array(text.utf8))
    }
}
