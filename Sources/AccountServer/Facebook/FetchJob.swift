internal import Platform
package import Transport

/// A request to another server that a worker thread can send while the client's request is paused.
package struct FetchJob: Sendable {
    package enum Completion: Sendable {
        case answer(HTTPResponse)
        case noAnswer
    }

    let request: HTTPRequest
    private let transport: any HTTPTransport
    private let deadline: Duration

    /// - Parameter limit: measured from now, not from `run`, because waiting for a thread delays the client too.
    init(_ request: HTTPRequest, by transport: any HTTPTransport, within limit: Duration) {
        self.request = request
        self.transport = transport
        deadline = monotonicNow() + limit
    }

    /// Sends the request and waits for the response, at most until the deadline.
    package func run() -> Completion {
        var request = request
        let left = deadline - monotonicNow()
        guard left > .zero else { return .noAnswer }
        request.timeLimit = left
        // `try?`: callers do not need the reason for a failure.
        return (try? transport.send(request)).map(Completion.answer) ?? .noAnswer
    }
}
