import AuthModel
import CommandTestSupport
import Testing

/// The error that `work` throws.
func failure(_ work: () throws -> Void) throws -> AuthError {
    try #require(throws: AuthError.self, performing: work)
}

extension AuthError {
    /// Every text of the error, including texts that only JSON output shows.
    var allTexts: String { [snapshot(), server?.message ?? "", server?.shownCode.text ?? ""].joined(separator: "\n") }
}
