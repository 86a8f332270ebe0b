package import AuthModel

extension Client {
    /// What the site takes, where its server says so.
    package func site() throws(AuthError) -> SiteTraits? {
        guard let backend = try backend as? any SiteDescribing else { return nil }
        do throws(AuthError) {
            return try during("asking what the site takes") { () throws(AuthError) in try backend.site() }
        } catch {
            throw error.explaining("cannot find out what the site takes")
        }
    }
}
