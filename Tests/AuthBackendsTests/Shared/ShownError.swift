import AuthModel
import CommandTestSupport
import Testing

/// The error that `work` throws.
func failure(_ work: () throws -> Void) throws -> BackendError {
    try #require(throws: BackendError.self, performing: work)
}

extension BackendError {
    /// Every message and string in the error, including those that only JSON output shows.
    var allTexts: String { [shown.snapshot(), self.server?.message ?? "", self.server?.shownCode.text ?? ""].joined(separator: "\n") }
}

extension BackendError {
    var outcome: Outcome { shown.outcome }
    var snapshotLine: String { shown.snapshotLine }

    /// The token of the login that the error interrupted.
    var pendingToken: Secret? { state?.unfinishedLogin }
}
