import AuthBackends
import AuthClient
package import AuthModel
package import Transport

/// How Facebook's Graph is reached, as options and environment say.
extension Context {
    /// The URL of the Graph, without a slash at its end.
    func graphURL() throws(AuthError) -> String {
        let variable = "AUTHCTL_FACEBOOK_GRAPH_URL"
        guard let given = environment[variable] else { return "https://graph.facebook.com" }
        let url = try ServerURL(Setting(given, from: .environment(variable)))
        guard url.isSecure || url.isLoopback else {
            throw AuthError(
                .plainHTTP, "server '\(url.text)' (from \(variable)) would receive tokens unencrypted",
                next: "use https, or unset \(variable)")
        }
        return url.text
    }

    /// Facebook itself, as the commands ask it.
    func makeFacebook(_ settings: Settings) throws(AuthError) -> any FacebookService {
        let version = BackendSetting.facebookGraphVersion
        let url = try graphURL()
        return FacebookGraph(
            url: url, version: settings.serverSettings[version.key] ?? version.standard ?? "",
            transport: transport(to: url, try networkSettings()))
    }

    /// How the accounts of this machine take Facebook; `nil` where no app of Facebook is named.
    func embeddedFacebook(_ settings: Settings) throws(AuthError) -> EmbeddedFacebook? {
        guard let appID = settings.serverSettings[BackendSetting.facebookAppID.key] else { return nil }
        // `try?`: whoever has to do with Facebook asks it before, and is told what is wrong.
        guard let url = try? graphURL() else { return nil }
        let network = try networkSettings()
        return EmbeddedFacebook(
            appIDs: [appID], appSecret: nil, graphURL: url, transport: transport(to: url, network),
            timeLimit: network.timeLimit)
    }

    /// The same for a server that many ask at once.
    func servedFacebook(appIDs: [String], appSecret: Secret?) throws(AuthError) -> EmbeddedFacebook {
        var network = try networkSettings()
        network.timeLimit = min(network.timeLimit, .seconds(10))
        let url = try graphURL()
        return EmbeddedFacebook(
            appIDs: appIDs, appSecret: appSecret, graphURL: url,
            transport: SharedTransport { [self, network] in transport(to: url, network) }, timeLimit: network.timeLimit)
    }
}

/// How the embedded account server checks who comes from Facebook.
package struct EmbeddedFacebook: Sendable {
    /// The apps whose tokens are taken.
    package let appIDs: [String]
    /// With it, calls to the Graph carry a proof.
    package let appSecret: Secret?
    /// Without a slash at its end.
    package let graphURL: String
    package let transport: any HTTPTransport
    /// Of one question to the Graph.
    package let timeLimit: Duration
}
