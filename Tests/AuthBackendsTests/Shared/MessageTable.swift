import AuthModel
import CommandTestSupport
import MessageSnapshots
import Testing
import Transport

@testable import AuthBackends

/// The messages of many errors, each once, with the operations that show it.
///
/// Messages that differ only in quoted server text count as equal.
struct MessageTable {
    private struct Entry {
        let text: String
        /// `session-revoked: 401 none/session-bad-token`
        let situation: String
        var operations: [String] = []
    }

    private var entries: [String: Entry] = [:]

    /// - Parameter source: a short description of the response.
    mutating func add(_ error: AuthError, of operation: AuthModel.Operation, from source: String) {
        let text = error.shown
        let key = text.replacing(/".*"/, with: "\"…\"").replacing(/(error:   [^:]+: ).*/) { "\($0.1)…" }
        var entry = entries[key] ?? Entry(text: text, situation: "\(error.reason.rawValue): \(source)")
        if !entry.operations.contains("\(operation)") { entry.operations.append("\(operation)") }
        entries[key] = entry
    }

    /// Adds the errors among the recorded responses of a server.
    ///
    /// - Parameter check: throws the error of a response.
    mutating func addErrors<Call>(
        of server: RecordedServer, calls: (RecordedAnswer) -> [Call],
        operation: (RecordedAnswer, Call) -> AuthModel.Operation,
        check: (RecordedAnswer, AuthModel.Operation) throws -> Void
    ) throws {
        for answer in try RecordedAnswer.all(of: server) {
            for call in calls(answer) {
                let operation = operation(answer, call)
                do {
                    try check(answer, operation)
                } catch let error as AuthError {
                    add(error, of: operation, from: "\(answer.response.status) \(answer.name)")
                }
            }
        }
    }

    /// Compares the messages with the section of the running test in `Tests/Messages/FILE.txt`.
    func expect(in file: String) {
        #expect(!entries.isEmpty)
        for entry in entries.values {
            let operations = "for \(entry.operations.sorted().joined(separator: ", "))"
            MessageFile(file).expect("\(entry.text)\n\(operations)", entry.situation)
        }
    }
}
