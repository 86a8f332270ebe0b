package import AuthModel

/// Verifies an e-mail address with the key or code from the verification e-mail.
///
/// For a `PendingLoginResuming` backend, the request contains the token of the pending login, else the token of the
/// current session, else no token. Requests to other backends contain no token.
package struct VerifyEmail {
    private let client: Client
    private let address: String?
    private var sessions: SessionProvider { client.sessions }
    private var backends: BackendProvider { client.backends }

    /// - Parameter address: `nil` for that of the pending signup, else that of the current user.
    package init(_ client: Client, of address: String? = nil) {
        self.client = client
        self.address = address
    }

    /// - Returns: the new session, if the request completed a pending login or changed the e-mail; otherwise `nil`.
    package func run(key: MailKey) throws(AuthError) -> NewSession? {
        let backend = try backends.connect()
        try client.check(key, "cannot verify the e-mail")
        if let backend = backend as? any AddressVerifying { return try verify(key, backend).new }
        if let backend = backend as? any EmailChangeConfirming, backend.changesEmail(key) {
            return try changeEmail(key, backend)
        }
        if sessions.pending.step == .phoneVerification,
            let done = try LogIn(client).finish(code: Secret(key.text), of: nil), let session = done.session
        {
            return NewSession(user: done.user, session: session)
        }
        let key = sessions.completing(key)
        let waiting: StoredSession?
        let pending: StoredSession?
        let earlier: StoredSession?
        let new: NewSession?
        do throws(AuthError) {
            guard let backend = backend as? any PendingLoginResuming else {
                try backends.call("verifying the e-mail") { () throws(BackendError) in
                    try backend.verifyEmail(key: key)
                }
                sessions.pending.delete()
                return nil
            }
            waiting = try sessions.pending.find()
            pending = waiting?.method == .verificationLink ? nil : waiting
            earlier = pending == nil ? nil : try sessions.prepareToSave()
            new = try verify(key, pending, backend)
        } catch {
            var error = sessions.explaining(
                error, failure: "cannot verify the e-mail", done: "the e-mail was verified")
            if error.reason == .notFound {
                error = error.suggesting(requestingEmail)
            } else if error.reason == .invalidResponse {
                if !(backend is any PendingLoginResuming), let isVerified = isVerified(key) {
                    guard isVerified else { throw unknownKey }
                    sessions.pending.delete()
                    return nil
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
        if let new {
            let name = new.user.displayName ?? client.settings.backend.value.naming.placeholder
            try sessions.saveOrRevoke(
                new, by: pending?.method, replacing: earlier, done: "the e-mail was verified",
                logInAgain: pending?.method?.provider.map { $0.loginArguments } ?? .argument(name))
        }
        if waiting != nil {
            sessions.pending.delete()
            sessions.warnOfEnvironmentToken()
        }
        return new
    }

    /// Verifies an address where a code is valid only with its address.
    ///
    /// - Returns: `nil` if the server needs no address. `isComplete` is `false` if another address must be confirmed,
    ///   too.
    package func runWithAddress(key: MailKey) throws(AuthError) -> (new: NewSession?, isComplete: Bool)? {
        guard let backend = try backends.connect() as? any AddressVerifying else { return nil }
        try client.check(key, "cannot verify the e-mail")
        return try verify(key, backend)
    }

    /// The verification starts a session. It is saved unless another session is, and no signup waits.
    private func verify(
        _ key: MailKey, _ backend: any AddressVerifying
    ) throws(AuthError) -> (new: NewSession?, isComplete: Bool) {
        let waiting = try sessions.pending.find()
        let earlier = try sessions.prepareToSave()
        let known = waiting?.user ?? earlier?.user
        let address = address ?? known?.fields["new_email"]?.string ?? known?.email ?? known?.fields["phone"]?.string
        let new = try failing(as: "cannot verify the address") { () throws(AuthError) in
            try backends.call("verifying the address") { () throws(BackendError) in
                try backend.verify(key, of: address)
            }
        }
        guard let new else { return (nil, false) }
        if waiting == nil, let earlier {
            _ = sessions.revokeUnsaved(new.session)
            if earlier.user.id == new.user.id {
                var active = ActiveSession(earlier)
                active.user = new.user
                sessions.saveUser(of: active, insteadOf: ActiveSession(earlier))
            }
            return (nil, true)
        }
        try sessions.saveOrRevoke(
            new, by: .password, replacing: earlier, done: "the address was verified",
            logInAgain: .argument(new.user.displayName ?? ""))
        return (new, true)
    }

    /// - Returns: the new session, if it replaces the saved session of the same user, which the server has revoked.
    private func changeEmail(
        _ key: MailKey, _ backend: any EmailChangeConfirming
    ) throws(AuthError) -> NewSession? {
        let failure = "cannot change the e-mail"
        let password = try sessions.requirePassword(
            or: AuthError(
                .reauthenticationRequired, "\(failure): the server requires the password",
                next: "use --password-file FILE or AUTHCTL_PASSWORD"))
        let earlier = try sessions.prepareToSave()
        let new = try failing(as: failure) { () throws(AuthError) in
            try backends.call("changing the e-mail") { () throws(BackendError) in
                try backend.changeEmail(key: key, password: password)
            }
        }
        if let earlier, sessions.pending.newEmail(of: earlier.user) != nil { sessions.pending.delete() }
        guard let new, let earlier, earlier.user.id == new.user.id else { return nil }
        try sessions.saveOrRevoke(
            new, by: .password, replacing: nil, done: "the e-mail was changed",
            logInAgain: .argument(new.user.displayName ?? ""))
        return new
    }

    private var unknownKey: AuthError {
        AuthError(.notFound, "cannot verify the e-mail: the key is unknown, used or expired", next: requestingEmail)
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
    private func warnOfUnusedEmails(of active: inout ActiveSession, _ backend: any PendingLoginResuming) {
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

    private func verify(
        _ key: MailKey, _ pending: StoredSession?, _ backend: any PendingLoginResuming
    ) throws(AuthError) -> NewSession? {
        let activity = "verifying the e-mail"
        if pending == nil, var active = try sessions.find() {
            let new = try sessions.send(activity, with: &active) { session throws(BackendError) in
                try backend.verifyEmail(key: key, as: .session(session))
            }
            warnOfUnusedEmails(of: &active, backend)
            return new
        }
        return try backends.call(activity) { () throws(BackendError) in
            try backend.verifyEmail(key: key, as: pending.map { .pending($0.session.token) } ?? .anonymous).value
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
    package let holdsCode: Bool
    /// Whether the server confirms that it sent the e-mail.
    package let isCertain: Bool

    package init(email: String, wasSent: Bool, holdsCode: Bool = false, isCertain: Bool = true) {
        self.email = email
        self.wasSent = wasSent
        self.holdsCode = holdsCode
        self.isCertain = isCertain
    }
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

package struct SendVerification {
    private let client: Client
    private var sessions: SessionProvider { client.sessions }
    private var backends: BackendProvider { client.backends }

    package init(_ client: Client) {
        self.client = client
    }

    /// - Parameter email: `nil` for the address of the pending signup or login, or of the current user if none is
    ///   pending.
    package func run(email: String?) throws(AuthError) -> VerificationMail {
        let backend = try backends.connect()
        if let email { try client.requireAddress(email, "cannot request a verification e-mail for '\(email)'") }
        let pending = backend is any PendingLoginResuming ? try sessions.pending.waitingForCode(of: email) : nil
        let address: String? =
            if let email { email } else if let pending {
                pending.user.email ?? Self.unknownAddress
            } else if let waiting = try sessions.pending.find()?.user.email { waiting } else {
                addressOfUser(try sessions.current().user, backend)
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
    private func addressOfUser(_ user: User, _ backend: any Backend) -> String? {
        (backend is any PendingLoginResuming ? sessions.pending.newEmail(of: user) : nil) ?? user.email
    }

    /// Replaces the address in messages if the pending login was saved without an e-mail.
    private static let unknownAddress = "the e-mail of the account"

    private static let lacksAddress = AuthError(
        .usage, "the saved user has no e-mail", next: "add --email ADDRESS")

    private static let activity = "requesting the e-mail"

    private func send(
        to address: String, _ pending: StoredSession?, _ backend: any Backend
    ) throws(AuthError) -> (wasSent: Bool, holdsCode: Bool) {
        guard let backend = backend as? any PendingLoginResuming else {
            let wasSent = try backends.call(Self.activity) { () throws(BackendError) in
                try backend.sendVerification(email: address)
            }
            return (wasSent, false)
        }
        // For a pending login, the server sends a code; otherwise, it sends a link.
        if let pending, let wasSent = try sendCode(to: address, pending, backend) { return (wasSent, true) }
        guard address != Self.unknownAddress else { throw Self.lacksAddress }
        return (try sendLink(to: address, backend), false)
    }

    private func sendLink(to address: String, _ backend: any PendingLoginResuming) throws(AuthError) -> Bool {
        guard var active = try sessions.find() else {
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
        to address: String, _ pending: StoredSession, _ backend: any PendingLoginResuming
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
