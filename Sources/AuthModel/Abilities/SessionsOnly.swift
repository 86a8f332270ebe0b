/// A backend for sites of which only the login is known, not how accounts are created, changed or deleted.
package protocol SessionsOnly: Backend {}

extension SessionsOnly {
    private var unknown: BackendError {
        BackendError(.unsupported, "of such a site, only the login form is known", next: "use the pages of the site")
    }

    package func signUp(_ account: NewAccount) throws(BackendError) -> Reply<SignUpOutcome> { throw unknown }

    package func changePassword(
        _ change: PasswordChange, of session: Session
    ) throws(BackendError) -> Reply<Pending?> { throw unknown }

    package func resetPassword(email: String) throws(BackendError) -> Secret? { throw unknown }

    package func resetPassword(
        key: MailKey, to new: Secret, of address: String?, pending: Secret?
    ) throws(BackendError) -> LogInOutcome? { throw unknown }

    package var sessionsAfterReset: SessionsAfterReset { .unknown }

    package func sendVerification(email: String, as requester: Requester) throws(BackendError) -> Reply<Bool> {
        throw unknown
    }

    package func verify(_ key: MailKey, _ proof: VerificationProof) throws(BackendError) -> Reply<Verification> {
        throw unknown
    }

    package func check(_ change: UserChange) throws(BackendError) { throw unknown }

    package func update(_ change: UserChange, of user: User, _ session: Session) throws(BackendError) -> Reply<User> {
        throw unknown
    }

    package var usesIdentityIDs: Bool { false }

    package func identities(of session: Session) throws(BackendError) -> Reply<IdentityStatus> { throw unknown }

    package func link(
        _ credential: IdentityCredential, to session: Session
    ) throws(BackendError) -> Reply<IdentityChange> { throw unknown }

    package func unlink(
        _ provider: IdentityProvider, from session: Session
    ) throws(BackendError) -> Reply<IdentityChange> { throw unknown }

    package func logIn(_ credential: IdentityCredential) throws(BackendError) -> Reply<LogInOutcome> { throw unknown }
}
