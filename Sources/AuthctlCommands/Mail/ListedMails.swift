import AuthBackends
import AuthClient
import AuthModel
import JSON
import Platform
import Transport

extension ReceivedMail {
    fileprivate init(_ mail: ListedMail) {
        let purpose: Purpose? =
            switch mail.purpose {
            case .verifyEmail, .changeEmail: .verification
            case .resetPassword: .reset
            case .logIn: .login
            case .recoverEmail, nil: nil
            }
        self.init(
            recipient: mail.recipient, subject: mail.subject, link: mail.link, codes: [mail.code].compactMap(\.self),
            purpose: purpose)
    }

    /// An entry of `GET mails` of the test controls: `{"to", "subject", "at", "link"}`.
    fileprivate init?(ofControls row: JSONValue) {
        guard let recipient = row["to"]?.string, let subject = row["subject"]?.string,
            let link = row["link"]?.string, link.isVisibleASCII
        else { return nil }
        self.init(
            recipients: [recipient], subject: subject, date: row["at"]?.string.flatMap { Instant($0) },
            parts: [MailPart(link, isHTML: false)])
    }
}

extension Context {
    /// The e-mails that the server itself lists, or for a phone number its text messages; `nil` if it lists none.
    ///
    /// - Throws: `AuthError` `usage` if neither the profile nor the session names the project.
    func serverMails(_ settings: Settings, to recipient: String?) throws(AuthError) -> MailList? {
        let site = Site(settings.connection, token: { tokenInUse(settings) })
        let isPhone = recipient?.looksLikePhone == true
        guard let listing = try world.backends()[site.connection.backend]?.mails(site, isPhone) else { return nil }
        let url = settings.connection.server ?? ""
        return MailList(
            server: "'\(url)'", url: listing.url, member: listing.member,
            transport: stack(try networkSettings()).transportWithoutRedirects(to: url)
        ) { listing.mail($0).map { ReceivedMail($0) } }
    }

    /// The e-mails that `authctl serve --test-controls` keeps in memory.
    ///
    /// - Parameter variable: the variable with the secret URL of the test controls.
    func controlMails(_ variable: String, _ secret: String) throws(AuthError) -> MailList {
        world.masker.register(secret)
        // `try?`: an error about the URL would print the secret.
        guard let url = try? ServerURL(Setting(secret, from: .environment(variable))), url.isLoopback else {
            throw AuthError(
                .usage, "\(variable) is not the URL of test controls",
                next: "set it to the `controlUrl` that `authctl serve --ephemeral --test-controls --json` prints")
        }
        let text = url.text
        if let key = text.split(separator: "/").last { world.masker.register(String(key)) }
        return MailList(
            server: "the test controls in \(variable)", url: "\(text)/mails", member: "items",
            transport: stack(try networkSettings()).transportWithoutRedirects(to: URLParts(text)?.origin ?? "")
        ) { ReceivedMail(ofControls: $0) }
    }
}
