import CSodium
package import Platform

/// The settings of an account server.
package struct ServerSettings: Sendable {
    /// The database file. It and its folder are created if they are missing. `nil`: the accounts are kept in memory.
    package var database: FileLocation?
    /// The base URL of the routes, without a trailing slash, such as `local:/parse`.
    package var baseURL: String
    /// The required value of `X-Parse-Application-Id`.
    package var applicationID: String
    /// The required value of one of the key headers; `nil` accepts any value.
    package var clientKey: ServerSecret?
    /// The base URL of links in e-mails, instead of `baseURL`.
    package var publicURL: String?
    /// `nil`: no e-mail is sent, and requests for one fail.
    package var mail: (any MailOutlet)?
    /// Whether a new address receives an e-mail, and logins fail until the user follows its link: Parse's
    /// `preventLoginWithUnverifiedEmail`. Otherwise clients request the e-mail.
    package var requiresVerifiedEmail = false
    /// `nil`: Facebook logins are rejected.
    package var facebook: FacebookSettings?
    /// Whether identities of all providers are accepted with an `UnsignedProof`, for tests. Facebook is then not asked.
    package var acceptsUnsignedProofs = false
    package var sessionLifetime: Duration
    package var clock: WallClock
    package var randomness: Randomness
    package var passwordCost: PasswordCost
    /// The limits for wrong passwords, signups and e-mails. By default there are none, as for commands of this process.
    package var throttle = ThrottleLimits.none
    /// `nil`: for requests that come one after another.
    package var limits: WorkLimits?
    /// Called before a password is hashed or compared; for tests.
    package var willHash: @Sendable () -> Void = {}
    /// Whether all requests come from this process. If so, a failed login names an account whose name differs in case
    /// or white space, a request for a verification e-mail fails for unknown and verified addresses, and a login needs
    /// no password (`ParseRoutes.logInAs`).
    package var isInProcess = false
    /// The time limit for locks of other processes that use the database.
    package var busyTimeout: Duration

    package init(
        database: FileLocation?, baseURL: String, applicationID: String, clientKey: ServerSecret? = nil,
        publicURL: String? = nil, mail: (any MailOutlet)? = nil,
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
        self.facebook = facebook
        self.sessionLifetime = sessionLifetime
        self.clock = clock
        self.randomness = randomness
        self.passwordCost = passwordCost
        self.busyTimeout = busyTimeout
    }
}

/// A secret of the server: a client key or an app secret. Prints as `<redacted>`.
package struct ServerSecret: Sendable {
    private let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// Compares digests of equal length in constant time, so that timing reveals neither the length of the secret nor a
    /// common prefix.
    func matches(_ guess: String) -> Bool {
        sodium_memcmp(text.blake2b, guess.blake2b, 32) == 0
    }

    /// HMAC-SHA256 of the message with this secret as the key, in lowercase hexadecimal.
    func authenticationCode(of message: String) -> String {
        var state = crypto_auth_hmacsha256_state()
        var code = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
        let (key, bytes) = (Array(text.utf8), Array(message.utf8))
        // `crypto_auth_hmacsha256` requires a key of exactly 32 bytes.
        crypto_auth_hmacsha256_init(&state, key, key.count)
        crypto_auth_hmacsha256_update(&state, bytes, UInt64(bytes.count))
        crypto_auth_hmacsha256_final(&state, &code)
        return code.hexadecimal
    }

}

extension ServerSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
