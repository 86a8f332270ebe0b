import AuthModel

/// What is asked of a server: a status or a code may mean different things for different operations.
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
    case changePassword, requestPasswordReset
    /// An e-mail that verifies an address, and its key or code.
    case sendVerification, verifyEmail
    case updateUser
    case logInWithFacebook, linkFacebook, unlinkFacebook, listIdentities
    /// Facebook alone: a device login of the app, the owner and the app of a token, the end of its permissions.
    case logInDevice, inspectToken, withdrawPermissions

    /// What to do after a request that may have had its effect although its response was lost; `nil`: asking again does
    /// no harm, or nothing is changed.
    var uncertainOutcome: NextStep? {
        switch self {
        case .signUp: "the account may exist; to check, log in with the same name and password"
        case .logInAnonymously: "run the login again to get another anonymous user"
        case .refresh: "if the server rejects the session from now on, log in again"
        case .changePassword:
            "the password may be changed and the session revoked; to check, log in with the new password"
        case .requestPasswordReset, .sendVerification: "wait for the message before you try again"
        case .verifyEmail: "the e-mail may be verified; to check, look at the account or log in"
        case .updateUser: "check the account before you try again"
        case .revokeSessions, .logInWithFacebook, .linkFacebook, .unlinkFacebook:
            "run the command again: repeating it is safe"
        case .withdrawPermissions:
            "to check, see 'Apps and websites' in the settings on Facebook"
        case .describeSite, .logIn, .secondFactor, .currentUser, .logInWithToken, .logOut, .listSessions,
            .revokeSession, .listIdentities, .logInDevice, .inspectToken:
            nil
        }
    }

    /// Whether it hands a Facebook token to the server.
    var sendsFacebookToken: Bool { self == .logInWithFacebook || self == .linkFacebook }
}
