import Platform
import Synchronization
package import Transport

/// Sends requests to an account server in this process.
///
/// The first request opens the database, which stays open. Password hashes and requests to other servers run on the
/// calling thread.
package final class EmbeddedTransport: HTTPTransport {
    private let settings: ServerSettings
    /// `nil` before the first request. The program uses one thread, so the lock is never contended; it makes the
    /// transport `Sendable`.
    private let routes = Mutex<ParseRoutes?>(nil)

    package init(_ settings: ServerSettings) {
        self.settings = settings
    }

    /// - Throws: `TransportError` of kind `storage` if the database could not be used, and `stream` if a body could not
    ///   be read or passed on.
    package func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        let whole = try request.withWholeBody()
        let response = try routes.withLock { routes throws(TransportError) in
            if let routes { return try answer(to: whole, by: routes) }
            let opened = try open(for: whole)
            routes = opened
            return try answer(to: whole, by: opened)
        }
        return try passOn(response, request.reception)
    }

    /// Passes the body of a success on, if the request wants that.
    private func passOn(_ response: HTTPResponse, _ reception: Reception) throws(TransportError) -> HTTPResponse {
        guard case .streamed(let sink, holdsSuccess: false) = reception, (200..<300).contains(response.status) else {
            return response
        }
        var head = response
        head.body = []
        guard sink.begin(head), response.body.withUnsafeBytes(sink.write) else {
            throw TransportError(.stream, "cannot pass on the response", wasSent: true, isFinal: true)
        }
        return head
    }

    /// Opens the database. For a request with a session token it must exist: in a new database the session would seem
    /// to be revoked.
    private func open(for request: HTTPRequest) throws(TransportError) -> ParseRoutes {
        let hasSession = request.headers["X-Parse-Session-Token"] != nil
        guard hasSession, let file = settings.database else {
            return ParseRoutes(
                settings, database: try AccountDatabase.open(settings.database, busyTimeout: settings.busyTimeout))
        }
        do throws(TransportError) {
            return ParseRoutes(
                settings, database: try AccountDatabase.openExisting(file, busyTimeout: settings.busyTimeout))
        } catch  where request.method == .get && error.kind == .storage(.noSpace) {
            return ParseRoutes(settings, database: try AccountDatabase.openForReading(file))
        }
    }

    private func answer(to request: HTTPRequest, by routes: ParseRoutes) throws(TransportError) -> HTTPResponse {
        var step = try routes.begin(request)
        while true {
            switch step {
            case .answer(let response): return response
            case .next(let rest): step = try rest()
            case .hash(let job, let resume): step = try resume(job.run())
            case .fetch(let job, let resume): step = try resume(job.run())
            }
        }
    }
}

extension HTTPRequest {
    /// The request with its body in memory. The server rejects one of more than `RequestBody.maximumSize` bytes.
    fileprivate func withWholeBody() throws(TransportError) -> HTTPRequest {
        guard let bodySource else { return self }
        do throws(ByteSource.Failure) {
            var request = self
            request.body = try bodySource.bytes(limit: RequestBody.maximumSize)
            return request
        } catch {
            throw TransportError(.stream, "cannot read the body of the request", isFinal: true)
        }
    }
}
