import Platform

/// Names of command lines as situations of message snapshots.
extension [String] {
    /// The output format that the words ask for.
    var formatName: String { contains("--json") ? "JSON" : "text" }

    /// The words as one types them.
    var commandLine: String { map(\.shellQuoted).joined(separator: " ") }
}
