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
    static func error(
        for response: HTTPResponse, to request: HTTPRequest, _ operation: Operation, now: Instant, _ masker: Masker
    ) -> AuthError {
        error(for: ErrorResponse(response, to: request, operation, now: now, masker))
    }

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

    /// The error of a response that has a success status but lacks the required content.
    static func invalidResponse(_ message: String, _ response: HTTPResponse) -> AuthError {
        AuthError(.invalidResponse, message, server: ServerDetail(status: response.status))
    }
}
