package import AuthModel

/// How the confirmation of an address ended.
package struct VerificationResult: Sendable, Equatable {
    /// Who is logged in by it now: somebody whose sign-up or log-in was waiting for a code.
    package let user: User?

    package init(user: User?) {
        self.user = user
    }
}

/// What became of a mail that confirms an address.
package struct VerificationMail: Sendable, Equatable {
    package let email: String
    /// Not to an address that is confirmed already.
    package let wasSent: Bool
    /// Whether it holds a code in the place of a link.
    package let holdsCode: Bool
    /// Whether the server says so.
    package let isCertain: Bool

    package init(email: String, wasSent: Bool, holdsCode: Bool = false, isCertain: Bool = true) {
        self.email = email
        self.wasSent = wasSent
        self.holdsCode = holdsCode
        self.isCertain = isCertain
    }
}

/// Addresses confirmed, and mails sent for that: for somebody who waits, who is logged in, or for nobody known.
extension Client {
    /// Confirms an address with the key of its mail, or with a code.
    package func verifyEmail(key: String) throws(AuthError) -> VerificationResult {
        let backend = try ability((any EmailVerifying).self, to: "verify e-mails")
        let pending: StoredSession?
        let earlier: StoredSession?
        let logIn: NewSession?
        do throws(AuthError) {
            guard let backend = backend as? any PendingLoginResuming else {
                try during("confirming the address") { () throws(AuthError) in try backend.verifyEmail(key: key) }
                return VerificationResult(user: nil)
            }
            pending = try pendingLogIn()
            earlier = pending == nil ? nil : try readyToKeep()
            logIn = try verifyEmail(key, pending, backend)
        } catch {
            let error = explain(error, failure: "cannot confirm the address", done: "the address was confirmed")
            guard error.reason == .notFound else { throw error }
            throw error.hinting("have a new mail sent: authctl verify-email\(givenOptions) --email ADDRESS")
        }
        if let logIn {
            let name = logIn.user.displayName?.argumentText ?? "USERNAME"
            try keep(
                logIn, by: pending?.way, replacing: earlier, done: "the address was confirmed",
                again: pending?.way == .facebook ? "--facebook" : name)
        }
        if pending != nil {
            forgetPending()
            warnOfEnvironmentToken()
        }
        return VerificationResult(user: logIn?.user)
    }

    /// As whom waits for it, else as who is logged in, else as nobody.
    private func verifyEmail(
        _ key: String, _ pending: StoredSession?, _ backend: any PendingLoginResuming
    ) throws(AuthError) -> NewSession? {
        let activity = "confirming the address"
        if pending == nil, var active = try activeSessionIfAny() {
            return try ask(activity, with: &active) { session throws(AuthError) in
                try backend.verifyEmail(key: key, as: .session(session))
            }
        }
        return try during(activity) { () throws(AuthError) in
            try backend.verifyEmail(key: key, as: pending.map { .pending($0.session.token) } ?? .anonymous).value
        }
    }

    /// Has the mail sent that confirms an address.
    ///
    /// - Parameter email: `nil` for that of the user who is logging or logged in.
    package func sendVerification(email: String?) throws(AuthError) -> VerificationMail {
        let backend = try ability((any EmailVerifying).self, to: "verify e-mails")
        let pending = backend is any PendingLoginResuming ? try pendingLogIn(of: email) : nil
        let address: String? =
            if let email { email } else if let pending { pending.user.email ?? Self.unknownAddress } else {
                try activeSession().user.email
            }
        guard let address else {
            throw AuthError(.usage, "the account has no e-mail that is known here", hint: "name it with --email")
        }
        do throws(AuthError) {
            let (wasSent, holdsCode) = try sendVerification(to: address, pending, backend)
            return VerificationMail(
                email: address, wasSent: wasSent, holdsCode: holdsCode, isCertain: backend.reportsSentEmails)
        } catch {
            throw explain(
                error, failure: "cannot have a mail sent to '\(address)'", done: "the server was asked for the mail")
        }
    }

    /// What an address is called that only the server knows.
    private static let unknownAddress = "the address of the account"

    private func sendVerification(
        to address: String, _ pending: StoredSession?, _ backend: any EmailVerifying
    ) throws(AuthError) -> (wasSent: Bool, holdsCode: Bool) {
        let activity = "asking for the mail"
        guard let backend = backend as? any PendingLoginResuming else {
            return (
                try during(activity) { () throws(AuthError) in try backend.sendVerification(email: address) }, false
            )
        }
        // Whoever waits, waits for a code: the mail of a link is sent again to those alone who are logged in.
        if let pending, let wasSent = try sendVerification(to: address, asWaiting: pending, backend) {
            return (wasSent, true)
        }
        return (try sendLink(to: address, backend), false)
    }

    private func sendLink(to address: String, _ backend: any PendingLoginResuming) throws(AuthError) -> Bool {
        let activity = "asking for the mail"
        guard var active = try activeSessionIfAny() else {
            return try during(activity) { () throws(AuthError) in
                try backend.sendVerification(email: address, as: .anonymous).value
            }
        }
        return try ask(activity, with: &active) { session throws(AuthError) in
            try backend.sendVerification(email: address, as: .session(session))
        }
    }

    /// - Returns: `nil` if the server does not know any more what was waiting.
    private func sendVerification(
        to address: String, asWaiting pending: StoredSession, _ backend: any PendingLoginResuming
    ) throws(AuthError) -> Bool? {
        let reply: Reply<Bool>
        do throws(AuthError) {
            reply = try during("asking for the mail") { () throws(AuthError) in
                try backend.sendVerification(email: address, as: .pending(pending.session.token))
            }
        } catch {
            guard error.reason.meansDeadSession else { throw error }
            forgetPending()
            return nil
        }
        if let replacement = reply.replacement { keepPending(replacement.token, pending.user, by: pending.way) }
        return reply.value
    }
}
