package import AuthModel
package import JSON
package import Transport

/// The e-mails that a server for tests lists in one response, oldest first.
package struct MailList: MailSource {
    /// The server, for errors.
    private let server: String
    private let url: String
    /// The member of the response that has the list.
    private let member: String
    private let transport: any HTTPTransport
    private let mail: @Sendable (JSONValue) -> ReceivedMail?

    /// - Parameter mail: reads an e-mail of the list; `nil` if it is invalid.
    package init(
        server: String, url: String, member: String, transport: any HTTPTransport,
        mail: @escaping @Sendable (JSONValue) -> ReceivedMail?
    ) {
        self.server = server
        self.url = url
        self.member = member
        self.transport = transport
        self.mail = mail
    }

    package func mails() throws(AuthError) -> [ReceivedMail] {
        try failing(as: "cannot read the e-mails of \(server)") { () throws(AuthError) in
            let response = try transport.response(
                to: HTTPRequest(.get, url, headers: ["Accept": "application/json"]))
            // `try?`: the error below also covers a body that is not JSON.
            guard response.status == 200, let rows = (try? JSONValue(parsing: response.body))?[member]?.array else {
                throw AuthError(
                    .wrongEndpoint, "the response has no list of e-mails",
                    server: ServerDetail(status: response.status))
            }
            return rows.compactMap(mail)
        }
    }
}
