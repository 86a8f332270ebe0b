/// A backend whose server says beforehand what it takes.
package protocol SiteDescribing: Backend {
    /// Asks the server, each time.
    func site() throws(AuthError) -> SiteTraits
}

/// What a site takes.
package struct SiteTraits: Sendable, Equatable {
    package let takesUsername: Bool
    package let takesEmail: Bool
    package let isOpenForSignUp: Bool
    /// Facebook's id of the site's app; `nil` where the site takes no Facebook identities.
    package let facebookAppID: String?

    package init(takesUsername: Bool, takesEmail: Bool, isOpenForSignUp: Bool, facebookAppID: String?) {
        self.takesUsername = takesUsername
        self.takesEmail = takesEmail
        self.isOpenForSignUp = isOpenForSignUp
        self.facebookAppID = facebookAppID
    }
}
