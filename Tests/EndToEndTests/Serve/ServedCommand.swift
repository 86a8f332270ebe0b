import Foundation
import TestSupport

/// `authctl serve --ephemeral -- sh -c SCRIPT` whose script has printed its first line.
final class ServedCommand {
    let program: RunningProgram
    /// The first line that the script printed.
    let line: String
    private let output: Pipe

    init(_ script: String, _ options: String..., in world: Sandbox, terminal: PseudoTerminal? = nil) throws {
        output = Pipe()
        program = try world.start(
            ["serve", "--ephemeral"] + options + ["--", "sh", "-c", script], terminal: terminal,
            output: output.fileHandleForWriting.fileDescriptor)
        try output.fileHandleForWriting.close()
        var bytes = Data()
        while bytes.last != UInt8(ascii: "\n") {
            let next = try output.fileHandleForReading.read(upToCount: 1) ?? Data()
            if next.isEmpty { break }
            bytes += next
        }
        line = String(decoding: bytes.dropLast(), as: UTF8.self)
    }

    /// The rest of standard output; returns when authctl and the script have ended.
    func rest() throws -> String {
        String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }
}

extension Sandbox {
    /// The temporary folders that `serve -- COMMAND` created after `keepTemporaryFiles`.
    var temporaryFolders: [String] {
        contents(of: "\(root)/tmp").filter { !$0.dropFirst("\(root)/tmp/".count).contains("/") }
    }

    /// Gives programs a separate folder for temporary files.
    func keepTemporaryFiles() throws {
        try FileManager.default.createDirectory(
            atPath: "\(root)/tmp", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        set("TMPDIR", to: "\(root)/tmp")
    }
}
