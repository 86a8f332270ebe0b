import CSodium
package import Platform

package struct ServerSettings: Sendable {
    /// The database file, created with its folder if it is missing; `nil` to keep the accounts in memory.
    package var database: FileLocation?
    /// The base URL of the routes, without a trailing slash, such as `local:/parse`.
    package var baseURL: String
    /// The required value of `X-Parse-Application-Id`.
    package var applicationID: String
    /// The client key that each request must contain; `nil` if no key is required.
    package var clientKey: Secret?
    /// The base URL of links in e-mails, used instead of `baseURL`.
    package var publicURL: String?
    /// If `nil`, no e-mail is sent, and requests for an e-mail fail.
    package var mail: (any MailOutlet)?
    /// Writes requested e-mails after the response; `nil` to write them before it.
    package var mailQueue: MailQueue?
    /// Whether a new address receives a verification e-mail, and password logins fail until the user follows the link,
    /// as with Parse's `preventLoginWithUnverifiedEmail`. Otherwise, clients must request the e-mail.
    package var requiresVerifiedEmail = false
    /// If `nil`, Facebook logins are rejected, unless `acceptsUnsignedProofs` is true.
    package var facebook: FacebookSettings?
    /// Whether identities of all providers are accepted with an `UnsignedProof` and no request to Facebook; for tests.
    package var acceptsUnsignedProofs = false
    package var sessionLifetime = Duration.seconds(8760 * 3600)
    package var clock = WallClock.system
    package var randomness = Randomness.system
    package var passwordCost = PasswordCost.standard
    /// Limits wrong passwords, signups and e-mails; `nil` by default, because requests from this process are not limited.
    package var throttle: Throttle?
    /// `nil` if requests arrive one at a time.
    package var limits: WorkLimits?
    /// Called before a password is hashed or compared; for tests.
    package var willHash: @Sendable () -> Void = {}
    /// Whether all requests come from this process. If so, a failed login reports an account whose name differs only in
    /// case, white space or invisible characters; a request for a verification e-mail fails for unknown and verified
    /// addresses; a signup can choose the id and `emailVerified`, and have a password hash; `logInAs` needs no password; and
    /// `listUsers` can list all users, with their hashes. With any master key, a request can also read, change and delete
    /// all users, and end their sessions.
    package var isInProcess = false
    /// How long to wait for a database lock that another process holds.
    package var busyTimeout = Duration.seconds(10)
}

extension ServerSettings {
    package init(database: FileLocation?, baseURL: String, applicationID: String) {
        self.init(database: database, baseURL: baseURL, applicationID: applicationID, clientKey: nil)
    }
}

extension Secret {
    /// Compares digests of equal length in constant time, so that timing reveals neither the length of the secret nor a
    /// common prefix.
    func matches(_ guess: String) -> Bool {
        sodium_memcmp(reveal().blake2b, guess.blake2b, 32) == 0
    }

    /// HMAC-SHA256 of the message with this secret as the key, in lowercase hexadecimal.
    func authenticationCode(of message: String) -> String {
        var state = crypto_auth_hmacsha256_state()
        var code = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
        let (key, bytes) = (Array(reveal().utf8), Array(message.utf8))
        // `crypto_auth_hmacsha256` cannot be used, because it requires a key of exactly 32 bytes.
        crypto_auth_hmacsha256_init(&state, key, key.count)
        crypto_auth_hmacsha256_update(&state, bytes, UInt64(bytes.count))
        crypto_auth_hmacsha256_final(&state, &code)
        return code.hexadecimal
    }
}
