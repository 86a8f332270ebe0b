package import Transport

extension AuthError {
    /// The error for a request that received no valid response.
    package init(_ error: TransportError) {
        self.init(Self.reason(for: error), error.message, nextSteps: error.hints.map { NextStep($0) })
    }

    private static func reason(for error: TransportError) -> Reason {
        switch error.kind {
        case .dns: .dns
        case .connect: .connect
        case .tls: .tls
        case .proxy: .proxy
        case .timeout: .timeout
        case .invalidResponse: .invalidResponse
        case .redirect, .missingSlash: .redirect
        case .unavailable, .stream, .outOfMemory: .internal
        case .unusableSetting: .usage
        case .storage(let fault): Reason(fault)
        }
    }
}

extension HTTPTransport {
    /// `send` with the error that the user sees.
    package func response(to request: HTTPRequest) throws(AuthError) -> HTTPResponse {
        do throws(TransportError) {
            return try send(request)
        } catch {
            throw AuthError(error)
        }
    }
}
