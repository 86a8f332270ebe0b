package import AuthModel
package import JSON

/// Creates an account, and logs in if a session is requested.
package struct SignUp: UseCase {
    let client: Client

    package init(_ client: Client) {
        self.client = client
    }

    /// - Throws: `AuthError` `unsupported` if nothing but the login of the server is known.
    package func requireSupport() throws(AuthError) {
        guard !client.settings.backend.value.has(.hasOnlyLogin) else { throw backends.cannot("sign up") }
    }

    package func run(_ account: NewAccount, keepingSession: Bool, checking: Bool) throws(AuthError) -> LogInResult {
        let failure = "cannot sign up '\(account.subject)'"
        if account.password == nil { try LogIn(client).requireCodes() }
        if checking, client.settings.backend.value.has(.checksNewAccounts) {
            try require(AccountChecks.faults(of: account), failure)
        }
        let earlier = keepingSession ? try sessions.prepareToSave() : nil
        if let password = account.password { client.warnOfTrimming(password) }
        let (backend, outcome): (any Backend, SignUpOutcome)
        do throws(AuthError) {
            backend = try backends.connect()
            outcome = try backends.call("creating the account") { () throws(BackendError) in
                try backend.signUp(account).value
            }
        } catch {
            // Without a password, only the request for the code comes later.
            let step = NextStep.sendCode(to: account.email ?? account.subject)
            throw completing(error.explaining(failure), account)
                .suggesting(error.isAfterSuccess ? [step] : [])
        }
        if case .session(let new) = outcome, new.createdAccount != true {
            _ = sessions.revokeUnsaved(new)
            throw AuthError.accountExisted.explaining(failure)
        }
        warnOfUnkept(account.fields, in: outcome.user)
        switch outcome {
        case .waits(let pending, let user) where keepingSession:
            return savePending(pending, user, hasPassword: account.password != nil)
        // The pending login is not saved, because completing it would create a session that the user does not want.
        case .waits(let pending, let user):
            return waiting(pending.withoutToken, user)
        case .created(let user) where keepingSession: return try logIn(to: account, user, replacing: earlier)
        case .created(let user): return .created(user)
        case .session(let new) where keepingSession:
            warnOfMissingPassword(of: new)
            return try save(new, of: account, replacing: earlier)
        case .session(let new):
            warnOfMissingPassword(of: new)
            if !sessions.revokeUnsaved(new.session) {
                client.events.warn("the session of the new account could not be revoked")
            }
            return .created(new.user)
        }
    }

    /// Warns of fields of a new account that the server does not show as they were sent.
    ///
    /// - Parameter showsAll: whether a user without any field has none.
    package func warnOfUnkept(_ fields: JSONObject, in user: User, showsAll: Bool = false) {
        // `try?`: the connection was there for the signup.
        guard let unkept = try? backends.connect().unkept(fields, in: user, showsAll: showsAll), !unkept.isEmpty
        else { return }
        client.events.warn(unkept.unkeptClause)
    }

    /// Some sites with allauth create accounts without a password, and ignore the one in the request.
    private func warnOfMissingPassword(of new: NewSession) {
        guard new.lacksPassword else { return }
        client.events.warn(
            "the server has set no password",
            next: NextStep("to set one", run: ["password", "reset", new.user.email ?? "ADDRESS"]))
    }

    /// Signs up, or logs in with the same password if the username or e-mail is taken.
    ///
    /// - Parameter askCode: called if the account requires a second factor; returns `nil` if no terminal is available.
    /// - Throws: `AuthError` `usernameTaken` or `emailTaken` if the login is rejected: the password is wrong, or the
    ///   stored name differs in case. Throws `emailTaken` before any login if the account with this e-mail may have
    ///   another username.
    package func unlessExists(
        _ account: NewAccount, checking: Bool, askCode: () throws(AuthError) -> Secret?
    ) throws(AuthError) -> LogInResult {
        var conflict: AuthError
        do throws(AuthError) {
            return try run(account, keepingSession: true, checking: checking)
        } catch {
            let isName = error.fields.contains { $0.field == "username" } || account.isNamedByEmail
            guard
                [.usernameTaken, .phoneTaken].contains(error.reason)
                    || error.reason == .emailTaken && account.isNamedByEmail
                    || error.fact == .nameMayBeTaken && isName
            else { throw error }
            conflict = error
        }
        do throws(AuthError) {
            let password = try converting { () throws(BackendError) in try account.requiredPassword() }
            let credentials = Credentials(login: account.subject, password: password)
            return try LogIn(client).withPassword(credentials, askCode: askCode)
        } catch {
            guard error.reason == .wrongPassword else { throw error }
            guard conflict.fact != .nameMayBeTaken else { throw conflict }
            conflict.message += ", and a login with this password failed"
            if case .accountExists(named: _?) = error.fact { conflict.nextSteps = error.nextSteps }
            throw conflict
        }
    }

    private func completing(_ error: AuthError, _ account: NewAccount) -> AuthError {
        var error = error
        // The account with this e-mail may have a different username, and some sites accept no e-mail at login.
        let isOtherName = error.reason == .emailTaken && account.email != nil && account.username != nil
        let logIn: [String] =
            if account.password == nil {
                ["login", "--send-code"] + .argument(account.email ?? account.subject)
            } else {
                ["login"]
                    + (isOtherName ? [client.settings.backend.value.naming.placeholder] : .argument(account.subject))
            }
        switch error.reason {
        case _ where error.isUnreadableSuccess, .outcomeUnknown:
            error.nextSteps = [
                NextStep(
                    "the account may exist; to check, log in\(account.password == nil ? "" : " with the same password")",
                    run: logIn)
            ]
        case .usernameTaken, .emailTaken, .phoneTaken, .identityTaken:
            error = error.suggesting(NextStep("if that account is yours, log in", run: logIn))
        default: break
        }
        return error
    }

    /// Verifies the address of a pending signup with the key from the e-mail, and logs in.
    ///
    /// - Throws: `AuthError` `notFound` if the login shows that the key was not valid for this account;
    ///   `invalidResponse` or `outcomeUnknown` if nothing shows whether the address is verified.
    package func finish(_ pending: LogInResult, of account: NewAccount, with key: MailKey) throws(AuthError)
        -> LogInResult
    {
        var doubt: AuthError?
        do throws(AuthError) {
            if case .session(let new) = try VerifyEmail(client).run(key: key) {
                return .created(new.user, session: new.session)
            }
        } catch {
            guard error.leavesDoubt else { throw error }
            doubt = error
        }
        let result = try logIn(to: account, pending.user, replacing: try sessions.prepareToSave())
        // A link that names the account needs no other proof than the server's word.
        let isKnown = doubt == nil && key.isOf(User(username: account.username, email: account.email)) == true
        guard result.pending?.step != .emailVerification || isKnown else {
            throw AuthError(
                .notFound, "the link or code is unknown, used, expired or of another account",
                next: NextStep("request a new e-mail", run: ["verify-email"]))
        }
        if let doubt, result.session == nil { throw doubt }
        return result
    }

    /// Checks the username and e-mail of an account before the user enters its password.
    ///
    /// - Throws: `AuthError` `invalidFields` with every fault, if the backend has client-side checks.
    package func requireNames(username: String?, email: String?) throws(AuthError) {
        guard client.settings.backend.value.has(.checksNewAccounts) else { return }
        try require(
            AccountChecks.faults(username: username, email: email), "cannot sign up '\(username ?? email ?? "")'")
    }

    private func require(_ faults: [FieldFault], _ failure: String) throws(AuthError) {
        guard !faults.isEmpty else { return }
        let isPasswordAlone = faults.allSatisfy { $0.field == "password" }
        throw AuthError(
            isPasswordAlone ? .weakPassword : .invalidFields, "\(failure): \(faults.summary)",
            next: "to skip these checks, add --skip-checks", fields: faults)
    }

    private func save(
        _ new: NewSession, of account: NewAccount, replacing earlier: StoredSession?
    ) throws(AuthError) -> LogInResult {
        try sessions.saveOrRevoke(
            new, by: .password, replacing: earlier, done: "account '\(account.subject)' was created",
            logInAgain: .argument(account.subject))
        return .created(new.user, session: new.session)
    }

    /// Logs in to a new account whose signup response contained no session.
    ///
    /// The account exists, so a failed login is a warning and not an error.
    ///
    /// - Parameter email: the e-mail to use as the login name, if the site rejects usernames.
    private func logIn(
        to account: NewAccount, _ user: User, replacing earlier: StoredSession?, as email: String? = nil
    ) throws(AuthError) -> LogInResult {
        let login = email ?? account.subject
        let outcome: LogInOutcome
        do throws(AuthError) {
            let backend = try backends.connect()
            outcome = try backends.call("logging in") { () throws(BackendError) in
                try backend.logIn(Credentials(login: login, password: try account.requiredPassword())).value
            }
            if case .waits(let pending, _) = outcome, pending.step != .emailVerification { throw pending.error }
        } catch {
            if error.fact == .wantsEmail, email == nil, let email = account.email {
                return try logIn(to: account, user, replacing: earlier, as: email)
            }
            // `try?`: without a connection, the login has shown nothing.
            if let backend = try? backends.connect(), backend.awaitsVerification(of: user, after: error) {
                return savePending(.emailVerification, user)
            }
            // If the site issues no session that authctl can use, do not suggest another login: it would also fail.
            let step = NextStep("log in", run: ["login"] + .argument(login))
            client.events.warn(
                "the account was created, but the login failed: \(error.message)",
                next: error.outcome == .unsupported ? nil : step)
            return .created(user)
        }
        switch outcome {
        case .waits(let pending, let named): return savePending(pending, named ?? user)
        case .session(let new): return try save(new, of: account, replacing: earlier)
        }
    }

    private func savePending(_ pending: Pending, _ user: User, hasPassword: Bool = true) -> LogInResult {
        let method: AuthMethod =
            switch pending.step {
            case .emailVerification, .newPassword: .password
            case .phoneVerification: .phoneVerification
            case .logInCode where !hasPassword: .logInCode
            case .logInCode, .secondFactor: .secondFactor
            }
        let isResumable = sessions.pending.save(pending.token, user, by: method)
        return waiting(isResumable ? pending : pending.withoutToken, user)
    }

    private func waiting(_ pending: Pending, _ user: User) -> LogInResult {
        if !pending.isCertain, pending.step != .logInCode {
            client.events.warn("the server does not say whether the e-mail is already taken")
        } else if pending.mayHaveExisted {
            client.events.warn(
                "an account with this address existed, not verified yet: the password of its first signup stays valid")
        }
        return .created(user, pending: pending)
    }
}

extension SignUpOutcome {
    fileprivate var user: User {
        switch self {
        case .session(let new): new.user
        case .waits(_, let user), .created(let user): user
        }
    }
}

extension Backend {
    /// Whether a new account waits for the verification of its e-mail, as the error of its first login shows. If only a
    /// rule of the server demands it, the server sends no e-mail by itself, so the e-mail is requested.
    func awaitsVerification(of user: User, after error: AuthError) -> Bool {
        guard error.fact == .passwordIsRight, user.emailVerified == false, let email = user.email else { return false }
        // `try?`: the account exists, and `verify-email` requests the e-mail again.
        _ = try? sendVerification(email: email, as: .anonymous)
        return true
    }
}

extension AuthError {
    /// The error for a signup that the server answered with the session of an account that existed before.
    static let accountExisted = AuthError(.identityTaken, "the identity belongs to an existing account")
    static let accountWaited = AuthError(.emailTaken, "an account with this address existed, not verified yet")
}

extension Pending {
    fileprivate var withoutToken: Pending {
        Pending(step, isCertain: isCertain, mayHaveExisted: mayHaveExisted)
    }
}

extension NewAccount {
    /// `false` if username and e-mail differ: the account with a taken e-mail may then have another username.
    fileprivate var isNamedByEmail: Bool { username == nil || email == nil || username == email }
}

extension LogInResult {
    fileprivate static func created(_ user: User, session: Session? = nil, pending: Pending? = nil) -> LogInResult {
        LogInResult(
            user: user, session: session, createdAccount: pending.map(\.createdAccount) ?? true, pending: pending)
    }
}

extension BackendProvider {
    /// Requests the kinds of login and signup that the site accepts; `nil` if the server does not publish them.
    package func site() throws(AuthError) -> SiteTraits? {
        guard let backend = try connect() as? any SiteDescribing else { return nil }
        return try call("requesting the site's settings", else: "cannot read the site's settings") {
            () throws(BackendError) in try backend.site()
        }
    }
}
