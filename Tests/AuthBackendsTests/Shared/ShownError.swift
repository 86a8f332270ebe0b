import AuthModel
import CommandTestSupport
import Testing

/// The error that the work throws.
func failure(_ work: () throws -> Void) throws -> AuthError {
    try #require(throws: AuthError.self, performing: work)
}

extension AuthError {
    /// The error as users read it: message, field errors, hints, reason.
    var shown: String {
        let lines =
            ["error: \(message)"] + fields.map { "error:   \($0.field): \($0.message)" } + hints.map { "hint: \($0)" }
        return (lines + ["reason \(reason.rawValue)"]).joined(separator: "\n")
    }

    /// Every text of the error, also those that only JSON output shows.
    var allTexts: String { [shown, server?.message ?? "", server?.shownCode.text ?? ""].joined(separator: "\n") }
}
