package import AuthModel

extension Client {
    /// Makes an account, and keeps its session unless that is not wanted.
    package func signUp(
        _ account: NewAccount, keepingSession: Bool, checking: Bool
    ) throws(AuthError) -> LogInResult {
        let failure = "cannot create account '\(account.subject)'"
        if checking { try check(account, failure) }
        let earlier = keepingSession ? try readyToKeep() : nil
        warnOfTrimming(account.password)
        let outcome: SignUpOutcome
        do throws(AuthError) {
            outcome = try during("creating the account") { () throws(AuthError) in
                try backend.signUp(account).value
            }
        } catch {
            throw explainRefusal(error.explaining(failure), of: account)
        }
        switch outcome {
        case .pending(let pending, let user) where keepingSession: return keep(pending, user)
        // A code would end in a session that nobody wants.
        case .pending(let pending, let user):
            return keep(Pending(pending.step, isCertain: pending.isCertain), user)
        case .created(let user) where keepingSession: return try logIn(to: account, user, replacing: earlier)
        case .created(let user): return .created(user)
        case .session(let logIn) where keepingSession: return try keep(logIn, of: account, replacing: earlier)
        case .session(let logIn):
            endUnwanted(logIn.session)
            return .created(logIn.user)
        }
    }

    private func keep(
        _ logIn: NewSession, of account: NewAccount, replacing earlier: StoredSession?
    ) throws(AuthError) -> LogInResult {
        let subject = account.subject
        try keep(
            logIn, by: .password, replacing: earlier, done: "account '\(subject)' was created",
            again: subject.argumentText)
        return .created(logIn.user, session: logIn.session)
    }

    /// Logs in to an account that was just made, without a session that could be used.
    ///
    /// The account is made, whatever comes: a refusal is warned of, and is no failure.
    private func logIn(
        to account: NewAccount, _ user: User, replacing earlier: StoredSession?
    ) throws(AuthError) -> LogInResult {
        let outcome: LogInOutcome
        do throws(AuthError) {
            outcome = try during("logging in") { () throws(AuthError) in
                try backend.logIn(Credentials(login: account.subject, password: account.password)).value
            }
        } catch {
            if error.reason == .emailUnverified {
                return keep(Pending(.emailVerification, token: error.pendingToken), user)
            }
            // Where there are no sessions for us, another try is in vain.
            let advice =
                error.outcome == .unsupported
                ? "" : "; log in: authctl login\(givenOptions) \(account.subject.argumentText)"
            events.warn("the account was created, but logging in failed: \(error.message)\(advice)")
            return .created(user)
        }
        switch outcome {
        case .pending(let pending, let user): return keep(pending, user)
        case .session(let logIn): return try keep(logIn, of: account, replacing: earlier)
        }
    }

    private func keep(_ pending: Pending, _ user: User) -> LogInResult {
        let canGoOn = keepPending(pending.token, user, by: .password)
        let pending = canGoOn ? pending : Pending(pending.step, isCertain: pending.isCertain)
        if !pending.isCertain { events.warn("the server does not say whether somebody has that address already") }
        return .created(user, pending: pending)
    }

    private func check(_ account: NewAccount, _ failure: String) throws(AuthError) {
        guard settings.backend.value.checksNewAccounts else { return }
        let faults = AccountChecks.faults(of: account)
        guard !faults.isEmpty else { return }
        let isPasswordAlone = faults.allSatisfy { $0.field == "password" }
        let summary =
            faults.count == 1 ? "\(faults[0].field) \(faults[0].message)" : "\(faults.count) things must be changed"
        throw AuthError(
            isPasswordAlone ? .weakPassword : .invalidFields, "\(failure): \(summary)",
            hint: "fix that and try again, or leave the check to the server with --skip-checks", fields: faults)
    }

    private func endUnwanted(_ session: Session) {
        if !isEnded(session) { events.warn("the session that came with the account could not be ended") }
    }

    private func explainRefusal(_ error: AuthError, of account: NewAccount) -> AuthError {
        let taken = error.reason == .emailTaken ? account.email : nil
        let logIn = "authctl login\(givenOptions) \((taken ?? account.subject).argumentText)"
        switch error.reason {
        case _ where error.isUnreadableSuccess, .outcomeUnknown:
            var error = error
            error.hint = "the account may exist: find out by logging in with the same password: \(logIn)"
            return error
        case .usernameTaken, .emailTaken, .identityTaken: return error.hinting("is it yours? log in: \(logIn)")
        default: return error
        }
    }
}

extension NewAccount {
    /// How to speak of it, and to log in to it: the name, else the e-mail, else the phone number.
    fileprivate var subject: String { username ?? email ?? phone ?? "" }
}

extension LogInResult {
    fileprivate static func created(_ user: User, session: Session? = nil, pending: Pending? = nil) -> LogInResult {
        LogInResult(user: user, session: session, createdAccount: true, pending: pending)
    }
}

extension AuthError {
    /// Whether the server agreed to what was asked, in words that cannot be read.
    var isUnreadableSuccess: Bool {
        reason == .brokenAnswer && (server.map { (200..<300).contains($0.status) } ?? false)
    }
}
