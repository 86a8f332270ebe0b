import AuthModel
import CommandTestSupport
import Testing

/// The error that `work` throws.
func failure(_ work: () throws -> Void) throws -> AuthError {
    try #require(throws: AuthError.self, performing: work)
}

extension AuthError {
    /// Every message and string in the error, including those that only JSON output shows.
    var allTexts: String { [snapshot(), server?.message ?? "", server?.shownCode.text ?? ""].joined(separator: "\n") }
}
