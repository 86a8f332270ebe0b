package import AuthModel

/// A backend that uses the script of a `FakeBackend` but has different capabilities.
package protocol WrapsFakeBackend: Backend {
    var inner: FakeBackend { get }
}

extension WrapsFakeBackend {
    package func signUp(_ account: NewAccount) throws(AuthError) -> Reply<SignUpOutcome> { try inner.signUp(account) }
    package func logIn(_ credentials: Credentials) throws(AuthError) -> Reply<LogInOutcome> {
        try inner.logIn(credentials)
    }
    package func logOut(_ session: Session) throws(AuthError) -> Reply<Revocation> { try inner.logOut(session) }
    package func currentUser(_ session: Session) throws(AuthError) -> Reply<User> { try inner.currentUser(session) }
}

/// A backend that resumes pending logins and links identities. Its server publishes which kinds of login and signup it
/// accepts.
package struct WaitingBackend: WrapsFakeBackend, PendingLoginResuming, SiteDescribing, IdentityLinking {
    package let inner: FakeBackend

    package init(_ inner: FakeBackend) {
        self.inner = inner
    }

    package func sendVerification(email: String, as requester: Requester) throws(AuthError) -> Reply<Bool> {
        try inner.sendVerification(email: email, as: requester)
    }
    package func verifyEmail(key: MailKey, as requester: Requester) throws(AuthError) -> Reply<NewSession?> {
        try inner.verifyEmail(key: key, as: requester)
    }
    package func site() throws(AuthError) -> SiteTraits { try inner.site() }
    package var usesIdentityIDs: Bool { inner.usesIdentityIDs }
    package func identities(of session: Session) throws(AuthError) -> Reply<IdentityStatus> {
        try inner.identities(of: session)
    }
    package func link(_ credential: IdentityCredential, to session: Session) throws(AuthError) -> Reply<IdentityChange>
    {
        try inner.link(credential, to: session)
    }
    package func unlink(_ provider: IdentityProvider, from session: Session) throws(AuthError) -> Reply<IdentityChange>
    {
        try inner.unlink(provider, from: session)
    }
    package func logIn(_ credential: IdentityCredential) throws(AuthError) -> Reply<NewSession> {
        try inner.logIn(credential)
    }
}

/// A backend with one session for all devices of an account. It refreshes the session, but cannot list sessions.
package struct SharingBackend: WrapsFakeBackend, SessionSharing, SessionRefreshing {
    package let inner: FakeBackend

    package init(_ inner: FakeBackend) {
        self.inner = inner
    }

    package func isShared(_ session: Session) -> Bool { true }
    package func refresh(_ session: Session) throws(AuthError) -> Session { try inner.refresh(session) }
}

/// A backend without optional capabilities.
package struct PlainBackend: WrapsFakeBackend {
    package let inner: FakeBackend

    package init(_ inner: FakeBackend) {
        self.inner = inner
    }

}
