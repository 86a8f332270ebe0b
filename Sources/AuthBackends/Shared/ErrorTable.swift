import AuthModel
import JSON
import Platform
import Transport

/// How one kind of server reports errors: a parser for bodies, a table of codes, and the messages that only this server
/// needs. Everything else is the same for all backends.
protocol ErrorTable {
    /// An error of another kind means that the URL belongs to another server. `nil`: errors are not compared.
    static var kind: ServerKind? { get }

    /// Whether the server itself reports internal errors as an HTML page, as Django does.
    static var writesErrorPages: Bool { get }

    /// Reads the code, the texts and the fields of the body.
    static func read(_ response: inout ErrorResponse)

    /// The reason in the body; `nil`: the status decides.
    static func reason(for response: ErrorResponse) -> AuthError.Reason?

    /// `nil`: the default message.
    static func message(for reason: AuthError.Reason, _ response: ErrorResponse) -> String?

    /// A fact that, in addition to the reason, decides the next step.
    static func fact(for reason: AuthError.Reason, _ response: ErrorResponse) -> AuthError.Fact?

    static func fields(for reason: AuthError.Reason, _ response: ErrorResponse) -> [FieldFault]

    /// All error texts of the server, joined.
    static func serverText(_ response: ErrorResponse) -> String?
}

extension ErrorTable {
    static var writesErrorPages: Bool { false }

    static func fact(for reason: AuthError.Reason, _ response: ErrorResponse) -> AuthError.Fact? { nil }

    static func fields(for reason: AuthError.Reason, _ response: ErrorResponse) -> [FieldFault] {
        response.fields
    }

    static func serverText(_ response: ErrorResponse) -> String? {
        response.texts.isEmpty ? nil : response.texts.joined(separator: " ")
    }

    /// Maps a response to an error. Every error with a status and a body is created here.
    static func error(for response: ServerResponse) -> AuthError { error(for: ErrorResponse(response)) }

    static func error(for response: ErrorResponse) -> AuthError {
        var response = response
        read(&response)
        let reasonOfBody = reason(for: response)
        response.isReasonOfStatus = reasonOfBody == nil
        // Other parts of a site may respond in any form.
        if let kind, response.operation != .callAPI, let sender = ServerKind(response), sender != kind {
            return foreign(sender, response)
        }
        var reason = reasonOfBody ?? response.reasonOfStatus
        if reason == .serverFault, response.meansLostResponse(writesErrorPages: writesErrorPages) {
            reason = .outcomeUnknown
        }
        var error = AuthError(
            reason, message(for: reason, response) ?? response.words(for: reason),
            server: ServerDetail(
                status: response.status, code: response.code, shownCode: response.shownCode, subcode: response.subcode,
                message: serverText(response).map(response.masker.mask)),
            fields: fields(for: reason, response).map(response.masked),
            retryAfter: [.rateLimited, .accountLocked].contains(reason) ? response.retryAfter : nil)
        error.fact = fact(for: reason, response)
        error.operation = response.operation
        error.evidence = response.isReasonOfStatus ? .status : .body
        return error
    }

    private static func foreign(_ sender: ServerKind, _ response: ErrorResponse) -> AuthError {
        let message = message(for: .wrongEndpoint, response) ?? response.words(for: .wrongEndpoint)
        return AuthError(
            .wrongEndpoint, "\(message): the response comes from \(sender.rawValue)",
            server: ServerDetail(status: response.status))
    }
}

/// Successful responses without the required content.
extension AuthError {
    static func namesNoUser(status: Int = 200) -> AuthError {
        AuthError(.invalidResponse, "the response names no user", server: ServerDetail(status: status))
    }

    static func holdsNoSession(status: Int = 200) -> AuthError {
        AuthError(.invalidResponse, "the response has no session", server: ServerDetail(status: status))
    }

    static let holdsNoUsableSession = AuthError(.invalidResponse, "the response has no valid session")
    static let sessionOfOtherUser = AuthError(
        .invalidResponse, "the response has the session of another user", server: ServerDetail(status: 200))

    /// A change of a field that only the server sets. Servers ignore such a change, so it is not sent.
    static func readOnly(_ name: String) -> AuthError {
        AuthError(.invalidFields, "field '\(name)' is read-only", fields: [FieldFault(name, "is read-only")])
    }
}
