package import AuthModel
package import Transport

extension AuthError {
    /// No answer, as the user is told.
    package init(_ error: TransportError) {
        self.init(Self.reason(for: error), error.message, hint: error.hint)
    }

    /// No answer to a request that must not be made twice: whether it had its effect nobody knows.
    ///
    /// - Parameter doubt: what may be done all the same; `nil`: trying again does no harm.
    init(_ error: TransportError, doubt: String?) {
        if let doubt, error.wasSent, error.meansLostAnswer {
            self.init(.outcomeUnknown, "the answer was lost: \(error.message)", hint: doubt)
        } else {
            self.init(error)
        }
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
        case .unusableSetting: .usage
        case .storage(let fault): Reason(fault)
        }
    }
}

extension TransportError {
    fileprivate var meansLostAnswer: Bool {
        switch kind {
        case .connect, .proxy, .timeout, .brokenAnswer: true
        case .dns, .tls, .redirect, .unavailable, .unusableSetting, .storage: false
        }
    }
}

extension HTTPTransport {
    /// Sends a request; no answer is told as the user is told.
    ///
    /// - Parameter doubt: what may be done although the answer was lost, of a request that must not be sent twice.
    func answer(to request: HTTPRequest, doubt: String? = nil) throws(AuthError) -> HTTPResponse {
        do throws(TransportError) {
            return try send(request)
        } catch {
            // Where a redirect leads to, a server says.
            var error = AuthError(error, doubt: doubt)
            error.message = request.masking(error.message)
            error.hint = error.hint.map(request.masking)
            throw error
        }
    }
}
