import Expectations
import Platform
import Transport

/// Retries and redirects of requests with a streamed request or response body.
@Suite struct StreamedRequestTests {
    private typealias Answer = ScriptedTransport.Answer

    private let clock = HandClock()
    private static let sink = BodySink(begin: { _ throws(Errno) in }, write: { _ throws(Errno) in })

    private static func retrying(_ inner: any HTTPTransport) -> RetryingTransport {
        RetryingTransport(
            inner, timeLimit: .seconds(30), retryAfter: { $0.headers["Retry-After"].flatMap { Int($0) } },
            jitter: { 0.5 }, pause: { _ in })
    }

    private static func request(_ sink: BodySink) -> HTTPRequest {
        var request = HTTPRequest(.get, "https://good.test/x")
        request.reception = .streamed(sink, holdsSuccess: false)
        return request
    }

    // MARK: - Retries

    @Test func `a request with a body sink is retried if the sink received no response`() throws {
        let inner = ScriptedTransport([.status(503), .failure(.timeout, wasSent: true), .status(200)])
        try expect(Self.retrying(inner).send(Self.request(Self.sink)).status, 200)
        expect(inner.received.count, 3)
    }

    /// The sink also receives some error responses, such as those of more than 1 MiB.
    @Test(arguments: [429, 500, 502, 503, 504])
    func `a request with a body sink is not retried after the sink received a response`(status: Int) throws {
        let sink = BodySink(begin: { _ throws(Errno) in }, write: { _ throws(Errno) in })
        let inner = PassingTransport(HTTPResponse(status: status, headers: ["Retry-After": "1"]))
        try expect(Self.retrying(inner).send(Self.request(sink)).status, status)
        #expect(sink.hasBegun)
        expect(sink.count, 3)
    }

    @Test(arguments: [TransportError.Kind.invalidResponse, .timeout, .connect, .dns, .proxy, .stream])
    func `a request with a body sink is not retried after an error marked as final`(kind: TransportError.Kind) {
        let error = TransportError(kind, "broken", wasSent: true).asFinal
        let inner = ScriptedTransport([Answer.failure(error)])
        #expect(throws: error) { () throws in _ = try Self.retrying(inner).send(Self.request(Self.sink)) }
        expect(inner.received.count, 1)
    }

    @Test(arguments: [(true, 3), (false, 1)])
    func `a request is retried only if its streamed body can be read again`(isRepeatable: Bool, count: Int) throws {
        var request = HTTPRequest(.put, "https://good.test/x", isIdempotent: true)
        let goBack: (@Sendable () -> Bool)? = isRepeatable ? { @Sendable in true } : nil
        let source = ByteSource(count: nil, input: { _ throws(Errno) in 1 }, goBack: goBack)
        _ = try source.bytes(limit: 3)
        request.bodySource = source
        let inner = ScriptedTransport([.status(503)])
        try expect(Self.retrying(inner).send(request).status, 503)
        expect(inner.received.count, count)
    }

    // MARK: - Redirects

    @Test func `a request with a stall limit keeps its full time limit after a redirect`() throws {
        let inner = ScriptedTransport([.redirect(to: "/parse/b"), .status(200)], delay: .seconds(100), clock: clock)
        var request = HTTPRequest(.get, "https://good.test/parse/a")
        request.timeLimit = .seconds(30)
        request.stallLimit = .seconds(5)
        let transport = RedirectingTransport(inner, mount: "https://good.test/parse", clock: clock.now)
        try expect(transport.send(request).status, 200)
        expect(inner.received.map(\.stallLimit), [.seconds(5), .seconds(5)])
        expect(inner.received.map(\.timeLimit), [.seconds(30), .seconds(30)])
    }

    @Test func `a write error of the body sink is final even after a redirect`() {
        let inner = ScriptedTransport([
            .redirect(to: "/parse/b"), .failure(TransportError(.stream, "cannot pass on", wasSent: true).asFinal),
        ])
        let transport = RedirectingTransport(inner, mount: "https://good.test/parse")
        let error = #expect(throws: TransportError.self) {
            try transport.send(HTTPRequest(.get, "https://good.test/parse/a"))
        }
        expect(error?.kind, .stream)
        expect(error?.isFinal, true)
    }
}

/// Streams a fixed response with a body of three bytes to the sink, and returns the response. Accepts only one request.
private struct PassingTransport: HTTPTransport {
    private let response: HTTPResponse

    init(_ response: HTTPResponse) {
        self.response = response
    }

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        guard let sink = request.reception.sink, !sink.hasBegun, sink.begin(response) else {
            throw TransportError(.unavailable, "a second request")
        }
        _ = ([1, 2, 3] as [UInt8]).withUnsafeBytes(sink.write)
        return response
    }
}
