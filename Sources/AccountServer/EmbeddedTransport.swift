import Synchronization
package import Transport

/// Sends requests to an account server in this process.
///
/// The database is opened by the first request, and stays open. Passwords are hashed, and other servers asked, on the
/// calling thread.
package final class EmbeddedTransport: HTTPTransport {
    private let settings: ServerSettings
    /// `nil` before the first request. One thread at a time by the program's design; the lock costs nothing then, and
    /// lets the compiler see that a transport may be shared.
    private let routes = Mutex<ParseRoutes?>(nil)

    package init(_ settings: ServerSettings) {
        self.settings = settings
    }

    /// - Throws: `TransportError` of kind `storage` if the database could not be used.
    package func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        try routes.withLock { routes throws(TransportError) in
            if let routes { return try answer(to: request, by: routes) }
            let opened = try open(for: request)
            routes = opened
            return try answer(to: request, by: opened)
        }
    }

    /// Who has a session had a database: where it is missing now, none is made in its place, or the session would seem
    /// to be revoked.
    private func open(for request: HTTPRequest) throws(TransportError) -> ParseRoutes {
        let hasSession = request.headers["X-Parse-Session-Token"] != nil
        let open = hasSession ? AccountDatabase.openExisting : AccountDatabase.open
        return ParseRoutes(settings, database: try open(settings.database, settings.busyTimeout))
    }

    private func answer(to request: HTTPRequest, by routes: ParseRoutes) throws(TransportError) -> HTTPResponse {
        var step = try routes.begin(request)
        while true {
            switch step {
            case .answer(let response): return response
            case .hash(let job, let resume): step = try resume(job.run())
            case .fetch(let job, let resume): step = try resume(job.run())
            }
        }
    }
}
