package import AuthModel

/// Logins that wait for a code or a link, in the same process or in a later one.
extension LogIn {
    private var codes: LogInCodes { client.settings.backend.value.codes }

    /// - Throws: `AuthError` `unsupported` if no login of the backend goes without a password.
    package func requireCodes() throws(AuthError) {
        guard codes.contains(.withoutPassword) else { throw backends.cannot("log in without a password by a code") }
    }

    /// Has the server send a code or a link in place of a password, and saves the login that waits for it.
    package func sendCode(to address: String) throws(AuthError) -> LogInResult {
        try requireCodes()
        let failure = "cannot send a code to '\(address)'"
        guard address.looksLikeEmail || address.looksLikePhone else {
            let fault = FieldFault("email", "is not an address")
            throw AuthError(
                .invalidFields, "\(failure): \(fault.sentence)", next: "use the e-mail of the account", fields: [fault])
        }
        _ = try sessions.prepareToSave()
        let backend = try backends.connect()
        let pending: Pending
        do throws(AuthError) {
            pending = try backends.call("requesting the code", else: failure) { () throws(BackendError) in
                try backend.request(Pending(.logInCode), of: address)
            }
        } catch {
            throw error.reason == .notFound
                ? error.suggesting(NextStep("create an account", run: ["signup", "--send-code"] + .argument(address)))
                : error
        }
        let user = user(of: address)
        sessions.pending.save(pending.token, user, by: .logInCode)
        return LogInResult(user: user, session: nil, createdAccount: nil, pending: pending)
    }

    private func user(of address: String) -> User {
        address.looksLikePhone ? User(phone: address) : User(email: address)
    }

    /// Finishes a login that waits for a code.
    ///
    /// - Parameters:
    ///   - login: the name of the login; `nil` for any name.
    ///   - hasPassword: whether the user gives a password, too. A code beside it is then that of a second factor.
    /// - Returns: `nil` if no login waits for the code.
    package func finish(code: Secret, of login: String?, hasPassword: Bool = false) throws(AuthError) -> LogInResult? {
        if let waiting = try sessions.pending.waitingForLogInCode(of: login) {
            guard !hasPassword || waiting.method != .logInCode || !codes.contains(.withPassword) else { return nil }
            return try finish(waiting, code: code)
        }
        // A signup without a password waits for the verification of its e-mail.
        guard !hasPassword, codes.contains(.withoutPassword), client.settings.backend.value.verification == .requester,
            try sessions.pending.waitingForCode(of: login) != nil
        else { return nil }
        return try verify(MailKey(code.reveal()), of: login)
    }

    private func verify(_ key: MailKey, of address: String?) throws(AuthError) -> LogInResult {
        guard case .session(let new) = try VerifyEmail(client, of: address).run(key: key) else {
            throw AuthError(
                .noSession, "the e-mail is verified, but the server has not logged the user in",
                next: .sendCode(to: address ?? "ADDRESS"))
        }
        return LogInResult(new)
    }

    /// Finishes a login without a password.
    ///
    /// - Parameters:
    ///   - key: the code or the link.
    ///   - address: `nil` for that of the login that waits.
    ///   - pending: the login that this command has begun; `nil` for the saved one.
    package func finish(
        _ key: MailKey, of address: String?, with pending: Pending? = nil
    ) throws(AuthError) -> LogInResult {
        try requireCodes()
        if pending?.step == .emailVerification { return try verify(key, of: address) }
        guard key.link == nil || codes.contains(.withAddress) else {
            throw AuthError(.usage, "cannot log in: the server sends codes, and this is a link")
        }
        try client.check(key, "cannot log in")
        let code = Secret(key.text)
        if pending == nil, let result = try finish(code: code, of: address) { return result }
        // Without a login that waits, the address is sufficient for some servers.
        let token = pending?.token ?? (codes.contains(.withAddress) ? address.map(Secret.forAddress) : nil)
        guard let address, let token else { throw noPendingLogin(of: address) }
        let method: AuthMethod = pending?.step == .phoneVerification ? .phoneVerification : .logInCode
        return try finish(sessions.stored(Session(token: token), user(of: address), by: method), code: code)
    }

    package func noPendingLogin(of address: String?) -> AuthError {
        let other = sessions.pending.name
        return AuthError(
            .usage,
            "no login \(address.map { "of '\($0)' " } ?? "")waits for a code"
                + (other.map { ", but one of '\($0)' does" } ?? ""),
            next: NextStep("request one", run: ["login", "--send-code"] + .argument(address ?? "ADDRESS")))
    }

    private func finish(_ waiting: StoredSession, code: Secret) throws(AuthError) -> LogInResult {
        let backend = try backends.connect()
        let earlier = try sessions.prepareToSave()
        let name = waiting.user.displayName ?? ""
        let outcome: LogInOutcome
        do throws(AuthError) {
            outcome = try client.requestSession("log in as '\(name)'") { () throws(BackendError) in
                try backend.resume(waiting.session.token, code: code)
            }
        } catch {
            // If the account needs a second factor that cannot follow, the code is used up.
            let isUsed = error.reason == .secondFactorRequired && waiting.method == .logInCode
            if error.reason.meansInvalidSession || isUsed { sessions.pending.delete() }
            throw error.completing(waiting)
        }
        let new: NewSession
        switch outcome {
        case .session(let session): new = session
        case .waits(let pending, _):
            sessions.pending.save(
                pending.token ?? waiting.session.token, waiting.user,
                by: pending.step == .emailVerification ? .password : .secondFactor)
            throw pending.error.explaining("cannot log in as '\(name)'")
                .suggesting(steps(after: pending.error, as: name))
        }
        if waiting.method == .logInCode {
            guard backend.hasAddress(name, new) else {
                _ = sessions.revokeUnsaved(new)
                throw AuthError(
                    .wrongCode, "cannot log in as '\(name)': the code or link is of another account",
                    next: .sendCode(to: name))
            }
        }
        try sessions.saveOrRevoke(
            new, by: .password, replacing: earlier, done: "the login as '\(name)' succeeded",
            logInAgain: waiting.method == .logInCode ? ["--send-code"] + .argument(name) : .argument(name))
        return LogInResult(new)
    }
}

extension Backend {
    /// Whether the account of a session has the e-mail address or phone number, such as one of several e-mails.
    func hasAddress(_ address: String, _ new: NewSession) -> Bool {
        let wanted = address.lowercased()
        // Some servers write phone numbers without `+`.
        if new.user.email?.lowercased() == wanted { return true }
        if let phone = new.user.phone, phone == address || "+\(phone)" == address { return true }
        // `try?`: an address that is not shown is none.
        let others = try? (self as? any EmailChoosing)?.otherVerifiedEmails(of: new.session).value
        return others?.contains { $0.lowercased() == wanted } ?? false
    }
}

extension AuthError {
    /// The error of the code of a login that waits for it.
    func completing(_ waiting: StoredSession) -> AuthError {
        let name = waiting.user.displayName ?? ""
        var error = self
        if waiting.method == .logInCode {
            if reason.meansInvalidSession {
                error.reason = .wrongCode
                error.message = "cannot log in as '\(name)': the code has expired, or wrong ones were tried too often"
            }
            switch error.reason {
            case .wrongCode: error.nextSteps = [.sendCode(to: name)]
            case .rateLimited:
                var step = NextStep.sendCode(to: name)
                step.sentence = "after some minutes, \(step.sentence)"
                error.nextSteps = [step]
            case .secondFactorRequired:
                error.nextSteps = [NextStep("log in with the password", run: ["login"] + .argument(name))]
            default: break
            }
        } else if reason.meansInvalidSession || reason == .rateLimited {
            error.nextSteps = [NextStep("log in again for a new code", run: ["login"] + .argument(name))]
        }
        return error
    }
}

extension NextStep {
    static func sendCode(to address: String) -> NextStep {
        NextStep("get a new code", run: ["login", "--send-code"] + .argument(address))
    }
}
