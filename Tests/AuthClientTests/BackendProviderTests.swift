import CommandTestSupport
import Synchronization

@testable import AuthClient

@Suite struct BackendProviderTests {
    @Test func `the backend is created once, at the first call`() throws {
        let count = Atomic(0)
        let backends = provider { () throws(AuthError) in
            count.add(1, ordering: .relaxed)
            return FakeBackend()
        }
        expect(count.load(ordering: .relaxed), 0)
        for _ in 0..<3 { _ = try backends.connect() }
        expect(count.load(ordering: .relaxed), 1)
    }

    @Test func `after a failed creation, the next call tries to create the backend again`() throws {
        let count = Atomic(0)
        let backends = provider { () throws(AuthError) in
            if count.add(1, ordering: .relaxed).newValue == 1 { throw AuthError(.unreadable, "no key file") }
            return FakeBackend()
        }
        try expect(failure { _ = try backends.connect() }.reason, .unreadable)
        _ = try backends.connect()
    }

    /// Parse Server sends the same error for a wrong application id and a wrong client key.
    @Test func `hints about a bad-app-key error mention the client key first, then the application id`() throws {
        let keys: [(key: Origin?, server: Origin)] = [
            (nil, .option("--server")), (nil, .profile("live")), (.option("--client-key-file"), .profile("live")),
            (.environment("AUTHCTL_CLIENT_KEY"), .environment("AUTHCTL_SERVER")), (.profile("live"), .profile("live")),
        ]
        let lines = try keys.map { key, server in
            let settings = Settings(
                profile: Setting("default", from: .builtIn), backend: Setting(.site, from: .builtIn),
                connection: .site, serverOrigin: server, clientKey: key.map { Setting(.text(Secret("k")), from: $0) })
            let sources = StubSources { () throws(AuthError) in FakeBackend() }
            let backends = BackendProvider(settings: settings, sources: sources, events: RecordedEvents())
            let rejection = BackendError(.badAppKey, "rejected", server: ServerDetail(status: 403))
            return try failure { try backends.call("") { () throws(BackendError) in throw rejection } }.snapshotLine
        }
        MessageFile("use-cases/application-key").expect(lines.joined(separator: "\n"))
    }

    @Test func `the hint about an unknown application id does not mention the client key`() throws {
        let rejection = BackendError(.badAppKey, "rejected", server: ServerDetail(status: 404, code: "APP_NOT_FOUND"))
        try failure {
            try provider { () throws(AuthError) in FakeBackend() }.call("") { () throws(BackendError) in throw rejection
            }
        }.expectMessage(in: "use-cases/application-key")
    }

    private func provider(_ make: @escaping @Sendable () throws(AuthError) -> any Backend) -> BackendProvider {
        BackendProvider(
            settings: .sample(.site, at: .site), sources: StubSources(makeBackend: make), events: RecordedEvents())
    }
}
