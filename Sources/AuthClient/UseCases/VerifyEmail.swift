package import AuthModel

/// Verifies an address with the key or code from the verification e-mail.
///
/// What the request contains besides the key depends on the kind of backend, see `VerificationNeed`: the token of the
/// pending login, else that of the current session; the address; or nothing.
package struct VerifyEmail: UseCase {
    let client: Client
    private let address: String?
    private var need: VerificationNeed { client.settings.backend.value.verification }
    private var what: String { need == .address ? "address" : "e-mail" }

    /// - Parameter address: `nil` for that of the pending signup, else that of the current user.
    package init(_ client: Client, of address: String? = nil) {
        self.client = client
        self.address = address
    }

    /// - Returns: the result; with a session only if the session was saved.
    package func run(key: MailKey) throws(AuthError) -> Verification {
        try client.check(key, "cannot verify the e-mail")
        if need != .address, sessions.pending.step == .phoneVerification,
            let done = try LogIn(client).finish(code: Secret(key.text), of: nil), let session = done.session
        {
            return .session(NewSession(user: done.user, session: session))
        }
        let key = sessions.completing(key)
        let waiting: StoredSession?
        let pending: StoredSession?
        let earlier: StoredSession?
        let result: Verification
        do throws(AuthError) {
            waiting = need == .nothing ? nil : try sessions.pending.find()
            pending = waiting?.method == .verificationLink ? nil : waiting
            earlier = pending != nil || need == .address ? try sessions.prepareToSave() : nil
            result = try send(key, pending, of: waiting?.user ?? earlier?.user)
        } catch {
            if error.fact == .wantsPassword { return try changeEmail(key, error) }
            return try recover(from: error, key)
        }
        switch result {
        case .otherAddressMissing: return result
        case .done, .changedEmail: break
        case .session(let new):
            // The verification has started a session, although no signup waits, and another session is saved.
            if waiting == nil, let earlier {
                _ = sessions.revokeUnsaved(new.session)
                if earlier.user.id == new.user.id {
                    var active = ActiveSession(earlier)
                    active.user = new.user
                    sessions.saveUser(of: active, insteadOf: ActiveSession(earlier))
                }
                return .done
            }
            let name = new.user.displayName ?? client.settings.backend.value.naming.placeholder
            try sessions.saveOrRevoke(
                new, by: pending.map(\.method) ?? .password, replacing: earlier, done: "the \(what) was verified",
                logInAgain: pending?.method?.provider.map { $0.loginArguments } ?? .argument(name))
        }
        if waiting != nil || need == .nothing { sessions.pending.delete() }
        if waiting != nil { sessions.warnOfEnvironmentToken() }
        return result
    }

    /// - Parameter user: the user of the pending signup, else of the session.
    private func send(
        _ key: MailKey, _ pending: StoredSession?, of user: User?
    ) throws(AuthError) -> Verification {
        let backend = try backends.connect()
        let activity = "verifying the \(what)"
        if need == .requester, pending == nil, var active = try sessions.find() {
            let result = try sessions.send(activity, with: &active) { session throws(BackendError) in
                try backend.verify(key, VerificationProof(as: .session(session)))
            }
            warnOfUnusedEmails(of: &active, backend)
            return result
        }
        let known = user?.fields["new_email"]?.string ?? user?.email ?? user?.phone
        let proof = VerificationProof(
            address: address ?? known, as: pending.map { .pending($0.session.token) } ?? .anonymous)
        return try backends.call(activity) { () throws(BackendError) in try backend.verify(key, proof).value }
    }

    /// - Returns: `done` if the session's user shows that the address is verified.
    private func recover(from error: AuthError, _ key: MailKey) throws(AuthError) -> Verification {
        var error = sessions.explaining(
            error, failure: "cannot verify the \(what)", done: "the \(what) was verified")
        if error.reason == .notFound {
            error = error.suggesting(requestingEmail)
        } else if error.reason == .invalidResponse {
            if need == .nothing, let isVerified = isVerified(key) {
                guard isVerified else {
                    throw AuthError(
                        .notFound, "cannot verify the e-mail: the key is unknown, used or expired",
                        next: requestingEmail)
                }
                sessions.pending.delete()
                return .done
            }
            // The key may be used up, so do not suggest repeating the request.
            // `try?`: without a readable session, suggest `login`, which also shows whether the e-mail is verified.
            let hasSession = ((try? sessions.find()) ?? nil) != nil
            error.nextSteps = [
                NextStep("the e-mail may be verified; to check", run: [hasSession ? "whoami" : "login"])
            ]
        }
        throw error
    }

    /// Changes the e-mail with a key that needs the password, too. Saves the new session only in place of the saved one of
    /// the same user, which the server has revoked.
    ///
    /// - Parameter refusal: the error of the key alone.
    private func changeEmail(_ key: MailKey, _ refusal: AuthError) throws(AuthError) -> Verification {
        let failure = "cannot change the e-mail"
        let backend = try backends.connect()
        let password = try sessions.requirePassword(or: refusal.explaining(failure))
        let earlier = try sessions.prepareToSave()
        let result = try backends.call("changing the e-mail", else: failure) { () throws(BackendError) in
            try backend.verify(key, VerificationProof(password: password)).value
        }
        if let earlier, sessions.pending.newEmail(of: earlier.user) != nil { sessions.pending.delete() }
        guard case .changedEmail(let new?) = result, let earlier, earlier.user.id == new.user.id else {
            return .changedEmail(nil)
        }
        try sessions.saveOrRevoke(
            new, by: .password, replacing: nil, done: "the e-mail was changed",
            logInAgain: .argument(new.user.displayName ?? ""))
        return result
    }

    private var requestingEmail: NextStep {
        let address = address ?? client.addressToVerify ?? "ADDRESS"
        return NextStep("request a new e-mail", run: ["verify-email"] + .option("--email", address))
    }

    /// Asks the server whether the e-mail of the current session's user is verified; `nil` if the address or the link is
    /// not of this user, or if the server does not say.
    private func isVerified(_ key: MailKey) -> Bool? {
        // `try?`: the next step of the error is to check the user, which reports these errors.
        guard var active = (try? sessions.find()) ?? nil, let user = try? sessions.fetchUser(with: &active),
            key.isOf(user) != false, let address = address ?? client.addressToVerify,
            address.lowercased() == user.email?.lowercased()
        else { return nil }
        return user.emailVerified
    }

    /// Names the command that finishes a change of the e-mail, if the account still has its old one.
    private func warnOfUnusedEmails(of active: inout ActiveSession, _ backend: any Backend) {
        guard let backend = backend as? any EmailChoosing else { return }
        // `try?`: the e-mail is verified, even if the addresses cannot be listed.
        let others = try? sessions.send("listing the e-mails", with: &active) { session throws(BackendError) in
            try backend.otherVerifiedEmails(of: session)
        }
        let awaited = sessions.pending.newEmail(of: active.user)
        for email in others ?? [] where awaited == nil || email == awaited {
            client.events.warn(
                "the e-mail of the account is still another one than '\(email)'",
                next: NextStep("to change it", run: ["account", "update"] + .option("--email", email)))
        }
    }
}

extension SessionProvider {
    /// Adds the username of the current session to the key if its link lacks it.
    func completing(_ key: MailKey) -> MailKey {
        var key = key
        // `try?`: without a readable session, the link is sent as it is.
        if key.lacksUsername { key.owner = ((try? find()) ?? nil)?.user.username }
        return key
    }
}

package struct VerificationMail: Sendable, Equatable {
    package let email: String
    /// `false` if the address is already verified.
    package let wasSent: Bool
    /// Whether the e-mail contains a code instead of a link.
    package var holdsCode = false
    /// Whether the server confirms that it sent the e-mail.
    package var isCertain = true
}

extension Client {
    /// The address of the pending signup or login, the new one of the current user, or the user's own; `nil` if none is
    /// known.
    package var addressToVerify: String? { accountToVerify.addresses.first }

    /// The account of the pending signup or login, else of the session, with its addresses.
    package var accountToVerify: (user: User, addresses: [String]) {
        // `try?`: the caller works without an account.
        if let user = try? sessions.pending.find()?.user, let email = user.email { return (user, [email]) }
        let (user, addresses) = accountOfSession
        return (user, [sessions.pending.newEmail(of: user)].compactMap(\.self) + addresses)
    }

    /// The account of the session, with its address.
    package var accountOfSession: (user: User, addresses: [String]) {
        // `try?`: the caller works without an account.
        let user = (try? sessions.find()?.user) ?? User()
        return (user, [user.email].compactMap(\.self))
    }
}

package struct SendVerification: UseCase {
    let client: Client
    private var usesTokens: Bool { client.settings.backend.value.verification == .requester }

    package init(_ client: Client) {
        self.client = client
    }

    /// - Parameter email: `nil` for the address of the pending signup or login, or of the current user if none is
    ///   pending.
    package func run(email: String?) throws(AuthError) -> VerificationMail {
        let backend = try backends.connect()
        if let email { try client.requireAddress(email, "cannot request a verification e-mail for '\(email)'") }
        let pending = usesTokens ? try sessions.pending.waitingForCode(of: email) : nil
        let address: String? =
            if let email { email } else if let pending {
                pending.user.email ?? Self.unknownAddress
            } else if let waiting = try sessions.pending.find()?.user.email { waiting } else {
                addressOfUser(try sessions.current().user)
            }
        guard let address else { throw Self.lacksAddress }
        do throws(AuthError) {
            let (wasSent, holdsCode) = try send(to: address, pending, backend)
            return VerificationMail(
                email: address, wasSent: wasSent, holdsCode: holdsCode, isCertain: backend.reportsSentEmails)
        } catch {
            throw sessions.explaining(
                error,
                failure: "cannot request a verification e-mail for "
                    + (address == Self.unknownAddress ? address : "'\(address)'"),
                done: "the e-mail was requested")
        }
    }

    /// The user's new address, if its e-mail can be requested again.
    private func addressOfUser(_ user: User) -> String? {
        (usesTokens ? sessions.pending.newEmail(of: user) : nil) ?? user.email
    }

    /// Replaces the address in messages if the pending login was saved without an e-mail.
    private static let unknownAddress = "the e-mail of the account"

    private static let lacksAddress = AuthError(
        .usage, "the saved user has no e-mail", next: "add --email ADDRESS")

    private static let activity = "requesting the e-mail"

    private func send(
        to address: String, _ pending: StoredSession?, _ backend: any Backend
    ) throws(AuthError) -> (wasSent: Bool, holdsCode: Bool) {
        // For a pending login, the server sends a code; otherwise, it sends a link.
        if let pending, let wasSent = try sendCode(to: address, pending, backend) { return (wasSent, true) }
        guard address != Self.unknownAddress else { throw Self.lacksAddress }
        return (try sendLink(to: address, backend), false)
    }

    private func sendLink(to address: String, _ backend: any Backend) throws(AuthError) -> Bool {
        guard usesTokens, var active = try sessions.find() else {
            return try backends.call(Self.activity) { () throws(BackendError) in
                try backend.sendVerification(email: address, as: .anonymous).value
            }
        }
        return try sessions.send(Self.activity, with: &active) { session throws(BackendError) in
            try backend.sendVerification(email: address, as: .session(session))
        }
    }

    /// - Returns: `nil` if the pending login is no longer valid on the server.
    private func sendCode(
        to address: String, _ pending: StoredSession, _ backend: any Backend
    ) throws(AuthError) -> Bool? {
        let reply: Reply<Bool>
        do throws(AuthError) {
            reply = try backends.call(Self.activity) { () throws(BackendError) in
                try backend.sendVerification(email: address, as: .pending(pending.session.token))
            }
        } catch {
            guard error.reason.meansInvalidSession else { throw error }
            sessions.pending.delete()
            return nil
        }
        if let replacement = reply.replacement {
            sessions.pending.save(replacement.token, pending.user, by: pending.method)
        }
        return reply.value
    }
}
