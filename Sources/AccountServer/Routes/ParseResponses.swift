import CSodium
import JSON
import Platform
package import Transport

/// Responses in the formats of Parse Server.
package enum ParseResponses {
    static func json(_ object: JSONObject, status: Int = 200, location: String? = nil) -> HTTPResponse {
        value(.object(object), status: status, location: location)
    }

    static func value(_ value: JSONValue, status: Int = 200, location: String? = nil) -> HTTPResponse {
        // Responses depend on the session, so caches must revalidate them. Otherwise, ParseSwift on Linux would answer
        // a GET with its cached response to an earlier PUT.
        var headers: HTTPHeaders = ["Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-cache"]
        headers["Location"] = location
        return HTTPResponse(status: status, headers: headers, body: value.bytes)
    }

    static func error(_ error: ParseError) -> HTTPResponse {
        var object: JSONObject = ["code": .integer(error.code)]
        object[error.textName] = error.text.map(JSONValue.string)
        object["similarName"] = error.similarName.map(JSONValue.string)
        if error.isPasswordAlone { object["passwordAlone"] = true }
        return json(object, status: error.status)
    }

    /// The response from Parse Server, or from Express in front of it, to a request that fails with this status. For
    /// statuses that neither sends, the response only names the status.
    ///
    /// Source: Parse Server 8, `middlewares.js`: `handleParseErrors`, `invalidRequest`, and `addRateLimit` for 429.
    package static func failure(status: Int) -> HTTPResponse {
        switch status {
        case 403: .refusal(403, "unauthorized")
        case 404: error(.objectNotFound)
        case 429: json(["code": 100, "error": "Too many requests."], status: 429)
        case 500: error(.internal)
        case 503: .refusal(503, "Service Unavailable")
        default: .refusal(status, "status \(status)")
        }
    }

    /// The response if too many requests or connections are in progress, or another process has locked the database.
    package static let busy: HTTPResponse = {
        var response = json(["code": 1, "error": "the server is busy; try again"], status: 503)
        response.headers["Retry-After"] = "1"
        return response
    }()

    /// The response if a write fails because the disk or the disk quota is full. Source: RFC 4918, section 11.5.
    package static let noSpace = json(["code": 1, "error": "the server has no space left on its disk"], status: 507)

    /// - Parameter wait: the time until the request may succeed.
    static func tooManyRequests(after wait: Duration) -> HTTPResponse {
        var response = failure(status: 429)
        response.headers["Retry-After"] = String(wait.components.seconds + 1)
        return response
    }

    /// Express's 404 page for a path or method without a route.
    static func noSuchRoute(_ method: HTTPRequest.Method, _ path: String) -> HTTPResponse {
        let page = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <title>Error</title>
            </head>
            <body>
            <pre>Cannot \(HTMLText.escaped(method.rawValue)) \(HTMLText.escaped(path))</pre>
            </body>
            </html>

            """
        let headers: HTTPHeaders = [
            "Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff",
            "Content-Type": "text/html; charset=utf-8",
        ]
        return HTTPResponse(status: 404, headers: headers, body: Array(page.utf8))
    }

    /// Express's response to `OPTIONS`, without CORS headers.
    static let options = HTTPResponse(
        status: 200, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Array("OK".utf8))
}

extension HTTPResponse {
    /// A rejection without an error code: `{"error":"text"}`. Parse uses this format before it selects a route.
    package static func refusal(_ status: Int, _ text: String) -> HTTPResponse {
        ParseResponses.json(["error": .string(text)], status: status)
    }

    /// The response to a `HEAD` request: the headers without the body.
    package var withoutBody: HTTPResponse {
        var response = self
        response.headers["Content-Length"] = String(body.count)
        response.body = []
        return response
    }
}

/// Avoids sending unchanged responses again, like Express. Source: RFC 9110, section 13.1.2.
enum ConditionalRequest {
    /// Adds a weak `ETag` to a response with status 200 to a GET or HEAD, unless the response must not be stored.
    /// Returns 304 without a body if the client sent the same tag or `*`.
    static func answer(to request: HTTPRequest, _ response: consuming HTTPResponse) -> HTTPResponse {
        let isRead = request.method == .get || request.method == .head
        guard isRead, response.status == 200, response.headers["Cache-Control"] != "no-store" else { return response }
        let tag = tag(of: response.body)
        response.headers["ETag"] = tag
        guard let condition = request.headers["If-None-Match"] else { return response }
        let known = condition.split(separator: "," as Character)
        guard known.contains(where: { ["*", tag[...]].contains($0.drop { $0 == " " }) }) else { return response }
        return HTTPResponse(status: 304, headers: ["ETag": tag])
    }

    /// A digest of 64 bits, such as `W/"0f3a…"`. The hash key need not be secret, because a client that forges a tag
    /// only keeps its own old response.
    private static func tag(of body: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: Int(crypto_shorthash_BYTES))
        crypto_shorthash(&digest, body, UInt64(body.count), key)
        return "W/\"\(digest.hexadecimal)\""
    }

    private static let key = [UInt8](repeating: 0, count: Int(crypto_shorthash_KEYBYTES))
}

extension RequestError {
    /// The response to a rejected request; `nil` for a storage error or a lack of memory.
    var response: HTTPResponse? {
        switch self {
        case .refused(let error): ParseResponses.error(error)
        case .answered(let response): response
        case .busy: ParseResponses.busy
        case .database, .file, .outOfMemory: nil
        }
    }
}
