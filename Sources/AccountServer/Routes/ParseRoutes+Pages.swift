import JSON
internal import SQLite
internal import Transport

/// The pages behind the links in mails.
///
/// Parse Server leads to them by redirects; here each link is the page itself.
extension ParseRoutes {
    /// `GET /apps/<application>/verify_email?token=…&username=…` -> 200 and the address is verified; 400.
    func verifyEmailPage(_ request: ParseRequest) throws(RouteError) -> Step {
        try checkApplication(request)
        let token = PageToken(JSONObject(firstOf: request.target.query))
        let isDone = try atomically { () throws(RouteError) in
            guard var user = try user(token, .verifyEmail) else { return false }
            user.isEmailVerified = true
            user.updatedAt = now
            let verified = user
            try stored { () throws(SQLiteError) in
                try users.update(verified)
                try mailTokens.delete(.verifyEmail, of: verified.id)
            }
            return true
        }
        return .answer(isDone ? Pages.emailVerified : Pages.linkInvalid)
    }

    /// `GET /apps/<application>/request_password_reset?token=…&username=…` -> 200, a form for a new password; 400.
    func choosePasswordPage(_ request: ParseRequest) throws(RouteError) -> Step {
        try checkApplication(request)
        let token = PageToken(JSONObject(firstOf: request.target.query))
        guard try user(token, .resetPassword) != nil else { return .answer(Pages.linkInvalid) }
        return .answer(Pages.choosePassword(token: token.text, username: token.username))
    }

    /// `POST` to the same with `token`, `username`?, `new_password` -> 200, the password is changed and all sessions of
    /// the user are over; 400. To scripts (`X-Requested-With: XMLHttpRequest`) the answers are JSON, as Parse's: -1, 201.
    func resetPassword(_ request: ParseRequest) throws(RouteError) -> Step {
        try checkApplication(request)
        let token = PageToken(request.body)
        guard let password = request.body["new_password"]?.string, !password.isEmpty, !token.text.isEmpty else {
            let refusal = token.text.isEmpty ? ParseError.resetTokenMissing : .resetPasswordMissing
            return .answer(request.isFromScript ? ParseAnswer.error(refusal) : Pages.linkInvalid)
        }
        let refused = request.isFromScript ? ParseAnswer.error(.resetRefused) : Pages.linkInvalid
        // Asked before the hash, which costs so much, and again after it, which counts.
        guard try user(token, .resetPassword) != nil else { return .answer(refused) }
        return hashing(password) { hash throws(RouteError) in
            guard try use(token, toSet: hash) else { return .answer(refused) }
            let done: JSONValue = "Password successfully reset"
            return .answer(request.isFromScript ? ParseAnswer.value(done) : Pages.passwordChanged)
        }
    }

    private func use(_ token: PageToken, toSet passwordHash: String) throws(RouteError) -> Bool {
        try atomically { () throws(RouteError) in
            guard var user = try user(token, .resetPassword) else { return false }
            user.passwordHash = passwordHash
            user.updatedAt = now
            let changed = user
            try stored { () throws(SQLiteError) in
                try users.update(changed)
                try mailTokens.delete(.resetPassword, of: changed.id)
                try sessions.deleteAll(of: changed.id)
            }
            return true
        }
    }

    /// The user whom a token was mailed to, if the name beside it is that user's.
    private func user(_ token: PageToken, _ purpose: MailTokens.Purpose) throws(RouteError) -> UserRow? {
        let now = now
        return try stored { () throws(SQLiteError) in
            guard let id = try mailTokens.owner(of: token.text, purpose, at: now),
                let user = try users.user(id: id)
            else { return nil }
            return token.username.map { $0 == user.username } == false ? nil : user
        }
    }

    private func checkApplication(_ request: ParseRequest) throws(RouteError) {
        if request.parameters["app"] != settings.applicationID {
            throw .answered(ParseAnswer.noSuchRoute(request.method, request.target.fullPath))
        }
    }
}

/// What a link in a mail carries.
private struct PageToken {
    /// Empty where there was none.
    let text: String
    /// Newer Parse Servers send none: the token is enough.
    let username: String?

    init(_ fields: JSONObject) {
        text = fields["token"]?.string ?? ""
        username = fields["username"]?.string
    }
}
