import JSON
internal import SQLite
internal import Transport

/// The pages behind the links in e-mails.
///
/// Parse Server redirects to separate pages; here each link is the page itself.
extension ParseRoutes {
    /// `GET /apps/<application>/verify_email?token=…&username=…` -> 200 and the address is verified; 400.
    func verifyEmailPage(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
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
        return isDone ? Pages.emailVerified : Pages.linkInvalid
    }

    /// `GET /apps/<application>/request_password_reset?token=…&username=…` -> 200, a form for a new password; 400.
    func choosePasswordPage(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
        try checkApplication(request)
        let token = PageToken(JSONObject(firstOf: request.target.query))
        guard try user(token, .resetPassword) != nil else { return Pages.linkInvalid }
        return Pages.choosePassword(token: token.text, username: token.username)
    }

    /// `POST` to the same path with `token`, `username`?, `new_password` -> 200, the password is changed and all
    /// sessions of the user are revoked; 400. Scripts (`X-Requested-With: XMLHttpRequest`) receive JSON as in Parse:
    /// -1, 201.
    func resetPassword(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
        try checkApplication(request)
        let token = PageToken(request.body)
        guard let password = request.body["new_password"]?.string, !password.isEmpty, !token.text.isEmpty else {
            let refusal = token.text.isEmpty ? ParseError.resetTokenMissing : .resetPasswordMissing
            return request.isFromScript ? ParseResponses.error(refusal) : Pages.linkInvalid
        }
        let refused = request.isFromScript ? ParseResponses.error(.resetRefused) : Pages.linkInvalid
        // Checked before the expensive hash, and again in the transaction after it.
        guard try user(token, .resetPassword) != nil else { return refused }
        guard try use(token, toSet: try passwordHash(of: password, for: request)) else { return refused }
        let done: JSONValue = "Password successfully reset"
        return request.isFromScript ? ParseResponses.value(done) : Pages.passwordChanged
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

    /// The token's user; `nil` if the link names another username.
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
            throw .answered(ParseResponses.noSuchRoute(request.method, request.target.fullPath))
        }
    }
}

/// The query parameters of a link in an e-mail.
private struct PageToken {
    /// Empty if missing.
    let text: String
    /// Newer Parse Servers omit it, because the token is sufficient.
    let username: String?

    init(_ fields: JSONObject) {
        text = fields["token"]?.string ?? ""
        username = fields["username"]?.string
    }
}
