import Foundation
import Synchronization
import Testing
import Transport

@Suite struct SharedTransportTests {
    @Test func `requests in sequence share one transport`() throws {
        let made = Counter()
        let shared = SharedTransport {
            made.count()
            return Waiting(for: 1)
        }
        for _ in 0..<3 { #expect(try shared.send(HTTPRequest(.get, "http://a.test")).status == 200) }
        #expect(made.value == 1)
    }

    @Test func `two concurrent requests do not wait for each other`() throws {
        let (made, both) = (Counter(), Waiting(for: 2))
        let shared = SharedTransport {
            made.count()
            return both
        }
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
            // Each request gets its response after both have arrived.
            #expect((try? shared.send(HTTPRequest(.get, "http://a.test")))?.status == 200)
        }
        #expect(made.value == 2)
    }

    @Test func `a transport that failed is used again`() throws {
        let made = Counter()
        let shared = SharedTransport {
            made.count()
            return ScriptedTransport([.failure(TransportError(.connect, "connection refused"))])
        }
        for _ in 0..<2 {
            #expect(throws: TransportError.self) { try shared.send(HTTPRequest(.get, "http://a.test")) }
        }
        #expect(made.value == 1)
    }
}

private final class Counter: Sendable {
    private let number = Mutex(0)

    var value: Int { number.withLock { $0 } }

    func count() { number.withLock { $0 += 1 } }
}

/// Responds after the given number of requests have arrived.
private final class Waiting: HTTPTransport {
    private let most: Int
    private let asking = Mutex(0)

    init(for most: Int) {
        self.most = most
    }

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        asking.withLock { $0 += 1 }
        let deadline = Date(timeIntervalSinceNow: 20)
        while asking.withLock({ $0 }) < most {
            guard Date() < deadline else { throw TransportError(.timeout, "no other request arrived") }
            usleep(1000)
        }
        return HTTPResponse(status: 200)
    }
}
