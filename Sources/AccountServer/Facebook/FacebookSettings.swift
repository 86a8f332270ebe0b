package import Transport

/// How logins with Facebook are checked.
package struct FacebookSettings: Sendable {
    /// The Facebook apps whose tokens are taken. Where there is none, nobody logs in with Facebook: a token of any app
    /// would do otherwise.
    package var appIDs: [String]
    /// With it, calls to the Graph carry a proof that this server may use the token.
    package var appSecret: ServerSecret?
    /// Without a slash at its end.
    package var graphURL: String
    package var transport: any HTTPTransport
    /// The longest that one question may take, from the moment it is to be asked: waiting for a thread counts.
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
