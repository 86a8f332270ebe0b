import AuthModel
import JSON
import Platform
import Transport

/// How one kind of server reports errors: a parser for bodies, a table of codes, and the messages for this kind of
/// server. The backends share all other error handling.
protocol ErrorTable {
    /// The format of the server's errors. An error in the format of another kind of server means that the URL is wrong.
    /// `nil` disables this check.
    static var format: ErrorFormat? { get }

    /// Whether the server itself reports internal errors as an HTML page, as Django does.
    static var writesErrorPages: Bool { get }

    /// What a successful response to the operation must hold, unless a call says otherwise.
    static func required(for operation: Operation) -> Required

    /// Returns the error in a response with a success status that says that a login is not complete.
    static func failure(in object: JSONObject, _ response: ServerResponse) -> BackendError?

    /// Sets the properties that depend on the format of the body, such as the code and the messages.
    static func read(_ response: inout ErrorResponse)

    /// Returns a specific reason; `nil` to derive the reason from the status alone.
    static func reason(for response: ErrorResponse) -> AuthError.Reason?

    /// Returns the message for a reason; `nil` for the default message.
    static func message(for reason: AuthError.Reason, _ response: ErrorResponse) -> String?

    /// Returns the fact on which the use case decides; `nil` if there is none.
    static func fact(for reason: AuthError.Reason, _ response: ErrorResponse) -> AuthError.Fact?

    static func fields(for reason: AuthError.Reason, _ response: ErrorResponse) -> [FieldFault]

    /// Returns the next steps for a code of this kind of server; empty if the reason and the operation determine them.
    static func steps(for reason: AuthError.Reason, _ response: ErrorResponse) -> [NextStep]

    /// Returns what an error shows about the user's rights; `nil` if it is not in the form of the server's errors.
    static func refusal(_ response: ErrorResponse) -> Refusal?

    /// Returns the errors in the body of a response with a success status if it contains nothing else.
    static func errors(in body: JSONValue) -> [JSONValue]

    /// Returns the server's error message, not masked; `nil` if there is none.
    static func serverText(_ response: ErrorResponse) -> String?
}

extension ErrorTable {
    static var writesErrorPages: Bool { false }

    static func required(for operation: Operation) -> Required { .nothing }

    static func failure(in object: JSONObject, _ response: ServerResponse) -> BackendError? { nil }

    /// Whether the response is an error of this kind of server.
    static func wrote(_ response: ErrorResponse) -> Bool { format?.isOf(response) ?? false }

    static func fact(for reason: AuthError.Reason, _ response: ErrorResponse) -> AuthError.Fact? { nil }

    static func fields(for reason: AuthError.Reason, _ response: ErrorResponse) -> [FieldFault] {
        response.fields
    }

    static func steps(for reason: AuthError.Reason, _ response: ErrorResponse) -> [NextStep] {
        response.steps(for: reason)
    }

    static func refusal(_ response: ErrorResponse) -> Refusal? { nil }

    static func errors(in body: JSONValue) -> [JSONValue] { [] }

    static func serverText(_ response: ErrorResponse) -> String? {
        response.texts.isEmpty ? nil : response.texts.joined(separator: " ")
    }

    /// Returns the object in a successful response.
    static func check(_ response: ServerResponse, _ required: Required? = nil) throws(BackendError) -> JSONObject {
        guard response.isSuccess else { throw error(for: response) }
        let required = required ?? Self.required(for: response.operation)
        guard let object = response.http.json?.object else {
            if response.http.body.isEmpty, required.mayBeEmpty { return [:] }
            throw response.invalid()
        }
        guard errors(in: .object(object)).isEmpty else { throw error(for: response) }
        if let failure = failure(in: object, response) { throw failure }
        guard response.http.isSaidToBeJSON else { throw response.invalid("the response is not declared as JSON") }
        if let fault = required.fault(object) { throw response.invalid(fault) }
        return object
    }

    /// Maps an error response to an `BackendError`.
    static func error(for response: ServerResponse) -> BackendError {
        error(of: reading(ErrorResponse(response)), in: response)
    }

    /// - Parameter read: the response after `reading`.
    static func error(of read: ErrorResponse, in response: ServerResponse) -> BackendError {
        let error = error(of: read)
        guard error.reason.meansInvalidSession || response.http.status == 401, !error.usedProof,
            let seconds = response.http.secondsUntilValid(response.request)
        else { return error }
        return BackendError(
            .serverFault,
            "the token is not valid yet: the clock of the server is \(seconds) s behind that of the issuer",
            next: "set the clocks, or try again after this time", server: error.server, retryAfter: Int(seconds))
    }

    static func error(for response: ErrorResponse) -> BackendError { error(of: reading(response)) }

    static func reading(_ response: ErrorResponse) -> ErrorResponse {
        var response = response
        read(&response)
        return response
    }

    private static func error(of response: ErrorResponse) -> BackendError {
        var response = response
        let reasonOfBody = reason(for: response)
        response.isReasonOfStatus = reasonOfBody == nil
        // `authctl api` also reaches other parts of a site, which may send errors in any format.
        if let format, response.operation != .callAPI, let sender = ErrorFormat.of(response)?.sender,
            sender != format.sender
        {
            return foreign(sender, response)
        }
        var reason = reasonOfBody ?? response.reasonOfStatus
        if reason == .serverFault, response.meansLostResponse(writesErrorPages: writesErrorPages) {
            reason = .outcomeUnknown
        }
        var error = BackendError(
            reason, message(for: reason, response) ?? response.words(for: reason),
            fact: fact(for: reason, response), nextSteps: steps(for: reason, response),
            server: ServerDetail(
                status: response.status, code: response.code, shownCode: response.shownCode, subcode: response.subcode,
                message: serverText(response).map(response.masker.mask)),
            fields: fields(for: reason, response).map(response.masked),
            retryAfter: [.rateLimited, .accountLocked].contains(reason) ? response.retryAfter : nil)
        error.usedProof = response.operation.sendsProof
        error.isReasonOfStatus = response.isReasonOfStatus
        return error
    }

    private static func foreign(_ sender: String, _ response: ErrorResponse) -> BackendError {
        let message = message(for: .wrongEndpoint, response) ?? response.words(for: .wrongEndpoint)
        return BackendError(
            .wrongEndpoint, "\(message): the response comes from \(sender)",
            server: ServerDetail(status: response.status))
    }
}

extension BackendError {
    static func namesNoUser(status: Int = 200) -> BackendError {
        BackendError(.invalidResponse, "the response names no user", server: ServerDetail(status: status))
    }

    static func holdsNoSession(status: Int = 200) -> BackendError {
        BackendError(.invalidResponse, "the response has no session", server: ServerDetail(status: status))
    }

    static let holdsNoUsableSession = BackendError(.invalidResponse, "the response has no valid session")
    static let repeatsPage = BackendError(.invalidResponse, "the server repeats a page of the list")

    static let sessionOfOtherUser = BackendError(
        .invalidResponse, "the response has the session of another user", server: ServerDetail(status: 200))

    /// Runs the login after a password change that has revoked the session. If it waits for a step, returns the step.
    static func loggingInAgain(
        _ logIn: () throws(BackendError) -> LogInOutcome
    ) throws(BackendError) -> Reply<Pending?> {
        do throws(BackendError) {
            switch try logIn() {
            case .session(let new): return Reply(nil, replacement: new.session)
            case .waits(let pending, _): return Reply(pending)
            }
        } catch {
            var error = error.explaining(
                "the password was changed and the session was revoked, but the new login failed")
            error.isAfterSuccess = true
            throw error
        }
    }

    static let takesNoVerifier = BackendError(
        .unsupported, "the server does not accept a code verifier", next: "remove --code-verifier-file")

}

extension UserChange {
    /// Rejects a change of a field that a user update cannot set. Some servers would silently ignore it.
    func require(without isReadOnly: (String) -> Bool) throws(BackendError) {
        guard let name = (fields.names + unset).first(where: isReadOnly) else { return }
        throw BackendError(.invalidFields, "field '\(name)' is read-only", fields: [FieldFault(name, "is read-only")])
    }
}
