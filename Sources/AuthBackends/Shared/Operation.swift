import AuthModel

/// The operations of backends. The meaning of a status or code depends on the operation.
enum Operation: CaseIterable {
    case describeSite
    case signUp, logIn, logInAnonymously
    /// The one-time code after the password.
    case secondFactor
    /// Also any other request that only reads with a session.
    case currentUser
    /// The same with a token from elsewhere.
    case logInWithToken
    case logOut, refresh
    case listSessions
    /// One session, by its id in the URL.
    case revokeSession
    /// A list of sessions, by their ids in the body.
    case revokeSessions
    case verifyPassword, changePassword, requestPasswordReset
    /// An e-mail that verifies an address, and its key or code.
    case sendVerification, verifyEmail
    case updateUser
    case logInWithIdentity, linkIdentity, unlinkIdentity, listIdentities
    /// A request of the user.
    case callAPI
    /// Facebook only: device login, owner and app of a token, revocation of permissions.
    case logInDevice, inspectToken, revokePermissions

    /// The next step after a request that may have succeeded without a response. `nil`: the request can be repeated, or
    /// it changes nothing.
    var uncertainOutcome: NextStep? {
        switch self {
        case .signUp: "the account may exist; to check, log in with the same name and password"
        case .logInAnonymously: "run the login again to get another anonymous user"
        case .refresh: "if the next command fails with exit code 4, log in again"
        case .changePassword:
            "the password may be changed and the session revoked; to check, log in with the new password"
        case .requestPasswordReset, .sendVerification:
            "the e-mail may have been sent: check the inbox before you try again"
        case .verifyEmail: "the e-mail may be verified; to check, log in"
        case .updateUser: "check the account before you try again"
        case .callAPI: "the request may have had its effect: check before you send it again"
        case .revokeSessions, .logInWithIdentity, .linkIdentity, .unlinkIdentity:
            "run the command again: repeating it is safe"
        case .revokePermissions:
            "to check, see 'Apps and websites' in the settings on Facebook"
        case .describeSite, .logIn, .secondFactor, .currentUser, .logInWithToken, .logOut, .listSessions,
            .revokeSession, .verifyPassword, .listIdentities, .logInDevice, .inspectToken:
            nil
        }
    }

    /// Whether the request contains the proof of an identity.
    var sendsProof: Bool { self == .logInWithIdentity || self == .linkIdentity }
}
