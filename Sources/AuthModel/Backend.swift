package import JSON
package import Transport

/// A client for one kind of account server. Converts model values to requests, and responses to model values.
///
/// Conforming types return values; they never store, print or prompt. The requirements are what every server has; the
/// protocols in `Abilities/` are what only some have. A command that requires such a protocol fails with `unsupported`
/// if the backend does not conform to it.
///
/// Most calls return a `Reply`, because a server may issue a new token in any response.
package protocol Backend: Sendable {
    /// Creates an account. Once the request is sent, it is never retried: if no response arrives, the error is
    /// `outcomeUnknown`.
    func signUp(_ account: NewAccount) throws(BackendError) -> Reply<SignUpOutcome>

    /// Logs in.
    ///
    /// - Parameter code: the one-time or recovery code of the second factor; not sent if the account has none.
    /// - Throws: `BackendError` `wrongPassword` if the username or the password is wrong, `wrongCode` if only the code is.
    func logIn(_ credentials: Credentials, code: Secret?) throws(BackendError) -> Reply<LogInOutcome>

    /// Has the server send the code of a login that waits, if it sends one only on request. The step `logInCode` without a
    /// token begins a login without a password, which creates no account if the server can be told so.
    ///
    /// - Parameter login: the name of the login with a password; else the e-mail address or phone number.
    /// - Returns: the step that `resume` requires.
    /// - Throws: `BackendError` `notFound` if the server says that no account has the address.
    func request(_ pending: Pending, of login: String) throws(BackendError) -> Pending

    /// Finishes a login that waits with a token.
    ///
    /// - Parameters:
    ///   - pending: the token of the step; for `LogInCodes.withAddress`, the address.
    ///   - code: the one-time or recovery code that the step requires, or the link.
    /// - Throws: `BackendError` `wrongCode` if the code is wrong.
    func resume(_ pending: Secret, code: Secret) throws(BackendError) -> Reply<LogInOutcome>

    /// Revokes the session on the server. Returns `.already` if the session was already invalid.
    func logOut(_ session: Session) throws(BackendError) -> Reply<Revocation>

    /// Requests the session's user. Throws `sessionRevoked` or `sessionExpired` only if the response reports that the
    /// session is revoked or expired.
    func currentUser(_ session: Session) throws(BackendError) -> Reply<User>

    /// Requests the user whose session has this token.
    ///
    /// - Throws: `BackendError` `tokenRefused` if the server rejects the token.
    func logIn(token: Secret) throws(BackendError) -> Reply<NewSession>

    // MARK: - Password and e-mail

    /// Changes the password of the session's user. If the change revokes the session, the reply has a new one.
    ///
    /// - Returns: the step that the new login waits for, if the change has revoked the session; otherwise `nil`.
    /// - Throws: `BackendError` `wrongPassword` if the current password is wrong, `weakPassword` if the server rejects
    ///   the new one.
    func changePassword(_ change: PasswordChange, of session: Session) throws(BackendError) -> Reply<Pending?>

    /// Requests a password-reset e-mail. Most servers report success even for an unknown address.
    ///
    /// - Returns: the server's token for this request, if the code from the e-mail is valid only with this token.
    func resetPassword(email: String) throws(BackendError) -> Secret?

    /// Sets a new password with the key from the e-mail.
    ///
    /// - Parameters:
    ///   - address: the e-mail address or phone number of the account, if the user specified one; required if the key
    ///     does not identify its account.
    ///   - pending: the token that the last `resetPassword(email:)` returned.
    /// - Returns: the session, if the server logs the user in; a pending step if the key is used up, but its token allows
    ///   another try.
    /// - Throws: `BackendError` `notFound` or `wrongCode` if the key is unknown, used or expired; `weakPassword` if the
    ///   server rejects the password; `usage` if the key is incomplete or has a different purpose, or if a required
    ///   `address` is missing; `unsupported` if the server accepts only codes and the key is a link.
    func resetPassword(
        key: MailKey, to new: Secret, of address: String?, pending: Secret?
    ) throws(BackendError) -> LogInOutcome?

    var sessionsAfterReset: SessionsAfterReset { get }

    /// Requests another verification e-mail.
    ///
    /// - Returns: `false` if the address is verified already. The reply may replace the requester's token.
    func sendVerification(email: String, as requester: Requester) throws(BackendError) -> Reply<Bool>

    /// Whether a successful response means that the server sent an e-mail. Some servers report success without sending
    /// one: for an unknown address, or if they do not verify e-mails.
    var reportsSentEmails: Bool { get }

    /// Verifies an address with the key from the e-mail, or completes the change of an e-mail.
    ///
    /// - Throws: `BackendError` `notFound` or `wrongCode` if the key is unknown, used or expired; `usage` if the key is
    ///   incomplete or has a different purpose; `reauthenticationRequired` if the proof lacks the password that the key
    ///   needs.
    func verify(_ key: MailKey, _ proof: VerificationProof) throws(BackendError) -> Reply<Verification>

    // MARK: - The account

    /// Throws, without a request, if the change contains a read-only field, or removes a field that cannot be removed.
    func check(_ change: UserChange) throws(BackendError)

    /// Whether the server returns every field of the user, and keeps a removed one as `null` or an empty string. If
    /// not, a field that it does not show may exist.
    var showsAllFields: Bool { get }

    /// Changes the session's user.
    ///
    /// - Parameter user: the user as last returned by the server.
    /// - Returns: the user after the change. If the response lacks the user, the new values are taken from the request,
    ///   although the server may ignore them or require a verification first.
    /// - Throws: `BackendError` `unsupported`, before any request, if the server does not support a part of the change.
    func update(_ change: UserChange, of user: User, _ session: Session) throws(BackendError) -> Reply<User>

    // MARK: - Identities
    // Conforming types must not save or show the proof of an identity, or copy it into a `User`.

    /// Whether the backend's requests contain the user's id at the provider.
    var usesIdentityIDs: Bool { get }

    /// Requests the identities that are linked to the session's user.
    func identities(of session: Session) throws(BackendError) -> Reply<IdentityStatus>

    /// Links an identity to the session's user. Some servers replace an earlier identity of the same provider.
    ///
    /// - Throws: `BackendError` `tokenRefused` if the provider or the server rejects the proof; `identityTaken` if the
    ///   identity is linked to another user, or if the server does not replace an earlier identity; `unsupported` if
    ///   the server does not accept the provider or that kind of proof; `usage` if a required id is missing.
    func link(_ credential: IdentityCredential, to session: Session) throws(BackendError) -> Reply<IdentityChange>

    /// Unlinks the provider's identities from the session's user. Succeeds even if no identity is linked.
    func unlink(_ provider: IdentityProvider, from session: Session) throws(BackendError) -> Reply<IdentityChange>

    /// Logs in as the user that the identity is linked to. If no user is linked, creates an account.
    ///
    /// - Throws: the errors of `link`, except `identityTaken`; `emailTaken` if another account has the identity's
    ///   e-mail.
    func logIn(_ credential: IdentityCredential) throws(BackendError) -> Reply<LogInOutcome>

    // MARK: - Requests of the user

    /// The header fields that authenticate a request with a session. No other code builds these fields.
    func headers(of session: Session) -> SessionHeaders

    /// The session with the cookies that responses have renewed; `nil` if none has.
    func renewed(_ session: Session) -> Session?

    /// The base URL of a request's path, without a trailing slash: the server URL, or the site's origin.
    func requestBase() throws(BackendError) -> String

    /// Sends a request with its complete URL.
    ///
    /// - Parameters:
    ///   - base: the base URL of the request if it is not `requestBase`. It receives no application keys.
    ///   - session: if `nil`, only the application's header fields are added to the request.
    /// - Throws: an error if there is no response. A response with any status is returned.
    func send(_ request: HTTPRequest, below base: String?, with session: Session?) throws(BackendError) -> Reply<
        RequestAnswer
    >

    /// The request for the first page of a list.
    func firstPage(of request: HTTPRequest, below base: String?) throws(BackendError) -> HTTPRequest

    /// The request for the next page; `nil` if the list was the last page.
    ///
    /// - Throws: `BackendError` `redirect` if the next page is not below the base URL.
    func page(after list: JSONList, to request: HTTPRequest, below base: String?) throws(BackendError) -> HTTPRequest?
}

extension Backend {
    package func request(_ pending: Pending, of login: String) -> Pending { pending }

    package func resume(_ pending: Secret, code: Secret) throws(BackendError) -> Reply<LogInOutcome> {
        throw .sessionExpired
    }

    package func logIn(_ credentials: Credentials) throws(BackendError) -> Reply<LogInOutcome> {
        try logIn(credentials, code: nil)
    }

    package var reportsSentEmails: Bool { true }
    package func check(_ change: UserChange) throws(BackendError) {}
    package var showsAllFields: Bool { false }
    package func renewed(_ session: Session) -> Session? { nil }
}

/// The result of a backend call.
package struct Reply<Value: Sendable>: Sendable {
    package let value: Value
    /// The session that replaces the one used for the request. The caller must save it before any further step.
    package let replacement: Session?

    package init(_ value: Value, replacement: Session? = nil) {
        self.value = value
        self.replacement = replacement
    }
}

extension Reply: Equatable where Value: Equatable {}

/// The result of a login or signup.
package struct NewSession: Sendable, Equatable {
    package var user: User
    package var session: Session
    /// Whether the request created the account; `nil` if the server does not report it.
    package var createdAccount: Bool?
    /// Whether the server reports that the account has no password.
    package var lacksPassword = false
    /// The time since the account was created, measured by the server's clock; `nil` if the server does not report it.
    package var accountAge: Duration?
    /// What the user should know about the session: sentences in lower case, without a final period.
    package var warnings: [String] = []
    /// Why no request with the session has succeeded yet; `nil` if the server accepts it.
    package var doubt: BackendError?

    package init(user: User, session: Session, createdAccount: Bool? = false) {
        self.user = user
        self.session = session
        self.createdAccount = createdAccount
    }
}

/// Whether the server revoked a session.
package enum Revocation: String, Sendable, Equatable {
    case yes
    /// The session was already invalid.
    case already
    /// The server cannot revoke sessions. The session stays valid until it expires.
    case unsupported
    /// The outcome is unknown: no request was sent, or the request failed.
    case unknown
}
