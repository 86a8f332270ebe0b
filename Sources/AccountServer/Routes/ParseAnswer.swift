import JSON
internal import Transport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Responses in the forms that Parse Server gives them.
enum ParseAnswer {
    static func json(_ object: JSONObject, status: Int = 200, location: String? = nil) -> HTTPResponse {
        var headers: HTTPHeaders = ["Content-Type": "application/json; charset=utf-8"]
        headers["Location"] = location
        return HTTPResponse(status: status, headers: headers, body: Data(JSONValue.object(object).bytes))
    }

    static func error(_ error: ParseError) -> HTTPResponse {
        let text = error.code == 1 ? "message" : "error"
        return json(["code": .integer(error.code), text: .string(error.text)], status: error.status)
    }

    /// For what is refused before Parse's own routes are reached: `{"error":"text"}`, without a code.
    static func refusal(_ status: Int, _ text: String) -> HTTPResponse {
        json(["error": .string(text)], status: status)
    }

    /// The page of Express for a path or method without a route.
    static func noSuchRoute(_ method: HTTPRequest.Method, _ path: String) -> HTTPResponse {
        let page = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <title>Error</title>
            </head>
            <body>
            <pre>Cannot \(escapedHTML(method.rawValue)) \(escapedHTML(path))</pre>
            </body>
            </html>

            """
        let headers: HTTPHeaders = [
            "Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff",
            "Content-Type": "text/html; charset=utf-8",
        ]
        return HTTPResponse(status: 404, headers: headers, body: Data(page.utf8))
    }

    private static func escapedHTML(_ text: String) -> String {
        text.reduce(into: "") { escaped, character in
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.append(character)
            }
        }
    }
}
