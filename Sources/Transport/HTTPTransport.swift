import Synchronization

/// Sends one request and waits for its complete response.
///
/// A response of any status is a result, not an error. The innermost transport sends once. It is wrapped, from the
/// inside out, in `TracingTransport`, `RedirectingTransport` and `RetryingTransport`.
package protocol HTTPTransport: Sendable {
    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse

    /// Returns a transport whose requests share the time limit of one, counted from now, as the pages of a list do.
    func sharingTimeLimit() -> any HTTPTransport
}

extension HTTPTransport {
    /// For transports without a time limit.
    package func sharingTimeLimit() -> any HTTPTransport { self }
}

/// Lets threads send concurrently, each with a separate transport. Idle transports are reused.
package final class SharedTransport: HTTPTransport {
    private let make: @Sendable () -> any HTTPTransport
    private let free = Mutex<[any HTTPTransport]>([])

    package init(making make: @escaping @Sendable () -> any HTTPTransport) {
        self.make = make
    }

    package func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        let transport = free.withLock { $0.popLast() } ?? make()
        defer { free.withLock { $0.append(transport) } }
        return try transport.send(request)
    }
}
