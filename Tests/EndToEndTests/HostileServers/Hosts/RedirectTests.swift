import TestSupport
import Testing

/// Redirects. `RedirectingTransportTests` has all targets and statuses.
@Suite(.keepsSecrets) struct RedirectTests {
    private func server(_ operation: Operation, of kind: ServerKind, to location: String) throws -> ScriptedServer {
        let moved = ScriptedServer.Answer.answer("302 Found", ["Location: \(location)", "Set-Cookie: a=1"], "moved")
        let good = ["/api/moved": [operation.goodAnswer(of: kind)]]
        let routes = operation.routes(at: kind, below: "/api", moved).merging(good) { $1 }
        return try ScriptedServer([.init(routes), .init(["*": [.answer("200 OK")]])])
    }

    @Test(arguments: ServerKind.allCases)
    func `a redirect of a GET below the server URL is followed without cookies`(kind: ServerKind) throws {
        let server = try server(.whoami, of: kind, to: "/api/moved")
        try OperationRun(.whoami, at: server.url("/api", host: "localhost"), kind: kind).success()
        #expect(server.requests.contains { $0.target == "/api/moved" })
        #expect(!server.requests.contains { $0.has("Cookie") || $0.has("Referer") })
    }

    @Test(arguments: ServerKind.allCases)
    func `a redirect to another origin is not followed, nor one of a POST`(kind: ServerKind) throws {
        for (operation, location) in [
            (Operation.whoami, "http://127.0.0.1:{port:1}/api/moved?canary"), (.login, "/api/moved"),
            (.signup, "/api/moved"),
        ] {
            let server = try server(operation, of: kind, to: location)
            let run = try OperationRun(operation, at: server.url("/api", host: "localhost"), kind: kind)
            try run.failure(8, "redirect")
            #expect(!server.requests.contains { $0.target.hasPrefix("/api/moved") })
            #expect(server.connections(to: 1) == 0)
        }
    }
}
