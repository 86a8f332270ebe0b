import TestSupport
import Testing

/// The program follows redirects. `RedirectingTransportTests` has all targets and statuses.
@Suite(.keepsSecrets) struct RedirectTests {
    @Test func `whoami follows a redirect below the server URL without cookies, and none to another origin`() throws {
        let server = try ScriptedServer([
            .init([
                "/api/users/me": [
                    .answer("302 Found", ["Location: /api/moved", "Set-Cookie: a=1"]),
                    .answer("302 Found", ["Location: http://127.0.0.1:{port:1}/api/moved"]),
                ],
                "*": [ParseSession.user],
            ]), .init(["*": [ParseSession.user]]),
        ])
        let world = try Sandbox()
        let environment = ParseSession.environment(at: server.url("/api", host: "localhost"))
        #expect(try world.run("whoami", environment: environment).exitCode == 0)
        #expect(server.requests.map(\.target).prefix(2) == ["/api/users/me", "/api/moved"])
        #expect(!server.requests.contains { $0.head.contains("Cookie") || $0.head.contains("Referer") })
        let elsewhere = try world.run("whoami", "--json", environment: environment)
        #expect(try elsewhere.document().object("error").string("reason") == "redirect")
        #expect(server.connections(to: 1) == 0)
    }
}
