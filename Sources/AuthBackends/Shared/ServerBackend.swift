import AuthModel
import JSON
import Platform
import Transport

/// What a backend shares with others: a client for its server, and the requests of the user to it.
protocol ServerBackend: Backend {
    associatedtype Requests: Endpoints
    associatedtype Errors: ErrorTable
    associatedtype Answer = JSONObject

    var endpoints: Requests { get }
    var server: ServerClient { get }

    /// Returns the content of a successful response.
    @discardableResult func send(_ call: Call) throws(BackendError) -> Answer

    /// The client for the requests of the user; by default, for all paths of the server's origin.
    func requestServer() throws(BackendError) -> ServerClient

    /// The pages of the lists at this path; `nil` if each page has a link to the next one.
    func pages(of request: HTTPRequest, below base: String?) throws(BackendError) -> QueryPages?
}

/// The requests of a backend.
protocol Endpoints: Sendable {
    /// The header fields of every request with a session.
    func headers(of session: Session) -> SessionHeaders

    /// The header fields of a visitor's request: a request of the user without a session.
    var visitor: HTTPHeaders { get }
}

extension Endpoints {
    var visitor: HTTPHeaders { [:] }
}

extension ServerBackend where Answer == JSONObject {
    @discardableResult func send(_ call: Call) throws(BackendError) -> JSONObject {
        try Errors.check(try server.response(to: call), call.required)
    }
}

extension ServerBackend {
    var masker: Masker { server.masker }

    func requestServer() throws(BackendError) -> ServerClient { try server.atOrigin() }

    func pages(of request: HTTPRequest, below base: String?) throws(BackendError) -> QueryPages? { nil }

    func headers(of session: Session) -> SessionHeaders { endpoints.headers(of: session) }

    func renewed(_ session: Session) -> Session? {
        server.cookies[session.token.reveal()].map { cookies in
            var session = session
            session.token = cookies.token
            return session
        }
    }

    func requestBase() throws(BackendError) -> String { try requestServer().base }

    func send(
        _ request: HTTPRequest, below base: String?, with session: Session?
    ) throws(BackendError) -> Reply<RequestAnswer> {
        Reply(try answer(to: request, below: base, session.map(headers)))
    }

    /// - Parameter isCustom: see `ServerClient.send`.
    func answer(
        to request: HTTPRequest, below base: String?, _ headers: SessionHeaders?, isCustom: Bool = false
    ) throws(BackendError) -> RequestAnswer {
        try requestServer().send(
            request, below: base, headers, application: endpoints.visitor, isCustom: isCustom, errors: Errors.self)
    }

    /// Runs a logout. A session that the server rejects is over already.
    func revoking(_ logOut: () throws(BackendError) -> Void) throws(BackendError) -> Reply<Revocation> {
        do throws(BackendError) {
            try logOut()
            return Reply(.yes)
        } catch {
            guard error.reason.meansInvalidSession else { throw error }
            return Reply(.already)
        }
    }

    /// Runs the logout of a session that is a cookie. A site confirms every logout, and a signed cookie stays valid, so
    /// the cookies are tried before and afterwards.
    ///
    /// - Parameter check: requests something that requires the session.
    func revoking(
        cookiesOf session: Session, _ check: () throws(BackendError) -> Void, _ logOut: () throws(BackendError) -> Void
    ) throws(BackendError) -> Reply<Revocation> {
        let ended = try revoking { () throws(BackendError) in
            try check()
            try logOut()
        }
        guard ended.value == .yes else { return ended }
        server.cookies.forget(session.token)
        return Reply(try revoking(check).value == .already ? .yes : .unsupported)
    }

    /// Runs an unlink. An identity that the server does not know was unlinked meanwhile.
    func ignoringMissing(_ unlink: () throws(BackendError) -> Void) throws(BackendError) {
        do throws(BackendError) {
            try unlink()
        } catch {
            guard error.reason == .notFound else { throw error }
        }
    }

    func firstPage(of request: HTTPRequest, below base: String?) throws(BackendError) -> HTTPRequest {
        try pages(of: request, below: base)?.first(of: request) ?? request
    }

    func page(after list: JSONList, to request: HTTPRequest, below base: String?) throws(BackendError) -> HTTPRequest? {
        if let pages = try pages(of: request, below: base), pages.isPage(list.form) {
            return pages.page(after: list, to: request)
        }
        let base = if let base { base } else { try requestServer().base }
        return try LinkedPages.page(after: list, to: request, base: base, masker)
    }
}
