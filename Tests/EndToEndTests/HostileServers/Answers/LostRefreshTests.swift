import AuthModel
import Platform
import TestSupport
import Testing

/// Expired sessions at servers that fail during the refresh. A refresh token may be valid only once, so it is sent once
/// and stays saved.
@Suite(.keepsSecrets, .mostlyWaits) struct LostRefreshTests {
    private static let kinds: [(kind: ServerKind, path: String)] = [
        (.restAuth, "/token/refresh/"), (.allauth, "/tokens/refresh"),
        (.kii, "/apps/\(OperationRun.appID)/oauth2/token"),
    ]

    private static let answers: [(answer: ScriptedServer.Answer, exit: Int32, reason: String)] = [
        ([.close], 8, "outcome-unknown"), ([.reset], 8, "outcome-unknown"),
        ([.send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"), .pause(0.02), .close], 8, "outcome-unknown"),
        ([.stall], 8, "outcome-unknown"), (.answer("502 No", [], "<html>"), 8, "outcome-unknown"),
        (.answer("504 No", [], "<html>"), 8, "outcome-unknown"),
        (.answer("500 No", ["Content-Type: application/json"], #"{"message":"No."}"#), 9, "server-fault"),
        (.answer("503 No"), 9, "server-fault"), (.answer("503 No", ["Retry-After: 1"]), 9, "rate-limited"),
        (.answer("429 No", ["Retry-After: 1"]), 9, "rate-limited"), (.answer("307 No", ["Location: /"]), 8, "redirect"),
        (.answer("401 No", ["WWW-Authenticate: Basic realm=\"a\""], "<html>"), 5, "forbidden"),
    ]

    @Test(arguments: kinds.indices)
    func `a failed refresh is not repeated and keeps the session`(index: Int) throws {
        let (kind, path) = Self.kinds[index]
        let server = try ScriptedServer(
            Self.answers.map {
                .init(["/api\(path)": [$0.answer], "/api\(Operation.whoami.path(at: kind))": [.answer("500 No")]])
            })
        let session = Session(
            token: Secret(OperationRun.token), refreshToken: Secret("canary-refresh"), createdAt: Instant(seconds: 1),
            expiresAt: Instant(seconds: 2))
        let worlds = try Self.answers.indices.map { number in
            let world = try Sandbox()
            let url = server.url("/api", host: "localhost", listener: number)
            try world.keepSession(for: url, kind, session)
            let words = ["token", "--json", "--backend", kind.rawValue, "--server", url, "--timeout", "1.5"]
            let before = world.snapshot()
            let id = kind == .kii ? ["--app-id", OperationRun.appID] : []
            return (world, before, try world.start(words + id))
        }
        for (number, (world, before, program)) in worlds.enumerated() {
            let result = program.wait()
            let (_, exit, reason) = Self.answers[number]
            #expect(result.exitCode == exit, "\(number): \(result.everything)")
            #expect(try result.error().string("reason") == reason, "\(number): \(result.everything)")
            #expect(!result.everything.contains("canary"))
            #expect(world.snapshot() == before)
            #expect(server.requests.to(number).map(\.target) == ["/api\(path)"], "\(number)")
        }
    }

    @Test(arguments: kinds.indices)
    func `a refresh that could not be sent is tried three times`(index: Int) throws {
        let (kind, _) = Self.kinds[index]
        var listener = ScriptedServer.Listener(certificate: TestAuthority.path("good"))
        listener.atHello = [.close]
        let server = try ScriptedServer([listener])
        let world = try Sandbox()
        let url = server.url("/api", scheme: "https", host: "localhost")
        let session = Session(
            token: Secret(OperationRun.token), refreshToken: Secret("canary-refresh"), expiresAt: Instant(seconds: 2))
        try world.keepSession(for: url, kind, session)
        let id = kind == .kii ? ["--app-id", OperationRun.appID] : []
        let result = try world.start(
            ["token", "--json", "--backend", kind.rawValue, "--server", url, "--ca-cert", TestAuthority.file] + id
        ).wait()
        #expect(result.exitCode == 8)
        #expect(try result.error().string("reason") == "connect", "\(result.everything)")
        #expect(server.connections() == 3)
    }
}
