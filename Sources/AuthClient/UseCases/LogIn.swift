package import AuthModel

package struct LogInResult: Sendable, Equatable {
    package let user: User
    /// `nil` if the account requires verification first, or if no session was requested.
    package let session: Session?
    /// Whether the request created the account; `nil` if the server does not report it.
    package var createdAccount: Bool?
    package var pending: Pending?
    /// The fields filled from the provider's profile; `nil` if filling was not requested.
    package var filled: [String]?
}

extension LogInResult {
    init(_ new: NewSession, filled: [String]? = nil) {
        self.init(user: new.user, session: new.session, createdAccount: new.createdAccount, filled: filled)
    }
}

/// Logs in and saves the session. An earlier saved session is replaced, but stays valid on the server.
package struct LogIn: UseCase {
    let client: Client

    package init(_ client: Client) {
        self.client = client
    }

    /// Logs in with a password, and a username or e-mail address.
    ///
    /// - Parameters:
    ///   - code: the one-time or recovery code of the second factor, if the user specified one.
    ///   - askCode: called if the server then requires a code, such as the one that it sent for the code `request`;
    ///     returns `nil` if no terminal is available.
    package func withPassword(
        _ credentials: Credentials, code: Secret? = nil,
        askCode: () throws(AuthError) -> Secret? = { () throws(AuthError) in nil }
    ) throws(AuthError) -> LogInResult {
        let codes = client.settings.backend.value.codes
        if code != nil, codes.contains(.alone), !codes.contains(.withPassword) {
            throw AuthError(
                .noSession, "no login waits for a one-time code",
                next: NextStep("log in with the password first", run: ["login"] + .argument(credentials.login)))
        }
        if !credentials.fields.isEmpty, !client.settings.backend.value.has(.takesLogInFields) {
            throw AuthError(.unsupported, "this server accepts no fields at login", next: "remove --field")
        }
        if code != nil, !codes.contains(.withPassword) { throw backends.cannot("accept one-time codes") }
        let earlier = try sessions.prepareToSave()
        let credentials = Credentials(
            login: credentials.login, password: credentials.password, known: earlier?.session.loginName,
            fields: credentials.fields)
        sessions.warnOfEnvironmentToken()
        client.warnOfTrimming(credentials.password)
        let new: NewSession
        do throws(AuthError) {
            let backend = try backends.connect()
            var outcome = try backends.call("logging in") { () throws(BackendError) in
                try backend.logIn(credentials, code: code).value
            }
            if case .waits(let pending, _) = outcome, pending.step != .emailVerification {
                outcome = try answer(pending, of: credentials, askCode, backend) ?? outcome
            }
            if case .waits(let pending, _) = outcome, pending.step == .emailVerification {
                let login = credentials.login
                var user = isPhone(login) ? User(phone: login) : User(login: login)
                user.email = user.email ?? knownAddress(of: login)
                sessions.pending.save(pending.token, user, by: .password)
            }
            new = try outcome.session()
        } catch {
            // A usage error comes from the prompt for the code, and already has a complete message.
            guard error.outcome != .usage else { throw error }
            throw error.explaining("cannot log in as '\(credentials.login)'")
                .suggesting(steps(after: error, as: credentials.login))
        }
        try sessions.saveOrRevoke(
            new, by: .password, replacing: earlier, done: "the login as '\(credentials.login)' succeeded",
            logInAgain: .argument(credentials.login))
        noteOtherName(of: new.user, login: credentials.login)
        return LogInResult(new)
    }

    /// Sends the code that a login waits for; `nil` if the user does not enter one.
    private func answer(
        _ pending: Pending, of credentials: Credentials, _ askCode: () throws(AuthError) -> Secret?,
        _ backend: any Backend
    ) throws(AuthError) -> LogInOutcome? {
        let token = pending.token == nil ? nil : try wait(for: pending, of: credentials.login).token
        guard token != nil || client.settings.backend.value.codes.contains(.withPassword), let code = try askCode()
        else { return nil }
        return try backends.call("logging in") { () throws(BackendError) in
            guard let token else { return try backend.logIn(credentials, code: code).value }
            return try backend.resume(token, code: code).value
        }
    }

    /// A server may know a user by several names, such as a staff number.
    private func noteOtherName(of user: User, login: String) {
        guard let name = user.username, !login.looksLikeEmail, !isPhone(login), name.lowercased() != login.lowercased()
        else { return }
        client.events.note("the server knows '\(login)' as user '\(name)'")
    }

    func steps(after error: AuthError, as login: String) -> [NextStep] {
        switch error.reason {
        case .wrongPassword:
            if case .accountExists = error.fact { return stepsToReset(login) }
            let verify = NextStep(
                "if the e-mail is not verified yet, get a new link",
                run: ["verify-email"] + .option("--email", knownAddress(of: login) ?? "ADDRESS"))
            return [sessions.pending.stepToComplete(of: login) ?? signUp(login)]
                + (error.fact == .emailMayBeUnverified ? [verify] : []) + stepsToReset(login)
        case .passwordExpired: return stepsToReset(login)
        case .secondFactorRequired: return [.addCode(.argument(login))]
        case .sessionExpired: return [NextStep("log in again for a new code", run: ["login"] + .argument(login))]
        case .emailUnverified where isPhone(login):
            let verify = ["verify-email"] + .option("--email", login)
            return [
                NextStep("enter the code from the text message", run: verify + ["--key-stdin"]),
                NextStep("get a new code", run: verify),
            ]
        case .emailUnverified:
            return [
                NextStep(
                    "follow the link in the e-mail; to get a new one",
                    run: ["verify-email"] + .option("--email", knownAddress(of: login) ?? "ADDRESS"))
            ]
        default: return []
        }
    }

    private func signUp(_ login: String) -> NextStep {
        let hasName = client.settings.backend.value.naming == .username
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
        let address: [String] = .argument(isPhone(login) ? login : knownAddress(of: login) ?? "ADDRESS")
        return [NextStep("reset the password", run: ["password", "reset"] + address)]
    }

    /// The e-mail that a saved signup or session of this connection has under the name; `nil` if none has.
    private func knownAddress(of login: String) -> String? {
        if login.looksLikeEmail { return login }
        // `try?`: the address only completes a hint.
        let users = [try? sessions.pending.find()?.user, try? sessions.find()?.user]
        return users.compactMap { $0 }.first { $0.username == login && $0.email != nil }?.email
    }

    func isPhone(_ login: String) -> Bool {
        login.looksLikePhone && client.settings.backend.value.has(.takesPhone)
    }

    /// Saves a session that another program created, if the server accepts its token.
    package func withToken(_ token: Secret) throws(AuthError) -> LogInResult {
        let backend = try backends.connect()
        let earlier = try sessions.prepareToSave()
        let new = try client.requestSession("log in with the token") { () throws(BackendError) in
            try backend.logIn(token: token)
        }
        do throws(AuthError) {
            try sessions.save(new, by: nil, replacing: earlier)
        } catch {
            // The session is not revoked, because the program that created it may still use it.
            throw error.explaining("the server accepts the token, but the session could not be saved")
                .suggesting(afterwards: "log in with the token again")
        }
        return LogInResult(new)
    }

    /// Logs in as a user without the user's password.
    ///
    /// - Parameter adminKey: reads the server's master key; returns `nil` for local accounts.
    package func impersonating(
        _ username: String, adminKey: () throws(AuthError) -> Secret?
    ) throws(AuthError) -> LogInResult {
        let backend = try backends.require((any Administering).self, to: "log in without the password")
        let key = try backends.checked(try adminKey())
        let earlier = try sessions.prepareToSave()
        let new = try client.requestSession("log in as '\(username)'") { () throws(BackendError) in
            try backend.administering(with: key) { () throws(BackendError) in
                try backend.logIn(as: try backend.user(named: username, adminKey: key), adminKey: key)
            }
        }
        try sessions.saveOrRevoke(
            new, by: .impersonation, replacing: earlier, done: "the login as '\(username)' succeeded",
            logInAgain: client.settings.impersonation(of: username))
        return LogInResult(new)
    }

    package func anonymously() throws(AuthError) -> LogInResult {
        let backend = try backends.require((any AnonymousLogin).self, to: "create anonymous users")
        let identity = client.randomness.hex(byteCount: 16)
        let earlier = try sessions.prepareToSave()
        let new = try client.requestSession("log in anonymously") { () throws(BackendError) in
            try backend.logInAnonymously(identity: identity)
        }
        try sessions.saveOrRevoke(
            new, by: .anonymous, replacing: earlier, done: "the login as '\(new.user.displayName ?? "")' succeeded",
            logInAgain: ["--anonymous"])
        client.events.warn(
            "this anonymous account has no password: without this session it is lost",
            next: backend.stepToKeepAccount)
        return LogInResult(new)
    }

    /// - Throws: `AuthError` `unsupported` if the word `request` would be sent as a code.
    package func requireCodeOnRequest() throws(AuthError) {
        guard !client.settings.backend.value.codes.contains(.onRequest) else { return }
        throw AuthError(
            .unsupported, "backend '\(client.settings.backendName)' cannot request a code with --otp",
            next: "log in without --otp: if the server sends a code, it does so then")
    }

    /// Has the code that a login waits for sent, and saves the login, so that the code alone finishes it.
    @discardableResult
    func wait(for pending: Pending, of login: String) throws(AuthError) -> Pending {
        let backend = try backends.connect()
        let pending = try backends.call("requesting the code") { () throws(BackendError) in
            try backend.request(pending, of: login)
        }
        sessions.pending.save(pending.token, User(login: login), by: .secondFactor)
        return pending
    }
}
