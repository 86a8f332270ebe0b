package import AuthModel
import JSON
import Platform
import Synchronization
package import Transport

/// Reads the newest 50 e-mails of a Mailpit server.
///
/// `GET /api/v1/messages?limit=50` and `GET /api/v1/search?limit=50&query=ada@example.org` respond with status 200 and
/// `{"messages": [{"ID", "To": [{"Address"}], "Cc", "Bcc", "Subject", "Created"}]}`, newest first. `GET
/// /api/v1/message/ID` responds with status 200 and `{"Text", "HTML"}`, and marks the e-mail as read. Source:
/// https://mailpit.axllent.org/docs/api-v1/;
/// `server/apiv1/messages.go`, `server/apiv1/message.go` and `internal/storage/structs.go` of axllent/mailpit.
package final class MailpitReader: MailSource {
    private let url: String
    private let recipient: String?
    private let transport: any HTTPTransport
    private let warn: @Sendable (String) -> Void
    private let timeLimit: Duration
    /// The time on `clock` after which no further e-mail is read.
    private let end: Duration
    private let clock: @Sendable () -> Duration
    /// The e-mails read so far. A waiting command reads each e-mail only once, because e-mails never change.
    private let known = Mutex<[String: ReceivedMail]>([:])

    private static let most = 50

    /// - Parameters:
    ///   - recipient: `nil` for e-mails to all addresses.
    ///   - timeLimit: the limit of a request.
    ///   - wait: the limit in all, if it is longer than the limit of a request.
    package init(
        _ url: String, to recipient: String?, _ transport: any HTTPTransport, timeLimit: Duration, wait: Duration,
        clock: @escaping @Sendable () -> Duration, warn: @escaping @Sendable (String) -> Void
    ) {
        self.url = url
        self.recipient = recipient
        self.transport = transport
        self.timeLimit = timeLimit
        self.clock = clock
        end = clock() + max(wait, timeLimit)
        self.warn = warn
    }

    package func mails() throws(AuthError) -> [ReceivedMail] { try read(to: recipient) }

    package func mails(to address: String) throws(AuthError) -> [ReceivedMail] { try read(to: address) }

    private func read(to recipient: String?) throws(AuthError) -> [ReceivedMail] {
        try failing(as: "cannot read the e-mails of '\(url)'") { () throws(AuthError) in
            let path = recipient.map { "search?limit=\(Self.most)&query=\($0.percentEncoded)" }
            guard let items = try get(path ?? "messages?limit=\(Self.most)")["messages"]?.array else {
                throw error(200)
            }
            var (mails, count) = ([ReceivedMail](), 0)
            // Newest first, because the time may not suffice for all.
            for item in items.prefix(Self.most) {
                guard count == 0 || clock() < end else {
                    warn("only the newest \(count) e-mails were read in time")
                    break
                }
                count += 1
                if let mail = try mail(item, to: recipient) { mails.append(mail) }
            }
            return mails.reversed()
        }
    }

    /// `nil` for a deleted e-mail, or for one to a different address: the search finds the address anywhere in an
    /// e-mail.
    private func mail(_ item: JSONValue, to recipient: String?) throws(AuthError) -> ReceivedMail? {
        let recipients = ["To", "Cc", "Bcc"].flatMap { item[$0]?.array ?? [] }.compactMap { $0["Address"]?.string }
        guard let id = item["ID"]?.string,
            recipient == nil || recipients.contains(where: { $0.lowercased() == recipient?.lowercased() })
        else { return nil }
        if let mail = known.withLock({ $0[id] }) { return mail }
        let subject = item["Subject"]?.string ?? ""
        var parts: [MailPart] = []
        do throws(AuthError) {
            let message = try get("message/\(id.percentEncoded)")
            parts = ["Text", "HTML"].compactMap { name in
                message[name]?.string.map { MailPart($0, isHTML: name == "HTML") }
            }
        } catch {
            if error.reason == .wrongEndpoint { return nil }
            // An unreadable e-mail, such as one of more than 1 MiB, must not hide the others.
            guard error.reason == .invalidResponse else { throw error }
            warn("cannot read the text of e-mail '\(subject)': \(error.message)")
        }
        let mail = ReceivedMail(
            recipients: recipients, subject: subject, date: item["Created"]?.string.flatMap { Instant($0) },
            parts: parts)
        known.withLock { $0[id] = mail }
        return mail
    }

    private func get(_ path: String) throws(AuthError) -> JSONValue {
        var request = HTTPRequest(.get, "\(url)/api/v1/\(path)", headers: ["Accept": "application/json"])
        // The last request needs some time, too.
        request.timeLimit = min(timeLimit, max(end - clock(), .seconds(5)))
        let response = try transport.response(to: request)
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
