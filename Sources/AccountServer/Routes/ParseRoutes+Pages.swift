import JSON
internal import Transport

/// The web pages behind the links in e-mails.
///
/// Parse Server redirects these links to separate pages. On this server, each link opens the page itself. If the
/// application id in the link is not the server's, the status is 404.
extension ParseRoutes {
    /// `GET /apps/<application>/verify_email?token=…&username=…` -> 200, and the address is verified; 400 if the
    /// link is invalid.
    func verifyEmailPage(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        try checkApplication(request)
        let token = PageToken(JSONObject(firstOf: request.target.query))
        let isDone = try database.transaction { () throws(RequestError) in
            guard var user = try user(token, .verifyEmail) else { return false }
            user.isEmailVerified = true
            user.updatedAt = now
            try users.update(user)
            try mailTokens.delete(.verifyEmail, of: user.id)
            return true
        }
        return isDone ? Pages.emailVerified : Pages.linkInvalid
    }

    /// `GET /apps/<application>/request_password_reset?token=…&username=…` -> 200, a password form; 400 if the link
    /// is invalid.
    func choosePasswordPage(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        try checkApplication(request)
        let token = PageToken(JSONObject(firstOf: request.target.query))
        guard try user(token, .resetPassword) != nil else { return Pages.linkInvalid }
        return Pages.choosePassword(token: token.text, username: token.username)
    }

    /// `POST /apps/<application>/request_password_reset` with `token`, `username`?, `new_password` -> 200, and the
    /// password is changed and all sessions of the user are revoked; 400 if the link is invalid or the password is
    /// missing. Scripts (`X-Requested-With: XMLHttpRequest`) receive JSON, as in Parse; error codes: -1, 201.
    func resetPassword(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        try checkApplication(request)
        let token = PageToken(request.body)
        guard let password = request.body["new_password"]?.string, !password.isEmpty, !token.text.isEmpty else {
            let refusal = token.text.isEmpty ? ParseError.resetTokenMissing : .resetPasswordMissing
            return request.isFromScript ? ParseResponses.error(refusal) : Pages.linkInvalid
        }
        let refused = request.isFromScript ? ParseResponses.error(.resetRefused) : Pages.linkInvalid
        // Check the token before the expensive hash, and again in the transaction after it.
        guard try user(token, .resetPassword) != nil else { return refused }
        let hash = try passwordHash(of: password)
        let isDone = try database.transaction { () throws(RequestError) in
            guard var user = try user(token, .resetPassword) else { return false }
            user.passwordHash = hash
            user.updatedAt = now
            try users.update(user)
            try mailTokens.delete(.resetPassword, of: user.id)
            try sessions.deleteAll(of: user.id)
            return true
        }
        guard isDone else { return refused }
        let done: JSONValue = "Password successfully reset"
        return request.isFromScript ? ParseResponses.value(done) : Pages.passwordChanged
    }

    /// The user of the token; `nil` if the token is invalid or the link contains a different username.
    private func user(_ token: PageToken, _ purpose: MailTokens.Purpose) throws(RequestError) -> UserRow? {
        guard let id = try mailTokens.owner(of: token.text, purpose, at: now), let user = try users.user(id: id) else {
            return nil
        }
        return token.username.map { $0 == user.username } == false ? nil : user
    }

    private func checkApplication(_ request: ParseRequest) throws(RequestError) {
        if request.parameters["app"] != settings.applicationID {
            throw .answered(ParseResponses.noSuchRoute(request.method, request.target.fullPath))
        }
    }
}

/// The parameters of a link in an e-mail, or the fields of the form behind the link.
private struct PageToken {
    /// Empty if missing.
    let text: String
    /// `nil` if missing. A link omits a long username.
    let username: String?

    init(_ fields: JSONObject) {
        text = fields["token"]?.string ?? ""
        username = fields["username"]?.string
    }
}

/// Pages for users who follow a link in an e-mail. They contain no scripts and no external resources.
enum Pages {
    static let emailVerified = page(200, "E-mail address verified", "<p>Thank you. You may close this page.</p>")
    static let passwordChanged = page(
        200, "Password changed", "<p>All devices are logged out. Log in with the new password.</p>")
    static let linkInvalid = page(
        400, "This link does not work", "<p>The link was already used or has expired. Request a new e-mail.</p>")

    /// A form that sends `token`, `username`? and `new_password` in a POST request to the URL of the page.
    static func choosePassword(token: String, username: String?) -> HTTPResponse {
        let name = username.map { "<input type=\"hidden\" name=\"username\" value=\"\(HTMLText.escaped($0))\">" } ?? ""
        return page(
            200, "Choose a new password",
            """
            <form method="post" action="request_password_reset">
            <input type="hidden" name="token" value="\(HTMLText.escaped(token))">
            \(name)
            <label>New password <input type="password" name="new_password" autocomplete="new-password" required></label>
            <button>Change password</button>
            </form>
            """)
    }

    private static func page(_ status: Int, _ title: String, _ content: String) -> HTTPResponse {
        let text = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>\(title)</title>
            </head>
            <body>
            <h1>\(title)</h1>
            \(content)
            </body>
            </html>

            """
        return HTTPResponse(status: status, headers: headers, body: Array(text.utf8))
    }

    /// The page's URL contains a token, so the page must not be cached, and the URL must not be sent to other sites.
    /// With `no-referrer`, browsers would send the form with `Origin: null`, and the listener would reject it.
    private static let headers: HTTPHeaders = [
        "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "Referrer-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ]
}

enum HTMLText {
    /// Escapes text for HTML. The result is safe in content and in quoted attributes.
    ///
    /// Works on scalars: in Swift, `"` with a combining accent is a different character, but still ends an attribute.
    static func escaped(_ text: String) -> String {
        let references: [Unicode.Scalar: String] = [
            "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;",
        ]
        return text.unicodeScalars.map { references[$0] ?? String($0) }.joined()
    }
}
