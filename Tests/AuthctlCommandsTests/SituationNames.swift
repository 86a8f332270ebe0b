import Platform

/// Names of command lines in message snapshots.
extension [String] {
    /// The output format that the command line selects.
    var formatName: String { contains("--json") ? "JSON" : "text" }

    /// The command line with its words quoted for a shell.
    var commandLine: String { map(\.shellQuoted).joined(separator: " ") }
}
