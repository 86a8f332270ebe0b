import AuthModel
import Foundation
import Platform
import TestSupport

/// A signal interrupts a refresh. The refresh invalidates the old session, so authctl saves the new session if the
/// response arrives soon.
@Suite(.mostlyWaits, .keepsSecrets) struct InterruptedRefreshTests {
    private let world = Sandbox()

    private static let refreshed =
        #"{"id":"u1","access_token":"canary-new","refresh_token":"canary-next","expires_in":3600}"#

    /// Starts a command with an expired session, and returns when the server has received the refresh.
    private func refresh(_ answers: ScriptedServer.Answer...) throws -> (server: ScriptedServer, token: RunningProgram)
    {
        let server = try ScriptedServer(["*": answers])
        let url = server.url("/api")
        let session = Session(
            token: Secret(ParseSession.token), refreshToken: Secret("canary-refresh"), createdAt: Instant(seconds: 1),
            expiresAt: Instant(seconds: 2))
        try world.keepSession(for: url, backend: "kii", session)
        for (name, value) in [("BACKEND", "kii"), ("SERVER", url), ("APP_ID", ParseSession.appID)] {
            world.set("AUTHCTL_\(name)", to: value)
        }
        let token = try world.start(["token"])
        let end = Date(timeIntervalSinceNow: 20)
        while server.requests.isEmpty, Date() < end { usleep(5000) }
        return (server, token)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `an interrupted refresh saves the new session if the response arrives soon`(signal: Int32) throws {
        let gate = "\(world.root)/gate"
        let (server, token) = try refresh(.json(Self.refreshed).after(.wait(for: gate)))
        // The stopped process handles the signal and reads the response only after SIGCONT, when both have arrived.
        token.send(SIGSTOP)
        token.send(signal)
        try world.write("", to: gate)
        usleep(300_000)
        token.send(SIGCONT)
        let end = token.wait(atMost: .seconds(10))
        expect(end.signal, signal)
        #expect(end.everything.isEmpty)
        let stored = try world.text(world.sessionFile())
        #expect(stored.contains("canary-new") && stored.contains("canary-next"), "\(stored)")
        expect(server.requests.count, 1)
    }

    @Test(arguments: [SIGINT, SIGKILL])
    func `a refresh that receives no response ends soon after a signal and leaves no stale lock`(signal: Int32) throws {
        let (server, token) = try refresh([.stall], .json(Self.refreshed))
        let before = world.snapshot()
        let start = Date()
        token.send(signal)
        let end = token.wait(atMost: .seconds(20))
        // 15 seconds is much less than the time limit of 30 seconds.
        #expect(Date().timeIntervalSince(start) < 15)
        expect(end.signal, signal)
        #expect(end.everything.isEmpty)
        expect(world.snapshot(), before)
        expect(server.requests.count, 1)
        try expect(world.start(["token"]).wait(atMost: .seconds(5)).stdout, "canary-new\n")
    }
}
