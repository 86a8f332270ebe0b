import Synchronization

/// Sends one request and waits for its whole response.
///
/// A response of any status is an answer, not an error. The innermost transport sends once; around it stand, from the
/// inside, `TracingTransport`, `RedactingTransport`, `RedirectingTransport` and `RetryingTransport`.
package protocol HTTPTransport: Sendable {
    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse
}

/// Lets threads send at once, each by a transport of its own; one that is free again is used before another is made.
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
