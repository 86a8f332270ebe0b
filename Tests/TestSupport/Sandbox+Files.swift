package import Foundation

extension Sandbox {
    /// The permission bits; `nil` if the file does not exist. Symbolic links are not followed.
    package func mode(_ path: String) -> UInt32? {
        status(path).map { UInt32($0.st_mode & 0o7777) }
    }

    package func status(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    package func isThere(_ path: String) -> Bool { status(path) != nil }

    package func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    package func text(_ path: String) throws -> String { String(decoding: try bytes(path), as: UTF8.self) }

    /// Writes a file. A new file gets mode 0600, and new parent folders get 0700.
    package func write(_ bytes: [UInt8], to path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let isNew = !isThere(path)
        record.addWritten(path)
        // Not atomic, so that an existing file keeps its mode and its links.
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        if isNew { chmod(path, 0o600) }
    }

    package func write(_ text: String, to path: String) throws {
        try write(Array(text.utf8), to: path)
    }

    /// Writes an executable file in a separate process. If this process wrote the file, a child of another test could
    /// inherit the open descriptor, and the system does not execute a file that is open for writing.
    package func writeProgram(_ text: String, to path: String) throws {
        record.addWritten(path)
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        _ = try runScript(
            "mkdir -p -m 700 '\(folder)' && cat > '\(path)' && chmod 755 '\(path)'", input: .bytes(Array(text.utf8)))
    }

    /// The paths of everything below a folder, without the folder itself.
    package func contents(of folder: String) -> [String] {
        (FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []).map { "\(folder)/\($0)" }
    }

    /// Every file in a folder (by default the home folder) with its content, for comparisons. Lock files are left out,
    /// because they contain a process id.
    package func snapshot(_ folder: String? = nil) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for path in contents(of: folder ?? home) where isFile(path) && !isLock(path) {
            files[path] = try? bytes(path)
        }
        return files
    }

    /// Whether the path is the lock file of a folder or of a session.
    package func isLock(_ path: String) -> Bool {
        let name = URL(fileURLWithPath: path).lastPathComponent
        return name == ".lock" || name.hasPrefix(".lock-")
    }

    private func isFile(_ path: String) -> Bool {
        (status(path)?.st_mode ?? 0) & S_IFMT == S_IFREG
    }
}

extension Sandbox {
    /// The code blocks of a manual page, such as `authctl-api.1`.
    package func codes(ofManual page: String) throws -> [String] {
        let escapes = [
            ("\\-", "-"), ("\\(aq", "'"), ("\\(ga", "`"), ("\\(ha", "^"), ("\\(ti", "~"), ("\\(dq", "\""), ("\\&", ""),
            ("\\e", "\\"),
        ]
        return try text("\(Installation.project)/man/\(page)").components(separatedBy: "\n.EX\n").dropFirst().map {
            text in
            escapes.reduce(text.components(separatedBy: "\n.EE")[0]) {
                $0.replacingOccurrences(of: $1.0, with: $1.1)
            }
        }
    }
}
