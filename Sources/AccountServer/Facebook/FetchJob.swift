internal import Platform
package import Transport

/// One request to another server, cut out of the request it belongs to so that another thread can wait for its answer.
package struct FetchJob: Sendable {
    package enum Completion: Sendable {
        case answer(HTTPResponse)
        case noAnswer
    }

    let request: HTTPRequest
    private let transport: any HTTPTransport
    private let deadline: Duration

    /// - Parameter limit: counted from now on, not from `run`: whoever asked does not care which of them takes long.
    init(_ request: HTTPRequest, by transport: any HTTPTransport, within limit: Duration) {
        self.request = request
        self.transport = transport
        deadline = monotonicNow() + limit
    }

    /// Takes as long as the other server wants, but not beyond the limit.
    package func run() -> Completion {
        var request = request
        let left = deadline - monotonicNow()
        guard left > .zero else { return .noAnswer }
        request.timeLimit = left
        // `try?`: why there was no answer matters to nobody here.
        return (try? transport.send(request)).map(Completion.answer) ?? .noAnswer
    }
}
