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
