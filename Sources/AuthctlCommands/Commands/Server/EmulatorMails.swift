import AuthBackends
import AuthClient
import AuthModel
import JSON
import Platform
import Transport

/// The links that the emulator of Firebase would send.
///
/// `GET /emulator/v1/projects/PROJECT/oobCodes` responds with status 200 and `{"oobCodes": [{"email", "requestType",
/// "oobLink", "newEmail"?}]}`, oldest first. Source: the exchange `open/oob-codes` in `Tests/Exchanges/firebase`.
struct EmulatorMails: MailSource {
    let url: String
    let project: String
    let transport: any HTTPTransport

    func mails() throws(AuthError) -> [ReceivedMail] {
        try failing(as: "cannot read the e-mails of '\(url)'") { () throws(AuthError) in
            let path = "emulator/v1/projects/\(project.percentEncoded)/oobCodes"
            let response: HTTPResponse
            do throws(TransportError) {
                response = try transport.send(
                    HTTPRequest(.get, "\(url)/\(path)", headers: ["Accept": "application/json"]))
            } catch {
                throw AuthError(error)
            }
            // `try?`: the error below also covers a body that is not JSON.
            guard response.status == 200,
                let rows = (try? JSONValue(parsing: response.body))?["oobCodes"]?.array
            else {
                throw AuthError(
                    .wrongEndpoint, "the response is not the emulator's", server: ServerDetail(status: response.status))
            }
            return rows.compactMap(Self.mail)
        }
    }

    private static func mail(_ row: JSONValue) -> ReceivedMail? {
        guard let type = row["requestType"]?.string, let email = row["email"]?.string,
            let link = row["oobLink"]?.string, link.isVisibleASCII
        else { return nil }
        return ReceivedMail(
            recipient: type == "VERIFY_AND_CHANGE_EMAIL" ? row["newEmail"]?.string ?? email : email, subject: type,
            link: link,
            purpose: type == "PASSWORD_RESET" ? .reset : type.hasPrefix("VERIFY_") ? .verification : nil)
    }
}

extension Context {
    /// The e-mails of the emulator in use.
    ///
    /// - Throws: `AuthError` `usage` if neither the profile nor the session names the project.
    func emulatorMails(_ settings: Settings, _ url: String) throws(AuthError) -> EmulatorMails {
        // `try?`: without a readable session, the message below names the option.
        let token = ((try? client(settings).sessions.find()) ?? nil)?.session.token
        guard let project = settings.connection.appID ?? BackendRegistry.firebaseProject(of: token) else {
            throw AuthError(
                .usage, "cannot read e-mails: the name of the Firebase project is required",
                next: "add --app-id PROJECT, or log in")
        }
        return EmulatorMails(
            url: url, project: project, transport: stack(try networkSettings()).transportWithoutRedirects(to: url))
    }
}
