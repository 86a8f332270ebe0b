import MessageSnapshots
import Testing
import Transport

extension TransportError {
    /// Compares message and hint with the section of the running test in `Tests/Messages/FILE.txt`.
    func expectMessage(
        in file: String, _ situation: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let lines = ["error: \(message)"] + hints.map { "hint: \($0)" }
        MessageFile(file).expect(lines.joined(separator: "\n"), situation, sourceLocation: sourceLocation)
    }
}
