import MessageSnapshots
import Testing
import Transport

extension TransportError {
    /// Compares the message and the hints with the running test's section of `Tests/Messages/FILE.txt`.
    func expectMessage(in file: String, _ situation: String? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
        let lines = ["error: \(message)"] + hints.map { "hint: \($0)" }
        MessageFile(file).expect(lines.joined(separator: "\n"), situation, sourceLocation: sourceLocation)
    }
}
