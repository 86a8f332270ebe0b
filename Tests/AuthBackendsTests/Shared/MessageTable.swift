import AuthModel
import CommandTestSupport
import MessageSnapshots
import Testing
import Transport

@testable import AuthBackends

/// The messages of many errors, each once, with the operations that show it.
///
/// Messages that differ only in quoted server text or its code count as equal.
struct MessageTable {
    private struct Entry {
        let error: AuthError
        /// `401 none/session-bad-token`
        let source: String
        var operations: Set<String>

        var text: String { error.snapshot(of: "\(source) for \(operations.sorted().joined(separator: ", "))") }
    }

    private var entries: [String: Entry] = [:]

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

    private mutating func add(_ error: AuthError, of operation: AuthModel.Operation, from source: String) {
        let key = error.snapshot().replacing(/".*"/, with: "\"…\"").replacing(#/(  field [^:]+: ).*/#) { "\($0.1)…" }
            .replacing(#/ \(code .*\)/#, with: "")
        entries[key, default: Entry(error: error, source: source, operations: [])].operations.insert("\(operation)")
    }

    /// Compares the messages with the section of the running test in `Tests/Messages/FILE.txt`.
    func expect(in file: String) {
        #expect(!entries.isEmpty)
        MessageFile(file).expect(entries.values.map(\.text).sorted().joined(separator: "\n"))
    }
}
