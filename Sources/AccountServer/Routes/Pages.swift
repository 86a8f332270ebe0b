internal import Transport

/// Pages for users who follow a link in an e-mail: no scripts, no external resources.
enum Pages {
    static let emailVerified = page(200, "E-mail address verified", "<p>Thank you. You may close this page.</p>")
    static let passwordChanged = page(
        200, "Password changed", "<p>All devices are logged out. Log in with the new password.</p>")
    static let linkInvalid = page(
        400, "This link does not work", "<p>The link was already used or has expired. Request a new e-mail.</p>")

    /// A form that posts `token`, `username`? and `new_password` to the page's own address.
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
    /// `no-referrer` would also make the browser send `Origin: null` with the form, which the listener rejects.
    private static let headers: HTTPHeaders = [
        "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "Referrer-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ]
}

/// Escapes text for HTML.
enum HTMLText {
    /// Safe in content and in quoted attributes.
    ///
    /// By scalars: a quote with a combining accent is another character in Swift, but still ends an attribute.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }
}
