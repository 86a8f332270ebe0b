/// The operations of backends. The meaning of a status or code depends on the operation.
package enum Operation: Sendable, CaseIterable {
    case describeSite
    case signUp, logIn, logInAnonymously
    /// The one-time code after the password.
    case secondFactor
    /// A login as a user without the password.
    case impersonate
    /// All users, by the administrator of the server.
    case listUsers
    /// Includes every other request that only reads with a session.
    case currentUser
    /// `currentUser` with a token that the user supplied.
    case logInWithToken
    case logOut, refresh
    case listSessions
    /// One session, by its id in the URL.
    case revokeSession
    /// A list of sessions, by their ids in the body.
    case revokeSessions
    case verifyPassword, changePassword, requestPasswordReset
    /// The new password with the key from an e-mail.
    case finishPasswordReset
    /// An e-mail that verifies an address, and its key or code.
    case sendVerification, verifyEmail
    case updateUser, deleteAccount
    case logInWithIdentity, linkIdentity, unlinkIdentity, listIdentities
    /// A request of the user.
    case callAPI
    /// Facebook only: device login, owner and app of a token, revocation of permissions.
    case logInDevice, inspectToken, revokePermissions

    /// Whether a request that got no response may have changed something, so that it is not repeated.
    package var hasEffect: Bool {
        switch self {
        case .signUp, .logInAnonymously, .refresh, .changePassword, .requestPasswordReset, .finishPasswordReset,
            .sendVerification, .verifyEmail, .updateUser, .deleteAccount, .callAPI, .revokeSessions,
            .logInWithIdentity, .linkIdentity, .unlinkIdentity, .revokePermissions:
            true
        case .describeSite, .logIn, .secondFactor, .impersonate, .listUsers, .currentUser, .logInWithToken, .logOut,
            .listSessions, .revokeSession, .verifyPassword, .listIdentities, .logInDevice, .inspectToken:
            false
        }
    }

    /// Whether the request contains the proof of an identity.
    package var sendsProof: Bool { self == .logInWithIdentity || self == .linkIdentity }
}
