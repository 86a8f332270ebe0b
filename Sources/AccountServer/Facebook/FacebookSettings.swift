import JSON
package import Transport

/// The settings for Facebook logins.
package struct FacebookSettings: Sendable {
    /// The Facebook apps whose tokens are accepted. If empty, Facebook logins are rejected, because a token of any app
    /// would be accepted otherwise.
    package var appIDs: [String]
    /// If set, Graph API requests carry `appsecret_proof`.
    package var appSecret: ServerSecret?
    /// Without a trailing slash.
    package var graphURL: String
    package var transport: any HTTPTransport
    /// The time limit for one request, measured from its creation: waiting for a thread counts.
    package var timeLimit: Duration

    package init(
        appIDs: [String], appSecret: ServerSecret? = nil, graphURL: String = "https://graph.facebook.com",
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
