import CommandTestSupport

/// The error that the user sees after `work` throws.
func failure<Value>(_ work: () throws -> Value) throws -> AuthError {
    try backendFailure {
        do {
            return try work()
        } catch let error as AuthError {
            throw BackendError(error)
        }
    }.shown
}

/// The error that `work` throws.
func backendFailure<Value>(_ work: () throws -> Value) throws -> BackendError {
    try #require(throws: BackendError.self, performing: work)
}

extension LogInOutcome {
    /// The step that the login waits for.
    var pending: Pending? { if case .waits(let pending, _) = self { pending } else { nil } }
}

extension AuthError {
    /// Every message and string in the error, including those that only JSON output shows.
    var allTexts: String { [snapshot(), server?.message ?? "", server?.shownCode.text ?? ""].joined(separator: "\n") }
}
