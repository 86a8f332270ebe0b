import JSON
internal import Transport

/// The Graph API's response to a request for an `id`.
///
/// Success: `{"id":"1003"}`. Error: `{"error":{"code":190,"type":"OAuthException"}}`, usually with status 400.
enum GraphResponse: Equatable {
    case id(String)
    /// The Graph API rejected the token, or the response contains no id.
    case refused
    /// There was no response, or one that says nothing about the token.
    case unreachable

    init(_ response: HTTPResponse?) {
        // `try?`: a response that is not JSON counts as none.
        guard let response, let answer = try? JSONValue(parsing: response.body),
            response.status < 500, response.status != 429,
            !Self.temporaryErrorCodes.contains(answer["error"]?["code"]?.integer ?? 0)
        else {
            self = .unreachable
            return
        }
        guard (200...299).contains(response.status), let id = answer["id"]?.string, !id.isEmpty else {
            self = .refused
            return
        }
        self = .id(id)
    }

    /// Temporary errors: unknown, service unavailable, and rate limits of the app, the user and a page.
    ///
    /// Source: Facebook, "Handling Errors".
    private static let temporaryErrorCodes: Set<Int64> = [1, 2, 4, 17, 32, 341, 613]
}
