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
        case .signUp: "the account may exist: try to log in with the same name and password"
        case .logInAnonymously: "an account may exist that cannot be reached: run the login again for another one"
        case .refresh: "if the session is refused from now on, log in again"
        case .changePassword:
            "the password may be changed, and the session dead: log in with the new one to find out"
        case .requestPasswordReset, .sendVerification: "the message may be on its way"
        case .verifyEmail: "the address may be confirmed: look at the account, or try to log in"
        case .updateUser: "the change may be made: look before you make it again"
        case .revokeSessions, .logInWithFacebook, .linkFacebook, .unlinkFacebook:
            "it may be done: asking again does no harm"
        case .withdrawPermissions:
            "the permissions may be withdrawn: look at 'Apps and websites' in the settings at Facebook"
        case .describeSite, .logIn, .secondFactor, .currentUser, .logInWithToken, .logOut, .listSessions,
            .revokeSession, .listIdentities, .logInDevice, .inspectToken:
            nil
        }
    }

    /// Whether it hands a Facebook token to the server.
    var sendsFacebookToken: Bool { self == .logInWithFacebook || self == .linkFacebook }
}
