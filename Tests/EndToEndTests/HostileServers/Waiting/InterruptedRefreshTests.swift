import AuthModel
import Foundation
import Platform
import TestSupport
import Testing

/// A refresh that a signal interrupts. The server's response invalidates the old session, so authctl saves the new one
/// if the response arrives soon.
@Suite(.keepsSecrets, .mostlyWaits) struct InterruptedRefreshTests {
    /// The sites refresh JWTs only.
    private static let webToken = ScriptedSite.token(number: 2)

    private static let answers: [ServerKind: String] = [
        .restAuth: #"{"access":"\#(webToken)","refresh":"canary-next"}"#,
        .allauth: #"{"status":200,"data":{"access_token":"\#(webToken)","refresh_token":"canary-next"}}"#,
        .kii: #"{"id":"u1","access_token":"canary-new","refresh_token":"canary-next","expires_in":3600}"#,
    ]

    /// Returns when the server has received the request.
    private func refresh(
        _ kind: ServerKind, _ answer: ScriptedServer.Answer, in world: Sandbox
    ) throws -> (server: ScriptedServer, token: RunningProgram) {
        let server = try ScriptedServer(["*": [answer]])
        let url = server.url("/api", host: "localhost")
        let session = Session(
            token: Secret(OperationRun.token), refreshToken: Secret("canary-refresh"), createdAt: Instant(seconds: 1),
            expiresAt: Instant(seconds: 2))
        try world.keepSession(for: url, kind, session)
        let token = try world.start(["token", "--backend", kind.rawValue, "--server", url] + kind.options)
        let end = Date(timeIntervalSinceNow: 20)
        while server.requests.isEmpty, Date() < end { usleep(5000) }
        return (server, token)
    }

    @Test(
        arguments: [(.restAuth, SIGINT), (.restAuth, SIGTERM), (.restAuth, SIGHUP), (.allauth, SIGINT), (.kii, SIGINT)]
            as [(ServerKind, Int32)])
    func `an interrupted refresh saves a response that comes soon`(kind: ServerKind, signal: Int32) throws {
        let world = try Sandbox()
        let gate = "\(world.root)/gate"
        let good = try ScriptedServer.Answer.json(#require(Self.answers[kind]))
        let (server, token) = try refresh(kind, good.after(.wait(for: gate)), in: world)
        // The response is sent before the signal arrives, but the stopped process reads it afterwards.
        token.send(SIGSTOP)
        token.send(signal)
        try world.write("", to: gate)
        usleep(300_000)
        token.send(SIGCONT)
        let end = token.wait(atMost: .seconds(10))
        #expect(end.signal == signal)
        #expect(end.everything.isEmpty)
        let stored = try world.text(world.sessionFile())
        #expect(stored.contains(kind == .kii ? "canary-new" : Self.webToken), "\(stored)")
        #expect(stored.contains("canary-next"), "\(stored)")
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `an interrupted refresh does not wait for a missing response`(signal: Int32) throws {
        let kinds = [ServerKind.restAuth, .allauth, .kii]
        let worlds = try kinds.map { _ in try Sandbox() }
        let refreshes = try zip(kinds, worlds).map { try refresh($0, [.stall], in: $1) }
        let before = worlds.map { $0.snapshot() }
        let start = Date()
        for (_, token) in refreshes { token.send(signal) }
        for ((server, token), (world, old)) in zip(refreshes, zip(worlds, before)) {
            let end = token.wait(atMost: .seconds(20))
            #expect(end.signal == signal)
            #expect(end.everything.isEmpty)
            #expect(world.snapshot() == old)
            #expect(server.requests.count == 1)
        }
        // Much less than the time limit of 30 seconds.
        #expect(Date().timeIntervalSince(start) < 15)
    }
}
