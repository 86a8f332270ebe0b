import AccountServer
import Foundation
import JSON
import Platform
import Synchronization
import Transport

/// A clock that tests can advance.
final class SharedTime: Sendable {
    private let time = Mutex(TestServer.start)

    var now: Instant { time.withLock { $0 } }
    func advance(by duration: Duration) { time.withLock { $0 = $0.adding(duration) } }
}

/// A mail outlet that records the e-mails.
final class MemoryMail: MailOutlet {
    private let mails = Mutex<[Mail]>([])

    var all: [Mail] { mails.withLock { $0 } }

    func deliver(_ mail: Mail) { mails.withLock { $0.append(mail) } }

    /// The token in the newest e-mail with a link to `page`.
    func lastToken(_ page: String) -> String? {
        let text = all.last { $0.text.contains("/\(page)?token=") }?.text
        return text.flatMap { text in
            text.range(of: "?token=").map { String(text[$0.upperBound...].prefix { $0.isHexDigit }) }
        }
    }
}

/// A fake of Facebook's Graph API. It knows a few tokens and records the requests.
final class FakeGraph: HTTPTransport {
    private let requests = Mutex<[HTTPRequest]>([])

    /// The URLs of the requests.
    var asked: [String] { requests.withLock { $0.map(\.url) } }
    var headers: [HTTPHeaders] { requests.withLock { $0.map(\.headers) } }

    /// The user and the app of each token.
    private static let tokens = [
        "tok-alice": ("1001", "fb-app-1"), "tok-bob": ("1002", "fb-app-1"), "tok-carol": ("1003", "fb-app-1"),
        "tok-dave": ("1004", "fb-app-1"), "tok-otherapp": ("1005", "fb-app-2"), "tok-longerapp": ("1006", "fb-app-10"),
        "tok-shorterapp": ("1007", "fb-app"),
    ]

    /// The response to every request with one of these tokens.
    private static let answers: [String: (status: Int, body: String)] = [
        "tok-down": (500, "<html>oops</html>"),
        "tok-failing": (500, #"{"error":{"code":190,"type":"OAuthException"}}"#),
        "tok-busy": (429, #"{"id":"fb-app-1"}"#),
        "tok-limited": (400, #"{"error":{"code":4,"type":"OAuthException"}}"#),
        "tok-paged": (400, #"{"error":{"code":32,"type":"OAuthException"}}"#),
        "tok-counted": (400, #"{"error":{"code":613,"type":"OAuthException"}}"#),
        "tok-passing": (400, #"{"error":{"code":2,"type":"OAuthException"}}"#),
        "tok-expired": (400, #"{"error":{"code":190,"error_subcode":463,"type":"OAuthException"}}"#),
        "tok-nameless": (200, #"{"name":"x"}"#), "tok-numbered": (200, #"{"id":1}"#),
        "tok-nulled": (200, #"{"id":null}"#), "tok-listed": (200, #"{"id":["fb-app-1"]}"#),
        "tok-blank": (200, #"{"id":""}"#), "tok-true": (200, "true"), "tok-array": (200, #"[{"id":"fb-app-1"}]"#),
        "tok-wrapped": (200, #"{"data":{"id":"fb-app-1","app_id":"fb-app-1"}}"#),
        "tok-twice": (200, #"{"id":"fb-app-1","id":"fb-app-2"}"#),
    ]

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        requests.withLock { $0.append(request) }
        let token = request.headers["Authorization"].map { String($0.dropFirst("Bearer ".count)) } ?? ""
        if token == "tok-unreachable" { throw TransportError(.connect, "connection refused") }
        if let answer = Self.answers[token] {
            return HTTPResponse(status: answer.status, body: Array(answer.body.utf8))
        }
        guard let (user, app) = Self.tokens[token] else {
            return HTTPResponse(status: 400, body: Array(#"{"error":{"code":190,"type":"OAuthException"}}"#.utf8))
        }
        let id = request.url.hasPrefix("http://graph.test/app") ? app : user
        return HTTPResponse(status: 200, body: Array(#"{"id":"\#(id)","name":"x"}"#.utf8))
    }
}
