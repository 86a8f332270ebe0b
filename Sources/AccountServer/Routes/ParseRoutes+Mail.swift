import JSON
internal import Platform
internal import Transport

extension ParseRoutes {
    /// `POST /requestPasswordReset` with `email` -> 200 `{}`, even for an unknown address; error codes: 125, 204;
    /// status 429 after too many requests; status 500 if the server is not configured to send e-mail.
    func requestPasswordReset(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        let outlet = try requiredOutlet()
        // Parse also accepts a `token` instead of the address. This server rejects such a request with error code 125.
        let email = try email(in: request, orElse: "token")
        try countMail(to: email)
        try afterResponse { () throws(RequestError) in
            try self.send(.resetPassword, to: email, of: self.users.user(email: email), by: outlet)
        }
        return ParseResponses.json([:])
    }

    /// `POST /verificationEmailRequest` with `email` -> 200 `{}`; error codes: 125, 204; status 429 after too many
    /// requests; status 500 if the server is not configured to send e-mail.
    ///
    /// In a request from this process, as in Parse Server, an unknown address fails with code 205 and a verified
    /// address with -1. Over HTTP, both succeed, so that the response reveals nothing about an address.
    func requestVerification(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        let outlet = try requiredOutlet()
        let email = try email(in: request)
        guard Mail.isDeliverable(email) else { throw .refused(.emailInvalid) }
        try countMail(to: email)
        try afterResponse { () throws(RequestError) in
            let user = try self.users.user(email: email)
            if self.settings.isInProcess {
                guard let user else { throw .refused(205, "No user found with email \(email)") }
                if user.isEmailVerified == true { throw .refused(-1, "Email \(email) is already verified.") }
            }
            try self.send(.verifyEmail, to: email, of: user?.isEmailVerified == true ? nil : user, by: outlet)
        }
        return ParseResponses.json([:])
    }

    /// Runs `work` whose time tells whether an address has an account.
    private func afterResponse(_ work: @escaping @Sendable () throws(RequestError) -> Void) throws(RequestError) {
        guard let queue = settings.mailQueue else { return try work() }
        queue.add { [file = settings.database] in
            do throws(RequestError) {
                try work()
            } catch {
                queue.report("cannot send an e-mail: \(error.transportError(file).message)")
            }
        }
    }

    private func requiredOutlet() throws(RequestError) -> any MailOutlet {
        guard let outlet = settings.mail else { throw .refused(.mailNotConfigured) }
        return outlet
    }

    private func email(in request: ParseRequest, orElse other: String? = nil) throws(RequestError) -> String {
        let email = request.body["email"] ?? .null
        let isOtherThere = other.map { !(request.body[$0] ?? .null).isFalsy } ?? false
        if email.isFalsy, !isOtherThere { throw .refused(204, "you must provide an email") }
        guard let email = email.string else { throw .refused(125, "you must provide a valid email string") }
        return email
    }

    /// Called after a signup or a change of address has been committed. A failure is ignored, because the user can
    /// request another e-mail, and that request reports the error.
    func sendVerificationIfPossible(to user: UserRow) {
        guard let outlet = settings.mail, let address = user.email else { return }
        do throws(RequestError) {
            try countMail(to: address)
            try send(.verifyEmail, to: address, of: user, by: outlet)
        } catch {}
    }

    /// Sends an e-mail with a link, unless there is no user or the address is not deliverable.
    private func send(
        _ purpose: MailTokens.Purpose, to address: String, of user: UserRow?, by outlet: any MailOutlet
    ) throws(RequestError) {
        guard let user, Mail.isDeliverable(address) else { return }
        let (token, now) = (settings.randomness.hex(byteCount: 16), now)
        // After a power failure, the user can request another e-mail.
        let exists = try database.quickTransaction { () throws(RequestError) in
            // Another process may have deleted the user meanwhile.
            guard try users.user(id: user.id) != nil else { return false }
            try mailTokens.insert(token, purpose, of: user.id, at: now)
            try mailTokens.deleteExpired(at: now)
            return true
        }
        guard exists else { return }
        let link = link(purpose, token, username: user.username)
        let mail = Mail(
            recipient: address, subject: purpose.subject, link: link, body: purpose.body(link: link), date: now,
            id: settings.randomness.hex(byteCount: 16))
        do throws(FileError) {
            try outlet.deliver(mail)
        } catch {
            throw .file(error)
        }
    }

    /// `<base URL>/apps/<application>/<page>?token=<32 hexadecimal digits>&username=<name>`.
    private func link(_ purpose: MailTokens.Purpose, _ token: String, username: String) -> String {
        let application = settings.applicationID.percentEncoded
        let link = "\(settings.publicURL ?? settings.baseURL)/apps/\(application)/\(purpose.page)?token=\(token)"
        // Omit a long username, because an e-mail line is limited to 998 bytes. The token is sufficient.
        let name = username.percentEncoded
        return name.utf8.count > 300 ? link : "\(link)&username=\(name)"
    }
}

extension MailTokens.Purpose {
    fileprivate var page: String {
        switch self {
        case .verifyEmail: "verify_email"
        case .resetPassword: "request_password_reset"
        }
    }

    fileprivate var subject: String {
        switch self {
        case .verifyEmail: "Verify your e-mail address"
        case .resetPassword: "Choose a new password"
        }
    }

    fileprivate func body(link: String) -> String {
        switch self {
        case .verifyEmail:
            """
            You signed up with this e-mail address. Open this link to verify it:

            \(link)

            The link can be used once and expires after seven days. If you did not sign up, ignore this e-mail.

            """
        case .resetPassword:
            """
            You requested a new password. Open this link to choose one:

            \(link)

            The link can be used once and expires after one hour. If you did not request it, ignore this e-mail: your password
            does not change.

            """
        }
    }
}
