import Platform

/// Situation names in message snapshots, made from the words of a command line.
extension [String] {
    /// The output format that the command line selects.
    var formatName: String { contains("--json") ? "JSON" : "text" }

    /// The words quoted for a shell.
    var commandLine: String { map(\.shellQuoted).joined(separator: " ") }
}
