package import AuthModel

/// Asks the site which kinds of login and signup it accepts.
package struct DescribeSite {
    private let client: Client

    package init(_ client: Client) {
        self.client = client
    }

    /// `nil` if this kind of server does not say.
    package func run() throws(AuthError) -> SiteTraits? {
        guard let backend = try client.backends.connect() as? any SiteDescribing else { return nil }
        do throws(AuthError) {
            return try client.backends.call("asking what the site takes") { () throws(AuthError) in try backend.site() }
        } catch {
            throw error.explaining("cannot find out what the site takes")
        }
    }
}
