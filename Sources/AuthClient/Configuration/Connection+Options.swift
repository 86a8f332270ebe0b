package import AuthModel

extension Connection {
    /// For messages: `'https://example.org/parse' (backend 'parse', application 'shop')`.
    package var name: String {
        guard let server else { return "local accounts" }
        return "'\(server)' (backend '\(backend)'" + (appID.map { ", application '\($0)'" } ?? "") + ")"
    }

    /// The options that select this connection.
    package var options: [String] {
        let isExposed = (try? server.map(ServerURL.init))?.map { !$0.isSecure && !$0.isLoopback } ?? false
        return ["--backend", backend] + (server.map { ["--server", $0] } ?? [])
            + (appID.map { ["--app-id", $0] } ?? []) + (isExposed ? ["--allow-http"] : [])
    }
}
