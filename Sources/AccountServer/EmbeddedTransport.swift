import Platform
import Synchronization
package import Transport

/// Sends requests to an account server in this process.
///
/// The first request opens the database, which stays open.
package final class EmbeddedTransport: HTTPTransport {
    private let settings: ServerSettings
    /// `nil` before the first request.
    private let routes = Mutex<ParseRoutes?>(nil)

    package init(_ settings: ServerSettings) {
        self.settings = settings
    }

    /// - Throws: `TransportError` of kind `storage` or `outOfMemory`, or of kind `stream` if the request body could not
    ///   be read or the response body could not be written.
    package func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        let whole = try request.withWholeBody()
        let opened: ParseRoutes
        do throws(TransportError) {
            opened = try routes.withLock { routes throws(TransportError) in
                let opened = if let routes { routes } else { try open(for: whole) }
                routes = opened
                return opened
            }
        } catch {
            // On a full disk, a request that only reads is still answered. The connection serves no other request.
            guard error.kind == .storage(.noSpace), whole.method == .get, let file = settings.database,
                let connection = try AccountDatabase.openToRead(file)
            else { throw error }
            opened = ParseRoutes(settings, database: GuardedDatabase(connection))
        }
        return try passOn(try opened.answer(to: whole), request.reception)
    }

    /// Writes the body of a successful response to the sink, if `reception` has one and `holdsSuccess` is false.
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

    /// Opens the database. For a request with a session token, the database must exist: in a new database, the session
    /// would seem to be revoked.
    private func open(for request: HTTPRequest) throws(TransportError) -> ParseRoutes {
        let hasSession = request.headers["X-Parse-Session-Token"] != nil
        let connection =
            if hasSession, let file = settings.database {
                try AccountDatabase.openExisting(file, busyTimeout: settings.busyTimeout)
            } else {
                try AccountDatabase.open(settings.database, busyTimeout: settings.busyTimeout)
            }
        return ParseRoutes(settings, database: GuardedDatabase(connection))
    }
}

extension HTTPRequest {
    /// The request with its body in memory, or with the start of the body if it is longer than the server accepts.
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
