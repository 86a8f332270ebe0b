/// A backend that can create anonymous (guest) users.
package protocol AnonymousLogin: Backend {
    /// Creates an anonymous user without a password and logs in. If the session is lost, so is the account.
    ///
    /// - Parameter identity: a new random id, because some servers return the existing account for a known id.
    func logInAnonymously(identity: String) throws(BackendError) -> Reply<NewSession>

    /// How an anonymous account gets an e-mail and a password, so that a login leads to it; `nil` if it cannot.
    var stepToKeepAccount: NextStep? { get }
}

extension AnonymousLogin {
    package var stepToKeepAccount: NextStep? { nil }
}

/// A backend whose server publishes which kinds of login and signup it accepts.
package protocol SiteDescribing: Backend {
    /// Requests the site's description. The result is never cached.
    func site() throws(BackendError) -> SiteTraits
}

/// Which kinds of login and signup a site accepts.
package struct SiteTraits: Sendable, Equatable {
    package let takesUsername: Bool
    package let takesEmail: Bool
    package let takesPhone: Bool
    package let isOpenForSignUp: Bool
    /// The identity providers of the site.
    package let providers: [SiteProvider]

    package init(
        takesUsername: Bool, takesEmail: Bool, takesPhone: Bool = false, isOpenForSignUp: Bool,
        providers: [SiteProvider]
    ) {
        self.takesUsername = takesUsername
        self.takesEmail = takesEmail
        self.takesPhone = takesPhone
        self.isOpenForSignUp = isOpenForSignUp
        self.providers = providers
    }
}

/// An identity provider that a site is configured for.
package struct SiteProvider: Sendable, Equatable {
    package let name: String
    /// The site's client id at the provider, if there is one.
    package let clientID: String?
    /// Whether clients can log in by sending the site a token from the provider.
    package let takesTokens: Bool

    package init(name: String, clientID: String?, takesTokens: Bool) {
        self.name = name
        self.clientID = clientID
        self.takesTokens = takesTokens
    }
}
