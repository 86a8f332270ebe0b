import Foundation

/// A script that prints its port when it listens. It stops when the last reference is released.
final class ServingScript: Sendable {
    let port: Int
    private let program: RunningProgram

    init(_ commandLine: [String], in world: Sandbox, environment: [String: String] = [:]) throws {
        let pipe = Pipe()
        program = try world.start(
            [], environment: environment.mapValues(Optional.some), output: pipe.fileHandleForWriting.fileDescriptor,
            program: commandLine)
        try pipe.fileHandleForWriting.close()
        // One read is enough: the script writes the line in one call. The data is empty if the script ends first.
        let line = pipe.fileHandleForReading.availableData
        guard let ready = try? JSONSerialization.jsonObject(with: line) as? [String: Int], let port = ready["port"]
        else {
            throw JSONDocument.Fault("'\(commandLine.joined(separator: " "))' did not start: \(program.errorSoFar)")
        }
        self.port = port
    }

    /// Changes the controls of a fake, and returns its state.
    func control(_ changes: String, _ world: Sandbox) throws -> JSONDocument {
        let words = ["-sS", "--fail", "-X", "PATCH", "-d", changes, "-w", "\\n", "\(url)/control"]
        return try JSONDocument(line: try world.start(words, program: ["/usr/bin/curl"]).wait().output)
    }

    var url: String { "http://127.0.0.1:\(port)" }
    var log: String { program.errorSoFar }
}
