package import AuthModel

/// How a signup or log-in ended.
package struct LogInResult: Sendable, Equatable {
    package let user: User
    /// `nil` while something is pending, and where it was not wanted.
    package let session: Session?
    /// `nil`: the server does not say.
    package let createdAccount: Bool?
    package let pending: Pending?
    /// The fields that were filled in with what Facebook tells of the user; `nil`: nobody wanted that.
    package let filled: [String]?

    package init(
        user: User, session: Session?, createdAccount: Bool?, pending: Pending?, filled: [String]? = nil
    ) {
        self.user = user
        self.session = session
        self.createdAccount = createdAccount
        self.pending = pending
        self.filled = filled
    }
}

extension Client {
    /// Starts a session and keeps it; the one kept before is replaced, not ended.
    ///
    /// - Parameters:
    ///   - code: of the second factor, one-time or for recovery, if it is known beforehand.
    ///   - askCode: called when the server wants a code and none is known; answers `nil` where there is nobody to ask.
    package func logIn(
        _ credentials: Credentials, code: Secret? = nil,
        askCode: () throws(AuthError) -> Secret? = { () throws(AuthError) in nil }
    ) throws(AuthError) -> LogInResult {
        let secondFactor = code == nil ? nil : try ability((any SecondFactor).self, to: "take one-time codes")
        let earlier = try readyToKeep()
        warnOfEnvironmentToken()
        warnOfTrimming(credentials.password)
        let outcome: LogInOutcome
        do throws(AuthError) {
            if let code, let secondFactor {
                outcome = try logIn(credentials, code, secondFactor)
            } else {
                outcome = try logIn(credentials, askCode)
            }
        } catch {
            keepPending(error.pendingToken, User(login: credentials.login), by: .password)
            throw explainRefusal(error, of: credentials.login)
        }
        switch outcome {
        case .pending(let pending, let user):
            keepPending(pending.token, user, by: .password)
            return LogInResult(user: user, session: nil, createdAccount: false, pending: pending)
        case .session(let logIn):
            try keep(
                logIn, by: .password, replacing: earlier, done: "the log-in as '\(credentials.login)' succeeded",
                again: credentials.login.argumentText)
            return result(of: logIn)
        }
    }

    /// Keeps a session that was made elsewhere, after the server has told whose it is.
    package func logIn(token: Secret) throws(AuthError) -> LogInResult {
        let backend = try ability((any TokenLogin).self, to: "log in with a token")
        let earlier = try readyToKeep()
        let logIn = try asked("log in with the token") { () throws(AuthError) in try backend.logIn(token: token) }
        do throws(AuthError) {
            try save(logIn, by: nil, replacing: earlier)
        } catch {
            // Not ended at the server: whoever made it may go on using it.
            throw error.explaining("the token is good, but its session could not be kept")
                .hinting(afterwards: "log in with it again")
        }
        return result(of: logIn)
    }

    /// Makes an account for somebody who does not say who they are.
    package func logInAnonymously() throws(AuthError) -> LogInResult {
        let backend = try ability((any AnonymousLogin).self, to: "make anonymous accounts")
        let identity = randomness.hex(byteCount: 16)
        let earlier = try readyToKeep()
        let logIn = try asked("log in anonymously") { () throws(AuthError) in
            try backend.logInAnonymously(identity: identity)
        }
        let name = logIn.user.displayName ?? ""
        try keep(
            logIn, by: .anonymous, replacing: earlier, done: "the log-in as '\(name)' succeeded", again: "--anonymous")
        events.warn("whoever loses this session loses the account: it has no password")
        return result(of: logIn)
    }

    private func logIn(
        _ credentials: Credentials, _ askCode: () throws(AuthError) -> Secret?
    ) throws(AuthError) -> LogInOutcome {
        let backend = try backend
        do throws(AuthError) {
            return try during("logging in") { () throws(AuthError) in
                try backend.logIn(credentials).value
            }
        } catch {
            guard error.reason == .secondFactorRequired, let secondFactor = backend as? any SecondFactor,
                let code = try askCode()
            else { throw error }
            return try logIn(credentials, code, secondFactor)
        }
    }

    private func logIn(
        _ credentials: Credentials, _ code: Secret, _ backend: any SecondFactor
    ) throws(AuthError) -> LogInOutcome {
        try during("logging in") { () throws(AuthError) in
            try backend.logIn(credentials, code: code).value
        }
    }

    func asked(
        _ activity: String, _ ask: () throws(AuthError) -> Reply<NewSession>
    ) throws(AuthError) -> NewSession {
        warnOfEnvironmentToken()
        do throws(AuthError) {
            return try during("logging in") { () throws(AuthError) in try ask().value }
        } catch {
            throw error.explaining("cannot \(activity)")
        }
    }

    func result(of logIn: NewSession, filled: [String]? = nil) -> LogInResult {
        LogInResult(
            user: logIn.user, session: logIn.session, createdAccount: logIn.createdAccount, pending: nil,
            filled: filled)
    }

    /// Makes sure that a session could be kept before the server is asked for one, and finds the one kept so far.
    func readyToKeep() throws(AuthError) -> StoredSession? {
        let earlier = try store.load(profile)
        try store.prepare()
        return earlier
    }

    /// Stores a new session. If that fails, it is ended at the server again, or said to be alive there.
    ///
    /// - Parameter again: the words that `authctl login` needs for another one.
    func keep(
        _ logIn: NewSession, by way: AuthMethod?, replacing earlier: StoredSession?, done: String, again: String
    ) throws(AuthError) {
        do throws(AuthError) {
            try save(logIn, by: way, replacing: earlier)
        } catch {
            let ended = isEnded(logIn)
            let rest = ended ? "and was ended again" : "and is still alive at the server"
            throw error.explaining("\(done), but its session could not be kept \(rest)")
                .hinting(afterwards: "log in: authctl login\(givenOptions) \(again)")
        }
    }

    private func save(_ logIn: NewSession, by way: AuthMethod?, replacing earlier: StoredSession?) throws(AuthError) {
        let active = ActiveSession(session: logIn.session, user: logIn.user, source: .file, way: way)
        if try store.save(stored(active)) { warnOfLooseFiles() }
        forgetPending()
        noteEnd(of: logIn.session)
        if let earlier, earlier.session.token != logIn.session.token {
            events.note(
                "the session kept before\(earlier.user.displayName.map { " ('\($0)')" } ?? "") was replaced; it was not ended at the server"
            )
        }
    }

    /// A backend that can renew its short sessions makes one expect that this one is.
    private func noteEnd(of session: Session) {
        // `try?`: there is a backend, since it gave the session.
        guard session.refreshToken == nil, let end = session.expiresAt, end < clock.now().adding(.seconds(86_400)),
            (try? backend) is any SessionRefreshing
        else { return }
        events.note("this session ends at \(end.text): it came without what would renew it")
    }

    private func isEnded(_ logIn: NewSession) -> Bool {
        // `try?`: without a backend nothing is ended. What all devices share is not this command's to end, unless it
        // made the account.
        let isOthers = (try? backend.sharesAmongDevices(logIn.session)) ?? true
        return (logIn.createdAccount == true || !isOthers) && isEnded(logIn.session)
    }

    func isEnded(_ session: Session) -> Bool {
        // `try?`: whatever the answer is if not "ended", the session must be called alive.
        (try? backend.logOut(session).value).map { $0 == .yes || $0 == .already } ?? false
    }

    private func explainRefusal(_ error: AuthError, of login: String) -> AuthError {
        // Of a question that nobody answered: the words are its own.
        guard error.outcome != .usage else { return error }
        let error = error.explaining("cannot log in as '\(login)'")
        return switch error.reason {
        case .wrongPassword: error.hinting(waysOut(of: login))
        case .emailUnverified where error.pendingToken != nil: explainUnverified(error)
        case .emailUnverified:
            error.hinting("follow the link in the mail, or have it sent again: \(verification(of: login))")
        case .secondFactorRequired:
            error.hinting(
                "give the one-time code, or a recovery code: "
                    + "authctl login\(givenOptions) --otp CODE \(login.argumentText)")
        default: error
        }
    }

    /// Of a log-in that waits for what a mail holds.
    func explainUnverified(_ error: AuthError) -> AuthError {
        guard error.reason == .emailUnverified, error.pendingToken != nil else { return error }
        return error.hinting(
            "a mail is on its way: follow its link, or give its code: authctl verify-email\(givenOptions) --key CODE")
    }

    /// What somebody may do whose user name and password are wrong.
    private func waysOut(of login: String) -> String {
        let isEmail = login.utf8.contains(UInt8(ascii: "@"))
        let hasName = settings.backend.value.naming == .username
        let byEmail = (hasName ? "USERNAME " : "") + login.emailOption
        let isPhone = login.hasPrefix("+") && settings.backend.value.takesPhone
        let byName = isPhone ? "--phone \(login.shellQuoted)" : login.argumentText + (hasName ? "" : " --email ADDRESS")
        let account = isEmail ? byEmail : byName
        let address = isEmail || isPhone ? login.argumentText : "ADDRESS"
        return "no account yet? make one: authctl signup\(givenOptions) \(account); "
            + "forgot the password? choose another: authctl password reset\(givenOptions) \(address)"
    }

    private func verification(of login: String) -> String {
        let address = login.utf8.contains(UInt8(ascii: "@")) ? login : "ADDRESS"
        return "authctl verify-email\(givenOptions) \(address.emailOption)"
    }

    private func warnOfLooseFiles() {
        events.warn("other users could read the session files until now; they are closed again")
    }
}

extension Client {
    /// Says that a command works on the stored session although another one is in use.
    func warnOfEnvironmentToken() {
        guard let environmentToken else { return }
        let clause = Origin.environment(environmentToken.variable).clause
        events.warn("the session\(clause) outranks the stored one; this command works on the stored one")
    }
}

extension String {
    /// As one argument of a command to copy.
    var argumentText: String { hasPrefix("-") ? "-- \(shellQuoted)" : shellQuoted }

    /// As the value of `--email` in a command to copy.
    fileprivate var emailOption: String { hasPrefix("-") ? "--email=\(shellQuoted)" : "--email \(shellQuoted)" }
}
