/// The error of a backend: the error that the user sees, and the session that the use case must keep.
///
/// `BackendProvider.call` converts it to an `AuthError`.
@dynamicMemberLookup
package struct BackendError: Error, Sendable, Equatable {
    package var shown: AuthError
    /// The session that replaces the one used for the request; `nil` if there is none. Some servers issue a new token even
    /// in an error response.
    package var replacement: Session?
    /// Whether the body of the response does not explain the failure, so that the reason is that of the HTTP status.
    package var isReasonOfStatus = false

    package init(_ shown: AuthError) {
        self.shown = shown
    }

    /// - Parameter step: a single next step; replaces `nextSteps`.
    package init(
        _ reason: AuthError.Reason, _ message: String, fact: AuthError.Fact? = nil, next step: NextStep? = nil,
        nextSteps: [NextStep] = [], server: ServerDetail? = nil, fields: [FieldFault] = [], retryAfter: Int? = nil
    ) {
        shown = AuthError(
            reason, message, fact: fact, next: step, nextSteps: nextSteps, server: server, fields: fields,
            retryAfter: retryAfter)
    }

    package static let sessionExpired = BackendError(.sessionExpired)
    package static let sessionRevoked = BackendError(.sessionRevoked)

    /// `AuthError.explaining`.
    package func explaining(_ failure: String) -> BackendError {
        var error = self
        error.shown = shown.explaining(failure)
        return error
    }

    package subscript<Value>(dynamicMember member: KeyPath<AuthError, Value>) -> Value { shown[keyPath: member] }

    package subscript<Value>(dynamicMember member: WritableKeyPath<AuthError, Value>) -> Value {
        get { shown[keyPath: member] }
        set { shown[keyPath: member] = newValue }
    }
}
