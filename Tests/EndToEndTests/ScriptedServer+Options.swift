import TestSupport

extension ScriptedServer {
    /// The options that make it the Parse server of a command.
    var options: [String] { ["--backend", "parse", "--app-id", "shop", "--server", url("/parse")] }

    /// Answers one path of its API with JSON.
    convenience init(_ path: String, _ status: String, _ body: String, _ fields: [String] = []) throws {
        try self.init([
            "/parse\(path)": [.answer(status, ["Content-Type: application/json"] + fields, body)]
        ])
    }
}
