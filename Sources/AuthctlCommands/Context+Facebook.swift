import AuthBackends
import AuthClient
import AuthModel
import Transport

/// The connection to Facebook's Graph API, from options and environment.
extension Context {
    /// The base URL of the Graph API, without a trailing slash.
    func graphURL() throws(AuthError) -> String {
        let variable = "AUTHCTL_FACEBOOK_GRAPH_URL"
        guard let given = environment[variable] else { return FacebookGraph.standardURL }
        let url = try ServerURL(Setting(given, from: .environment(variable)))
        guard url.isSecure || url.isLoopback else {
            throw AuthError(
                .plainHTTP, "server '\(url.text)' (from \(variable)) would receive tokens unencrypted",
                next: "use https, or unset \(variable)")
        }
        return url.text
    }

    func facebook(_ settings: Settings) throws(AuthError) -> any FacebookService {
        let version = BackendSetting.facebookGraphVersion
        let url = try graphURL()
        return FacebookGraph(
            url: url, version: settings.serverSettings[version.key] ?? version.standard ?? "",
            transport: stack(try networkSettings()).transport(to: url), masker: world.masker)
    }

    /// The Facebook settings of the local accounts; `nil` if no Facebook app is configured, or if `graphURL` fails.
    func embeddedFacebook(_ settings: Settings) throws(AuthError) -> EmbeddedFacebook? {
        guard let appID = settings.serverSettings[BackendSetting.facebookAppID.key] else { return nil }
        // `try?`: commands that use Facebook call `graphURL` earlier and report the error.
        guard let url = try? graphURL() else { return nil }
        let network = try networkSettings()
        return EmbeddedFacebook(
            appIDs: [appID], appSecret: nil, graphURL: url, transport: stack(network).transport(to: url),
            timeLimit: network.timeLimit)
    }

    /// The Facebook settings of `authctl serve`, with a shorter time limit because a slow request delays other clients.
    func servedFacebook(appIDs: [String], appSecret: Secret?) throws(AuthError) -> EmbeddedFacebook {
        var network = try networkSettings()
        network.timeLimit = min(network.timeLimit, .seconds(10))
        let url = try graphURL()
        return EmbeddedFacebook(
            appIDs: appIDs, appSecret: appSecret, graphURL: url,
            transport: stack(network).transport(to: url), timeLimit: network.timeLimit)
    }
}
