import Transport

extension HTTPResponse {
    /// The response as the program reads it after this request.
    func redacted(for request: HTTPRequest) -> HTTPResponse {
        // `try?`: it is always a response.
        (try? RedactingTransport(OneAnswer(answer: self)).send(request)) ?? self
    }
}

/// Gives the same response to every request.
struct OneAnswer: HTTPTransport {
    let answer: HTTPResponse

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse { answer }
}
