import CSodium
import Platform
internal import Transport

/// Avoids sending unchanged responses. Source: RFC 9110, section 13.1.2; Express tags all responses like this.
enum ConditionalRequest {
    /// Adds a weak `ETag` to the response to a GET or HEAD; 304 without a body if the client has that version.
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

    /// `W/"0f3a…"`: a digest of 64 bits. Its key is not secret: a client that forges an equal tag only keeps its old
    /// response.
    private static func tag(of body: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: Int(crypto_shorthash_BYTES))
        crypto_shorthash(&digest, body, UInt64(body.count), key)
        return "W/\"\(digest.hexadecimal)\""
    }

    private static let key = [UInt8](repeating: 0, count: Int(crypto_shorthash_KEYBYTES))
}
