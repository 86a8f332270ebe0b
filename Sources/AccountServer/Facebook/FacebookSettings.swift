import JSON
package import Platform
package import Transport

package struct FacebookSettings: Sendable {
    /// The ids of the Facebook apps whose tokens are accepted. If the list is empty, all Facebook logins are rejected,
    /// because otherwise the tokens of any app would be accepted.
    package var appIDs: [String]
    /// If set, Graph API requests carry `appsecret_proof`.
    package var appSecret: Secret?
    /// The base URL of the Graph API, without a trailing slash.
    package var graphURL: String
    package var transport: any HTTPTransport
    /// The time limit for one request to Facebook, including the wait for earlier ones.
    package var timeLimit: Duration

    package init(
        appIDs: [String], appSecret: Secret? = nil, graphURL: String = "https://graph.facebook.com",
        transport: any HTTPTransport, timeLimit: Duration = .seconds(10)
    ) {
        self.appIDs = appIDs
        self.appSecret = appSecret
        self.graphURL = graphURL
        self.transport = transport
        self.timeLimit = timeLimit
    }
}

/// The Graph API's response to a request for an `id`.
///
/// Success: `{"id":"1003"}`. Error: `{"error":{"code":190,"type":"OAuthException"}}`, usually with status 400.
enum GraphResponse: Equatable {
    case id(String)
    /// The Graph API rejected the token, or the response contains no id.
    case refused
    /// There was no response, or the response does not show whether the token is valid.
    case unreachable

    init(_ response: HTTPResponse?) {
        // `try?`: a response that is not JSON counts as no response.
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

    /// Codes of temporary errors: unknown error, service unavailable, and rate limits of the app, the user or a page.
    ///
    /// Source: Facebook, "Handling Errors".
    private static let temporaryErrorCodes: Set<Int64> = [1, 2, 4, 17, 32, 341, 613]
}
