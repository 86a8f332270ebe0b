import JSON
internal import Platform
internal import SQLite

extension ParseRoutes {
    /// `POST /requestPasswordReset` with `email` -> 200 `{}`, even for an unknown address; 125, 204; 500 if the server
    /// sends no e-mail.
    func requestPasswordReset(_ request: ParseRequest) throws(RouteError) -> Step {
        let outlet = try requiredOutlet()
        // Parse also accepts a `token` instead of the address. This server requires the address, and fails with 125.
        let email = try email(in: request, orElse: "token")
        if let user = try stored({ () throws(SQLiteError) in try users.user(email: email) }) {
            try send(.resetPassword, to: user, by: outlet)
        }
        return .answer(ParseResponses.json([:]))
    }

    /// `POST /verificationEmailRequest` with `email` -> 200 `{}`; -1 for a verified address, 125, 204, 205; 500 if the
    /// server sends no e-mail.
    func requestVerification(_ request: ParseRequest) throws(RouteError) -> Step {
        let outlet = try requiredOutlet()
        let email = try email(in: request)
        guard let user = try stored({ () throws(SQLiteError) in try users.user(email: email) }) else {
            throw .refused(.emailUnknown(email))
        }
        if user.isEmailVerified == true { throw .refused(.emailAlreadyVerified(email)) }
        guard Mail.isDeliverable(email) else { throw .refused(.emailInvalid) }
        try send(.verifyEmail, to: user, by: outlet)
        return .answer(ParseResponses.json([:]))
    }

    private func requiredOutlet() throws(RouteError) -> any MailOutlet {
        guard let outlet = settings.mail else { throw .refused(.mailNotConfigured) }
        return outlet
    }

    private func email(in request: ParseRequest, orElse other: String? = nil) throws(RouteError) -> String {
        let email = request.body["email"] ?? .null
        let isOtherThere = other.map { !(request.body[$0] ?? .null).isFalsy } ?? false
        if email.isFalsy, !isOtherThere { throw .refused(.emailRequired) }
        guard let email = email.string else { throw .refused(.emailNotString) }
        return email
    }

    /// Called after a signup or a change of address, which have been committed. A failure is ignored: the user may
    /// request another e-mail, and that request reports the error.
    func sendVerificationIfPossible(to user: UserRow) {
        guard let outlet = settings.mail else { return }
        try? send(.verifyEmail, to: user, by: outlet)
    }

    private func send(_ purpose: MailTokens.Purpose, to user: UserRow, by outlet: any MailOutlet) throws(RouteError) {
        guard let address = user.email, Mail.isDeliverable(address) else { return }
        let (token, now) = (settings.randomness.hex(byteCount: 16), now)
        try atomically { () throws(RouteError) in
            // Another process may have deleted the user.
            guard try stored({ () throws(SQLiteError) in try users.user(id: user.id) }) != nil else { return }
            try stored { () throws(SQLiteError) in try mailTokens.insert(token, purpose, of: user.id, at: now) }
        }
        let link = link(purpose, token, user)
        let mail = Mail(
            recipient: address, subject: purpose.subject, link: link, body: purpose.body(link: link), date: now,
            id: settings.randomness.hex(byteCount: 16))
        do throws(FileError) { try outlet.deliver(mail) } catch { throw .file(error) }
    }

    /// `<server>/apps/<application>/verify_email?token=<32 digits>&username=<name>`.
    private func link(_ purpose: MailTokens.Purpose, _ token: String, _ user: UserRow) -> String {
        let application = settings.applicationID.percentEncoded
        let link = "\(settings.publicURL ?? settings.baseURL)/apps/\(application)/\(purpose.page)?token=\(token)"
        // The token alone is sufficient, and a long username could exceed the line length of an e-mail.
        let name = user.username.percentEncoded
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
