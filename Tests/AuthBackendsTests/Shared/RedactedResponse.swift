import Transport

extension HTTPResponse {
    /// The response as the redacting transport returns it after this request.
    func redacted(for request: HTTPRequest) -> HTTPResponse {
        // `try?`: `OneAnswer` never throws.
        (try? RedactingTransport(OneAnswer(answer: self)).send(request)) ?? self
    }
}

/// Returns the same response to every request.
struct OneAnswer: HTTPTransport {
    let answer: HTTPResponse

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse { answer }
}
