import AuthModel

/// The token from an e-mail; for a whole link, also the username, application id and purpose in the link.
///
/// A link is `<server>/apps/<application>/verify_email?token=…` or `…/request_password_reset?token=…`. Parse Server 7
/// and older add the parameter `username`. A reset link redirects to
/// `<server>/apps/choose_password?token=…&id=<application>`. If the server has the option `parseFrameURL`, the path is
/// in the parameter `link`. Source: Parse Server, `UserController.buildEmailLink`; the exchange `strict.reset-link` in
/// `Tests/Exchanges`.
struct ParseLink {
    private static let purposes: [String: MailPurpose] = [
        "verify_email": .verifyEmail, "request_password_reset": .resetPassword, "choose_password": .resetPassword,
    ]

    let token: String
    let username: String?
    /// `nil` for a code, and for a link without an application id.
    let applicationID: String?
    /// `nil` for a code, and for a link to an unknown page.
    let purpose: MailPurpose?

    /// - Parameter key: a link, or a code, which is the token itself.
    init?(_ key: MailKey) {
        guard let link = key.link else {
            (token, username, applicationID, purpose) = (key.text, nil, nil, nil)
            return
        }
        guard let token = link.query["token"], !token.isEmpty else { return nil }
        self.token = token
        username = key.username ?? link.query["username"]
        let path = link.query["link"]?.split(separator: "/").map { String($0) } ?? link.path
        let mark = path.lastIndex(of: "apps") ?? path.endIndex
        let inside = path[mark...].dropFirst()
        applicationID = link.query["id"] ?? link.query["appId"] ?? (inside.count > 1 ? inside.first : nil)
        purpose = path.last.flatMap { Self.purposes[$0] }
    }
}
