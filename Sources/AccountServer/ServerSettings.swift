package import Platform

/// What an account server is told when it starts.
package struct ServerSettings: Sendable {
    /// Whether addresses must be proved to be their users'.
    package enum EmailVerification: Sendable {
        /// Only when somebody asks for the mail.
        case onRequest
        /// A new address is sent a mail, and is not verified until its link was followed.
        case mailed
        /// The same, and there is no session before: Parse's `preventLoginWithUnverifiedEmail`.
        case required
    }

    /// The database file; it and its folder are made if they are missing.
    package var database: FileLocation
    /// The URL under which the routes lie, without a slash at its end, such as `local:/parse`.
    package var baseURL: String
    /// What `X-Parse-Application-Id` must say.
    package var applicationID: String
    /// What one of the key headers must say; `nil`: they may say anything.
    package var clientKey: ServerSecret?
    /// Where the links in mails lead, in place of `baseURL`.
    package var publicURL: String?
    /// `nil`: no mail is sent, and whoever asks for one is told so.
    package var mail: (any MailOutlet)?
    package var emailVerification: EmailVerification
    /// `nil`: nobody logs in with Facebook.
    package var facebook: FacebookSettings?
    package var sessionLifetime: Duration
    package var clock: WallClock
    package var randomness: Randomness
    package var passwordCost: PasswordCost
    /// How long to wait for other processes that use the database.
    package var busyTimeout: Duration

    package init(
        database: FileLocation, baseURL: String, applicationID: String, clientKey: ServerSecret? = nil,
        publicURL: String? = nil, mail: (any MailOutlet)? = nil, emailVerification: EmailVerification = .onRequest,
        facebook: FacebookSettings? = nil, sessionLifetime: Duration = .seconds(8760 * 3600),
        clock: WallClock = .system, randomness: Randomness = .system, passwordCost: PasswordCost = .standard,
        busyTimeout: Duration = .seconds(10)
    ) {
        self.database = database
        self.baseURL = baseURL
        self.applicationID = applicationID
        self.clientKey = clientKey
        self.publicURL = publicURL
        self.mail = mail
        self.emailVerification = emailVerification
        self.facebook = facebook
        self.sessionLifetime = sessionLifetime
        self.clock = clock
        self.randomness = randomness
        self.passwordCost = passwordCost
        self.busyTimeout = busyTimeout
    }
}
