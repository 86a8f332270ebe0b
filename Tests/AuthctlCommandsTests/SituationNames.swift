import Platform

/// Names that message snapshots use for command lines.
extension [String] {
    /// The output format that the words select.
    var formatName: String { contains("--json") ? "JSON" : "text" }

    /// The words quoted for a shell.
    var commandLine: String { map(\.shellQuoted).joined(separator: " ") }
}
