import AuthBackends
import AuthClient
import AuthModel
import JSON
import Platform
import Transport

extension ReceivedMail {
    /// An entry of the emulator of Firebase: `{"email", "requestType", "oobLink", "newEmail"?}`. Source: the exchange
    /// `open/oob-codes` in `Tests/Exchanges/firebase`.
    fileprivate init?(ofEmulator row: JSONValue) {
        guard let type = row["requestType"]?.string, let email = row["email"]?.string,
            let link = row["oobLink"]?.string, link.isVisibleASCII
        else { return nil }
        self.init(
            recipient: type == "VERIFY_AND_CHANGE_EMAIL" ? row["newEmail"]?.string ?? email : email, subject: type,
            link: link,
            purpose: type == "PASSWORD_RESET" ? .reset : type.hasPrefix("VERIFY_") ? .verification : nil)
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
    /// The e-mails of the emulator in use.
    ///
    /// - Throws: `AuthError` `usage` if neither the profile nor the session names the project.
    func emulatorMails(_ settings: Settings, _ url: String) throws(AuthError) -> MailList {
        // `try?`: without a readable session, the message below names the option.
        let token = ((try? client(settings).sessions.find()) ?? nil)?.session.token
        guard let project = settings.connection.appID ?? BackendRegistry.firebaseProject(of: token) else {
            throw AuthError(
                .usage, "cannot read e-mails: the name of the Firebase project is required",
                next: "add --app-id PROJECT, or log in")
        }
        return MailList(
            server: "'\(url)'", url: "\(url)/emulator/v1/projects/\(project.percentEncoded)/oobCodes",
            member: "oobCodes", transport: stack(try networkSettings()).transportWithoutRedirects(to: url)
        ) { ReceivedMail(ofEmulator: $0) }
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
