import AuthClient
import AuthModel
import JSON
import Platform
import Synchronization
import Transport

/// Reads the newest 50 e-mails of a Mailpit server.
///
/// `GET /api/v1/search?query=to:ada@example.org` responds with status 200 and `{"messages": [{"ID", "To":
/// [{"Address"}], "Subject", "Created"}]}`, newest first. `GET /api/v1/message/ID` responds with status 200 and
/// `{"Text", "HTML"}`, and marks the e-mail as read. Source: https://mailpit.axllent.org/docs/api-v1/;
/// `server/apiv1/messages.go`, `server/apiv1/message.go` and `internal/storage/structs.go` of axllent/mailpit.
final class MailpitReader: MailSource {
    private let url: String
    private let recipient: String?
    private let transport: any HTTPTransport
    private let warn: World.Warn
    /// The e-mails read so far. A waiting command reads each e-mail only once, because e-mails never change.
    private let known = Mutex<[String: ReceivedMail]>([:])

    /// - Parameter recipient: `nil` for e-mails to all addresses.
    init(_ url: String, to recipient: String?, _ transport: any HTTPTransport, warn: @escaping World.Warn) {
        self.url = url
        self.recipient = recipient
        self.transport = transport
        self.warn = warn
    }

    func mails() throws(AuthError) -> [ReceivedMail] {
        try failing(as: "cannot read the e-mails of '\(url)'") { () throws(AuthError) in
            // An empty query is an error. `to:@` matches every address.
            let query = "to:\(recipient ?? "@")".percentEncoded
            guard let items = try get("search?query=\(query)")["messages"]?.array else { throw error(200) }
            var mails: [ReceivedMail] = []
            for item in items.reversed() {
                if let mail = try mail(item) { mails.append(mail) }
            }
            return mails
        }
    }

    /// `nil` for a deleted e-mail, or for one to a different address: the search also matches parts of addresses.
    private func mail(_ item: JSONValue) throws(AuthError) -> ReceivedMail? {
        let addresses = (item["To"]?.array ?? []).compactMap { $0["Address"]?.string }
        let address = addresses.first { recipient == nil || $0.lowercased() == recipient?.lowercased() }
        guard let address, let id = item["ID"]?.string else { return nil }
        if let mail = known.withLock({ $0[id] }) { return mail }
        let subject = item["Subject"]?.string ?? ""
        var text = ""
        do throws(AuthError) {
            let message = try get("message/\(id.percentEncoded)")
            text = ["Text", "HTML"].compactMap { message[$0]?.string }.first { !$0.isEmpty } ?? ""
        } catch {
            if error.reason == .wrongEndpoint { return nil }
            // An unreadable e-mail, such as one of more than 1 MiB, must not hide the others.
            guard error.reason == .invalidResponse else { throw error }
            warn("cannot read the text of e-mail '\(subject)': \(error.message)")
        }
        let mail = ReceivedMail(
            recipient: address, subject: subject, date: item["Created"]?.string.flatMap { Instant($0) }, text: text)
        known.withLock { $0[id] = mail }
        return mail
    }

    private func get(_ path: String) throws(AuthError) -> JSONValue {
        let response: HTTPResponse
        do throws(TransportError) {
            response = try transport.send(
                HTTPRequest(.get, "\(url)/api/v1/\(path)", headers: ["Accept": "application/json"]))
        } catch {
            throw AuthError(error)
        }
        // `try?`: the error below also covers a body that is not JSON.
        guard response.status == 200, let body = try? JSONValue(parsing: response.body) else {
            throw error(response.status)
        }
        return body
    }

    private func error(_ status: Int) -> AuthError {
        let reason: AuthError.Reason =
            switch status {
            case 300..<400: .redirect
            case 401, 403: .forbidden
            case 404: .wrongEndpoint
            case 500...: .serverFault
            default: .invalidResponse
            }
        let cause = status == 200 ? "the response is not Mailpit's" : "the server responded with HTTP \(status)"
        return AuthError(reason, cause, server: ServerDetail(status: status))
    }
}

extension Connector {
    /// A reader for the Mailpit server at this URL.
    ///
    /// - Parameter isAllowed: whether the profile that names the server allows plain HTTP.
    func mailpit(
        _ setting: Setting<String>, to recipient: String?, isAllowed: Bool = false
    ) throws(AuthError) -> MailpitReader {
        try BackendSetting.mailpit.require(setting)
        let url = try ServerURL(setting)
        if !url.isSecure, !url.isLoopback {
            guard isAllowed || globals.allowsHTTP || world.environment.isOn("AUTHCTL_ALLOW_HTTP") else {
                throw AuthError(
                    .plainHTTP, "server '\(url.text)'\(setting.origin.clause) would send e-mails unencrypted",
                    nextSteps: ["use an https URL", "to read e-mails unencrypted anyway, add --allow-http"])
            }
            events.warnOfPlainHTTP(url.text)
        }
        return MailpitReader(
            url.text, to: recipient, transportWithoutRedirects(to: url.text, try networkSettings()),
            warn: { [events] in events.warn($0) })
    }
}
