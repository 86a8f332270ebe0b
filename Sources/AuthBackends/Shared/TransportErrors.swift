import AuthModel
import Transport

extension BackendError {
    init(_ error: TransportError) { self.init(AuthError(error)) }
}

extension TransportError {
    fileprivate var meansLostResponse: Bool {
        guard wasSent else { return false }
        return switch kind {
        case .connect, .proxy, .timeout, .invalidResponse: true
        case .dns, .tls, .redirect, .missingSlash, .unavailable, .unusableSetting, .stream, .outOfMemory, .storage:
            false
        }
    }
}

extension HTTPTransport {
    /// Sends a request. Throws `outcomeUnknown` if the request must not be retried and its response is lost.
    ///
    /// - Parameter mayLackSlash: whether the path may lack a trailing slash that the server requires. For any other
    ///   path, a redirect that adds a slash means that the URL belongs to a different kind of server.
    func response(
        to request: HTTPRequest, _ operation: Operation, mayLackSlash: Bool = false
    ) throws(BackendError) -> HTTPResponse {
        do throws(TransportError) {
            return try send(request)
        } catch {
            if error.kind == .missingSlash, !mayLackSlash {
                throw BackendError(.wrongEndpoint, "the server adds a slash to the path, as Django does")
            }
            guard operation.hasEffect, !request.isIdempotent, error.meansLostResponse else { throw BackendError(error) }
            throw BackendError(
                .outcomeUnknown, "\(error.message); the outcome is unknown", nextSteps: operation.stepsToCheck)
        }
    }
}
