import Transport

/// Responses that the listener sends itself, without the account server.
extension HTTPResponse {
    static func refusal(_ refusal: RequestGate.Refusal) -> HTTPResponse {
        json(refusal.status, #"{"error":"\#(refusal.text)"}"#)
    }

    static var ambiguousLength: HTTPResponse {
        var response = json(400, #"{"error":"duplicate Content-Length"}"#)
        response.headers["Connection"] = "close"
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

    private static func json(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: ["Content-Type": "application/json; charset=utf-8"], body: Array(text.utf8))
    }
}
