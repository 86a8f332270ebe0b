import Transport

struct OneAnswer: HTTPTransport {
    let answer: HTTPResponse

    func send(_ request: HTTPRequest) -> HTTPResponse { answer }
}
