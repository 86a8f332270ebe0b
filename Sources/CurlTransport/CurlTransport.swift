import Synchronization
package import Transport

/// Sends requests to hosts, by libcurl.
///
/// The library is loaded by the first request, and connections stay open for the next ones. Certificates and host names
/// are always verified. One request is one attempt: libcurl follows no redirect and answers no demand for a password,
/// and what cannot be repeated goes over a connection of its own, because libcurl would send it again where a kept one
/// turns out to be dead.
package final class CurlTransport: HTTPTransport {
    private let settings: NetworkSettings
    private let userAgent: String
    /// `nil` before the first request. The lock lets threads share it; they wait for each other.
    private let session = Mutex<CurlSession?>(nil)

    package init(_ settings: NetworkSettings, userAgent: String = "authctl") {
        self.settings = settings
        self.userAgent = userAgent
    }

    /// - Throws: `TransportError` of kind `unavailable` where there is no libcurl, or none that is new enough.
    package func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        try session.withLock { session throws(TransportError) in
            if let session { return try session.send(request) }
            let opened = try CurlSession(settings, userAgent: userAgent)
            session = opened
            return try opened.send(request)
        }
    }
}
