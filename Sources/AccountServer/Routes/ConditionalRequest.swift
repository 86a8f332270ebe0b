import CSodium
import Platform
internal import Transport

/// Avoids sending unchanged responses. Source: RFC 9110, section 13.1.2; Express tags all responses like this.
enum ConditionalRequest {
    /// Adds a weak `ETag` to the response to a GET or HEAD; 304 without a body if the client has that version.
    static func answer(to request: HTTPRequest, _ response: HTTPResponse) -> HTTPResponse {
        let isRead = request.method == .get || request.method == .head
        guard isRead, response.status == 200, response.headers["Cache-Control"] != "no-store" else { return response }
        var response = response
        let tag = tag(of: response.body)
        response.headers["ETag"] = tag
        guard let condition = request.headers["If-None-Match"] else { return response }
        let known = condition.split(separator: "," as Character)
        guard known.contains(where: { ["*", tag[...]].contains($0.drop { $0 == " " }) }) else { return response }
        return HTTPResponse(status: 304, headers: ["ETag": tag])
    }

    /// `W/"137-0f3a…"`: the length in hexadecimal and a digest.
    private static func tag(of body: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: 16)
        crypto_generichash(&digest, digest.count, body, UInt64(body.count), nil, 0)
        return "W/\"\(String(body.count, radix: 16))-\(digest.hexadecimal)\""
    }
}
