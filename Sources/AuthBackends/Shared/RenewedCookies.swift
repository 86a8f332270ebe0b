import AuthModel
import Platform
import Synchronization
import Transport

/// The newest cookies of the sessions of this process. A backend call can send several requests with the same session,
/// and the response to each may renew its cookies.
final class RenewedCookies: Sendable {
    /// By the text of the cookies that the caller knows.
    private let newest = Mutex<[String: Cookies]>([:])

    subscript(token: String) -> Cookies? { newest.withLock { $0[token] } }

    /// Sends the given cookies again, not newer ones.
    func forget(_ token: Secret) { newest.withLock { $0[token.reveal()] = nil } }

    /// The request with the newest cookies and, if it changes something, the field `Origin` that a browser sends.
    func completing(_ request: HTTPRequest) -> HTTPRequest {
        var request = request
        if let cookies = request.headers["Cookie"].flatMap({ self[$0] }) {
            request.headers["Cookie"] = cookies.token.reveal()
            request.headers["X-CSRFToken"] = cookies.csrf
        }
        if request.headers["X-CSRFToken"] != nil, !request.method.isSafe {
            request.headers["Origin"] = URLParts(request.url)?.origin
        }
        return request
    }

    /// Reads the cookies that the site has renewed. A site that rejects a session may begin one for a visitor.
    func read(_ response: HTTPResponse, to token: String, _ masker: Masker) {
        guard response.status < 400, let old = self[token] ?? Cookies(Secret(token)) else { return }
        let new = old.renewed(by: response)
        guard new != old else { return }
        masker.register(Session(token: new.token))
        newest.withLock { $0[token] = new }
    }
}

extension HTTPRequest.Method {
    /// Source: RFC 9110, section 9.2.1.
    var isSafe: Bool { [.get, .head, .options].contains(self) }
}
