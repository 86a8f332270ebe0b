extension [String] {
    /// The output format that a command line asks for, as the situation of a message snapshot.
    var formatName: String { contains("--json") ? "JSON" : "text" }
}
