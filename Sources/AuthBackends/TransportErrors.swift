package import AuthModel
import Platform
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
        case .storage(let fault): reason(for: fault)
        }
    }

    private static func reason(for fault: FileError.Kind) -> Reason {
        switch fault {
        case .unreadable: .unreadable
        case .unsafe: .unsafe
        case .corrupt: .corrupt
        case .newerVersion: .newerVersion
        case .locked: .locked
        case .noSpace: .noSpace
        case .notWritten: .notWritten
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
