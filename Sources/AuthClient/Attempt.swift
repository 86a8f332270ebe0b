import AuthModel

/// The operation that a use case attempts, with the values for the next steps after a failure.
enum Attempt {
    case changePassword(of: User)
    /// - Parameter pendingSignUp: the step that completes a pending signup with this name; `nil` if none is pending.
    case logIn(String, pendingSignUp: NextStep?)
    case logInWithIdentity(any IdentitySource)
    case logOut
    case signUp(NewAccount)
    /// - Parameter tokenVariable: the variable with a session token; `nil` if none is set.
    case useSession(ActiveSession, tokenVariable: String?)
}

/// Adds the next steps for a failed attempt. Steps from `Advice` take precedence, with a few exceptions.
extension BackendProvider {
    func completing(_ error: AuthError, after attempt: Attempt) -> AuthError {
        var error = error
        switch (error.reason, attempt) {
        // All cases except `useSession` and `default` replace the steps from `Advice`.
        case (_, .changePassword(let user)) where error.isAfterSuccess:
            error.nextSteps = [NextStep("log in with the new password", run: settings.logInCommand(again: user))]
        case (_, .changePassword(let user)) where error.isUnreadableSuccess:
            error.nextSteps = [
                NextStep(
                    "the password may be changed; to check, log in with the new one",
                    run: settings.logInCommand(again: user))
            ]
        case (_, .signUp(let account)) where error.isUnreadableSuccess || error.reason == .outcomeUnknown:
            error.nextSteps = [
                NextStep("the account may exist; to check, log in with the same password", run: logIn(account, error))
            ]
        // Another logout, as `Advice` suggests, would do nothing: the saved session is already deleted.
        case (.rateLimited, .logOut), (.serverFault, .logOut): error.nextSteps = steps(after: error, attempt)
        // Only the owner of the account with this address can link the identity.
        case (.emailTaken, .logInWithIdentity(let source)):
            error.nextSteps = [
                NextStep(
                    "if that account is yours, log in", run: ["login", settings.backend.value.naming.placeholder]),
                NextStep("then link \(source.provider.title)", run: ["link"] + source.linkArguments),
            ]
        // Without a backend setting, a token in the environment is used for local accounts. Users may not expect this.
        case (_, .useSession(let active, _)) where active.source == .environment && settings.backend.origin == .builtIn:
            error.nextSteps.insert("if it is a session of a server, set AUTHCTL_BACKEND and AUTHCTL_SERVER", at: 0)
        default: return error.suggesting(steps(after: error, attempt))
        }
        return error
    }

    private func steps(after error: AuthError, _ attempt: Attempt) -> [NextStep] {
        switch (error.reason, attempt) {
        case (.wrongPassword, .logIn(let login, let pendingSignUp)):
            (error.fact == .accountExists ? [] : [pendingSignUp ?? signUp(login)]) + stepsToReset(login)
        case (.passwordExpired, .logIn(let login, _)): stepsToReset(login)
        case (.secondFactorRequired, .logIn(let login, _)): [addCode(.argument(login))]
        case (.secondFactorRequired, .logInWithIdentity(let source)): [addCode(source.loginArguments)]
        case (.emailUnverified, .logIn) where error.pendingToken != nil,
            (.emailUnverified, .logInWithIdentity) where error.pendingToken != nil:
            [.completePendingLogin]
        case (.emailUnverified, .logIn(let login, _)) where has((any EmailVerifying).self):
            [
                NextStep(
                    "follow the link in the e-mail; to get a new one",
                    run: ["verify-email"] + .option("--email", login.looksLikeEmail ? login : "ADDRESS"))
            ]
        // The server requires an e-mail address, but the provider supplied none.
        case (.invalidFields, .logInWithIdentity(let source)):
            [
                NextStep(
                    "create an account with an e-mail, then link \(source.provider.title)",
                    run: ["link"] + source.linkArguments)
            ]
        case (.usernameTaken, .signUp(let account)), (.emailTaken, .signUp(let account)),
            (.identityTaken, .signUp(let account)):
            [NextStep("if that account is yours, log in", run: logIn(account, error))]
        case (_, .logOut) where has((any SessionListing).self):
            [
                NextStep("log in again", run: ["login"]),
                NextStep("then revoke the other sessions", run: ["sessions", "revoke", "--others"]),
            ]
        case (let reason, .useSession(let active, let tokenVariable)) where reason.meansInvalidSession:
            if let variable = tokenVariable {
                [NextStep("set \(variable) to a new session token"), NextStep("unset \(variable)")]
            } else {
                [NextStep("log in again", run: settings.logInCommand(again: active))]
            }
        default: []
        }
    }

    private func addCode(_ arguments: [String]) -> NextStep {
        NextStep("add the one-time code or a recovery code", run: ["login", "--otp", "CODE"] + arguments)
    }

    /// Returns the login command for the account that a signup found or may have created.
    private func logIn(_ account: NewAccount, _ error: AuthError) -> [String] {
        // The account with this e-mail may have a different username, and some sites accept no e-mail at login.
        let isOtherName = error.reason == .emailTaken && account.email != nil && account.username != nil
        return ["login"]
            + (isOtherName ? [settings.backend.value.naming.placeholder] : .argument(account.subject))
    }

    private func signUp(_ login: String) -> NextStep {
        let hasName = settings.backend.value.naming == .username
        let account: [String] =
            if login.looksLikeEmail {
                (hasName ? ["USERNAME"] : []) + .option("--email", login)
            } else if isPhone(login) {
                ["--phone", login]
            } else {
                .argument(login) + (hasName ? [] : ["--email", "ADDRESS"])
            }
        return NextStep("create an account", run: ["signup"] + account)
    }

    private func stepsToReset(_ login: String) -> [NextStep] {
        guard has((any PasswordResetting).self) else { return [] }
        let address: [String] = login.looksLikeEmail || isPhone(login) ? .argument(login) : ["ADDRESS"]
        return [NextStep("reset the password", run: ["password", "reset"] + address)]
    }

    private func isPhone(_ login: String) -> Bool { login.hasPrefix("+") && settings.backend.value.takesPhone }
}

extension Settings {
    /// The command that logs in again, to replace this session.
    fileprivate func logInCommand(again active: ActiveSession) -> [String] {
        guard active.method == .impersonation else { return logInCommand(again: active.user) }
        return ["login"] + impersonation(of: active.user.username ?? "USERNAME")
    }

    /// The options of `login` that impersonate a user, without the user's password.
    func impersonation(of username: String) -> [String] {
        .option("--impersonate", username) + (connection.server == nil ? [] : ["--admin-key-file", "FILE"])
    }

    /// The command that logs in again as this user. `login` uses the session name if it has no username argument.
    func logInCommand(again user: User) -> [String] {
        guard let name = sessionName?.value, let username = user.displayName, username != name else { return ["login"] }
        return ["login"] + .argument(username)
    }
}

extension NewAccount {
    /// The name of the account in messages and at login: the username, else the e-mail, else the phone number.
    package var subject: String { username ?? email ?? phone ?? "" }
}
