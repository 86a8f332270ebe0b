import Platform

/// Names of command lines as situations of message snapshots.
extension [String] {
    /// The output format that the words select.
    var formatName: String { contains("--json") ? "JSON" : "text" }

    /// The words quoted for a shell.
    var commandLine: String { map(\.shellQuoted).joined(separator: " ") }
}
