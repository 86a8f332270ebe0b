/// Facebook itself, as an app without a secret can ask it.
///
/// Refusals carry Facebook's own words for people as `server.message`.
package protocol FacebookService: Sendable {
    /// Asks for a code that somebody can enter at Facebook, on any device.
    ///
    /// - Throws: `AuthError` `badAppKey` if Facebook does not know the app or its client token.
    func beginDeviceLogin(_ app: FacebookApp, permissions: [String]) throws(AuthError) -> DeviceCode

    /// Asks once what became of the code.
    func progress(of code: DeviceCode, _ app: FacebookApp) throws(AuthError) -> DeviceLoginProgress

    /// The id of the app that an access token was given to.
    ///
    /// - Throws: `AuthError` `tokenRefused` if Facebook says that the token is none, or none any more.
    func appID(of token: Secret) throws(AuthError) -> String

    /// Whose access token it is.
    ///
    /// - Throws: as `appID` does; `forbidden` where the app's owner lets only servers ask.
    func profile(of token: Secret) throws(AuthError) -> FacebookProfile

    /// What an ID token says of its user, unchecked: whether it is genuine, the server finds out.
    ///
    /// - Throws: `AuthError` `usage` if the text is none.
    func claims(of idToken: Secret) throws(AuthError) -> FacebookClaims

    /// Withdraws all that the user has allowed the app, on all devices; the token is dead then, too.
    func withdrawPermissions(_ token: Secret) throws(AuthError)
}

/// What a device log-in is known by: to Facebook, and to the user.
package struct DeviceCode: Sendable, Equatable {
    /// What one asks with; whoever has it gets the token.
    package let secret: Secret
    /// What the user enters.
    package let userCode: String
    /// Where the user enters it.
    package let verificationURL: String
    /// The same with the code filled in.
    package let completeURL: String
    /// How long it is good for.
    package let lifetime: Duration
    /// How long to wait before each question.
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

/// What stands in a token of Limited Login.
package struct FacebookClaims: Sendable, Equatable {
    /// The apps that it is for.
    package let appIDs: [String]
    package let profile: FacebookProfile

    package init(appIDs: [String], profile: FacebookProfile) {
        self.appIDs = appIDs
        self.profile = profile
    }
}

/// How far a device log-in has come.
package enum DeviceLoginProgress: Sendable, Equatable {
    case pending
    /// It was asked too soon, too: wait longer.
    case askedTooSoon
    /// The user said no.
    case declined
    /// The code is good no more.
    case runOut
    case done(token: Secret)
}

/// A Facebook app, as known to a client without the app secret.
package struct FacebookApp: Sendable, Equatable {
    package let id: String
    package let clientToken: Secret

    package init(id: String, clientToken: Secret) {
        self.id = id
        self.clientToken = clientToken
    }
}
