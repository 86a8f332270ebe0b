/// The requests to Facebook's Graph API that an app can send without its app secret.
///
/// In errors, `server.message` is Facebook's message for users or, if there is none, its message for developers.
package protocol FacebookService: Sendable {
    /// Requests a code that the user can enter on Facebook's website, on any device.
    ///
    /// - Throws: `BackendError` `badAppKey` if Facebook does not know the app or its client token.
    func beginDeviceLogin(_ app: FacebookApp, permissions: [String]) throws(BackendError) -> DeviceCode

    /// Polls once for the state of the device login.
    func progress(of code: DeviceCode, _ app: FacebookApp) throws(BackendError) -> DeviceLoginProgress

    /// Requests the id of the app that an access token was issued to.
    ///
    /// - Throws: `BackendError` `tokenRefused` if Facebook reports that the token is invalid or expired.
    func appID(of token: Secret) throws(BackendError) -> String

    /// Requests the profile of an access token's user.
    ///
    /// - Throws: the errors of `appID`; `forbidden` if the app's owner allows this request from servers only.
    func profile(of token: Secret) throws(BackendError) -> IdentityProfile

    /// Revokes all permissions that the user granted the app, on all devices. The token is invalid afterwards.
    func revokePermissions(_ token: Secret) throws(BackendError)
}

/// The codes of a device login.
package struct DeviceCode: Sendable, Equatable {
    /// The secret to poll with. Facebook issues the access token to any client that presents this secret.
    package let secret: Secret
    /// The code that the user enters.
    package let userCode: String
    /// The URL of the page where the user enters `userCode`.
    package let verificationURL: String
    /// The URL of the same page with the code filled in.
    package let completeURL: String
    /// The time until the code expires.
    package let lifetime: Duration
    /// The pause before each poll.
    package let interval: Duration

    package init(
        secret: Secret, userCode: String, verificationURL: String, completeURL: String, lifetime: Duration,
        interval: Duration
    ) {
        self.secret = secret
        self.userCode = userCode
        self.verificationURL = verificationURL
        self.completeURL = completeURL
        self.lifetime = lifetime
        self.interval = interval
    }
}

/// The state of a device login.
package enum DeviceLoginProgress: Sendable, Equatable {
    case pending
    /// The client polled too soon and must wait longer.
    case slowDown
    case declined
    case expired
    case done(token: Secret)
}

/// A Facebook app as configured for a client, which does not have the app secret.
package struct FacebookApp: Sendable, Equatable {
    package let id: String
    package let clientToken: Secret

    package init(id: String, clientToken: Secret) {
        self.id = id
        self.clientToken = clientToken
    }
}
