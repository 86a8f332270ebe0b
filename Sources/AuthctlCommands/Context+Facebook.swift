import AuthClient
import AuthModel

/// How Facebook's Graph is reached, as options and environment say.
extension Context {
    /// The URL of the Graph, without a slash at its end.
    func graphURL() throws(AuthError) -> String {
        let variable = "AUTHCTL_FACEBOOK_GRAPH_URL"
        guard let given = environment[variable] else { return "https://graph.facebook.com" }
        let url = try ServerURL(Setting(given, from: .environment(variable)))
        guard url.isSecure || url.isLoopback else {
            throw AuthError(
                .plainHTTP, "server '\(url.text)' (from \(variable)) would get tokens unencrypted over the network",
                hint: "use https, or unset \(variable)")
        }
        return url.text
    }
}
