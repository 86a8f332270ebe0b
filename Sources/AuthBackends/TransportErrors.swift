package import AuthModel
package import Transport

extension AuthError {
    /// No answer, as the user is told.
    package init(_ error: TransportError) {
        self.init(Self.reason(for: error), error.message, hint: error.hint)
    }

    private static func reason(for error: TransportError) -> Reason {
        switch error.kind {
        case .dns: .dns
        case .connect: .connect
        case .tls: .tls
        case .proxy: .proxy
        case .timeout: .timeout
        case .brokenAnswer: .brokenAnswer
        case .redirect: .redirect
        case .unavailable: .internal
        case .storage(let fault): Reason(fault)
        }
    }
}

extension HTTPTransport {
    /// Sends a request; no answer is told as the user is told.
    func answer(to request: HTTPRequest) throws(AuthError) -> HTTPResponse {
        do throws(TransportError) {
            return try send(request)
        } catch {
            throw AuthError(error)
        }
    }
}
