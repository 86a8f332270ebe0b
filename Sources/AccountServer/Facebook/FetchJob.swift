package import Transport

/// One request to another server, cut out of the request it belongs to so that another thread can wait for its answer.
package struct FetchJob: Sendable {
    package enum Outcome: Sendable {
        case answer(HTTPResponse)
        case noAnswer
    }

    let request: HTTPRequest
    private let transport: any HTTPTransport

    init(_ request: HTTPRequest, by transport: any HTTPTransport) {
        self.request = request
        self.transport = transport
    }

    /// Takes as long as the other server and the transport's patience want.
    package func run() -> Outcome {
        // `try?`: why there was no answer matters to nobody here, and may name a URL with a token in it.
        (try? transport.send(request)).map(Outcome.answer) ?? .noAnswer
    }
}
