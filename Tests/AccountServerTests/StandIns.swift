import AccountServer
import Foundation
import JSON
import Platform
import Synchronization
import Transport

/// A clock that tests move.
final class SharedTime: Sendable {
    private let time = Mutex(TestServer.start)

    var now: Instant { time.withLock { $0 } }
    func advance(by duration: Duration) { time.withLock { $0 = $0.adding(duration) } }
}

/// Keeps the mails.
final class MemoryMail: MailOutlet {
    private let mails = Mutex<[Mail]>([])

    var all: [Mail] { mails.withLock { $0 } }

    func deliver(_ mail: Mail) { mails.withLock { $0.append(mail) } }

    /// The token of the newest link to a page.
    func lastToken(_ page: String) -> String? {
        let text = all.last { $0.text.contains("/\(page)?token=") }?.text
        return text.flatMap { text in
            text.range(of: "?token=").map { String(text[$0.upperBound...].prefix { $0.isHexDigit }) }
        }
    }
}

/// Plays Facebook's Graph: knows a few tokens, and keeps what it was asked.
final class GraphStandIn: HTTPTransport {
    private let requests = Mutex<[String]>([])

    var asked: [String] { requests.withLock { $0 } }

    /// Token: user and app.
    private static let tokens = [
        "tok-alice": ("1001", "fb-app-1"), "tok-bob": ("1002", "fb-app-1"), "tok-carol": ("1003", "fb-app-1"),
        "tok-dave": ("1004", "fb-app-1"), "tok-otherapp": ("1005", "fb-app-2"), "tok-longerapp": ("1006", "fb-app-10"),
        "tok-shorterapp": ("1007", "fb-app"),
    ]

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        requests.withLock { $0.append(request.url) }
        let query = URLComponents(string: request.url)?.queryItems ?? []
        let token = query.first { $0.name == "access_token" }?.value ?? ""
        if token == "tok-unreachable" { throw TransportError(.connect, "nobody there") }
        if token == "tok-down" { return HTTPResponse(status: 500, body: Array("<html>oops</html>".utf8)) }
        guard let (user, app) = Self.tokens[token] else {
            return HTTPResponse(status: 400, body: Array(#"{"error":{"code":190,"type":"OAuthException"}}"#.utf8))
        }
        let id = request.url.contains("/app?") ? app : user
        return HTTPResponse(status: 200, body: Array(#"{"id":"\#(id)","name":"x"}"#.utf8))
    }
}
