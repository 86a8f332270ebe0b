import TestSupport

extension ScriptedServer {
    /// Options that select this server as a Parse server.
    var options: [String] { ["--backend", "parse", "--app-id", "shop", "--server", url("/parse")] }

    /// Serves one API path with a JSON response.
    convenience init(_ path: String, _ status: String, _ body: String, _ fields: [String] = []) throws {
        try self.init([
            "/parse\(path)": [.answer(status, ["Content-Type: application/json"] + fields, body)]
        ])
    }
}
