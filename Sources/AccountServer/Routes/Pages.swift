internal import Transport

/// Pages for people who followed a link in a mail: no script, nothing from elsewhere.
enum Pages {
    static let emailVerified = page(200, "E-mail address confirmed", "<p>Thank you. You may close this page.</p>")
    static let passwordChanged = page(
        200, "Password changed", "<p>You were logged out everywhere. Log in with the new password.</p>")
    static let linkInvalid = page(
        400, "This link does not work", "<p>It was used before, or is too old. Ask for another mail.</p>")

    /// Sends `token`, `username`? and `new_password` to the page's own address.
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

    /// The address of the page holds a token: it must be neither kept nor told to others. With `no-referrer` a browser
    /// would name no origin for the form either, and look like a stranger.
    private static let headers: HTTPHeaders = [
        "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "Referrer-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ]
}

/// Text in HTML.
enum HTMLText {
    /// Safe as content and in attributes with quotes.
    ///
    /// By scalars: a quote with an accent on it would be another character to Swift, yet it ends an attribute.
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
