/// The operations of backends. The meaning of an HTTP status or error code depends on the operation.
package enum Operation: Sendable, CaseIterable {
    case describeSite
    case signUp, logIn, logInAnonymously
    /// Sends a one-time or recovery code, alone or with the password.
    case secondFactor
    /// Requests the code or link of a login.
    case sendLogInCode
    /// Logs in as a user without the user's password.
    case impersonate
    /// Lists all users, reads one, or deletes one, for the administrator of the server.
    case listUsers, readUser, deleteUser
    /// Changes an account for the administrator of the server.
    case changeUser
    /// Shows whether the server accepts the administrator's key.
    case checkAdminKey
    /// Also used for read-only requests with a session, if no other case covers them.
    case currentUser
    /// `currentUser` with a token that the user supplied.
    case logInWithToken
    case logOut, refresh
    case listSessions
    /// Revokes one session, by its id in the URL.
    case revokeSession
    /// Revokes sessions, by their ids in the body.
    case revokeSessions
    case verifyPassword, changePassword, requestPasswordReset
    /// Sets the new password with the key from an e-mail.
    case finishPasswordReset
    /// Requests a verification e-mail, or verifies an address with the key from the e-mail.
    case sendVerification, verifyEmail
    case updateUser, deleteAccount
    case logInWithIdentity, linkIdentity, unlinkIdentity, listIdentities
    /// Sends a request with any method and path, such as for `authctl api`.
    case callAPI
    /// Facebook only: a device login, a request for a token's user and app, and the revocation of permissions.
    case logInDevice, inspectToken, revokePermissions

    /// Whether an operation whose response is lost fails with `outcomeUnknown`, unless its request is idempotent.
    package var hasEffect: Bool {
        switch self {
        case .signUp, .logInAnonymously, .refresh, .changePassword, .requestPasswordReset, .finishPasswordReset,
            .sendLogInCode, .sendVerification, .verifyEmail, .updateUser, .deleteAccount, .callAPI, .revokeSessions,
            .logInWithIdentity, .linkIdentity, .unlinkIdentity, .revokePermissions, .changeUser:
            true
        case .describeSite, .logIn, .secondFactor, .impersonate, .listUsers, .readUser, .deleteUser, .checkAdminKey,
            .currentUser, .logInWithToken, .logOut,
            .listSessions, .revokeSession, .verifyPassword, .listIdentities, .logInDevice, .inspectToken:
            false
        }
    }

    /// Whether the request contains the administrator's key. A signup may contain it, too.
    package var usesAdminKey: Bool {
        [.impersonate, .listUsers, .readUser, .deleteUser, .changeUser, .checkAdminKey].contains(self)
    }

    /// Whether the request contains the proof of an identity.
    package var sendsProof: Bool { self == .logInWithIdentity || self == .linkIdentity }
}
