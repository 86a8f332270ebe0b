import AuthClient
import CommandTestSupport
import Platform

/// The session whose token `authctl token` prints and `authctl exec` passes to its command.
@Suite struct LiveSessionTests {
    @Test func `a saved session supplies its token, and an unknown expiry satisfies any minimum lifetime`() throws {
        let session = try ClientFixture(stored: .ada).client.sessions.liveSession().session
        expect(session.token, Session.ada.token)
        expect(session.expiresAt, .sampleEnd)
        let endless = ClientFixture(stored: .sample(session: .sample("endless", expiresAt: nil))).client.sessions
        try expect(endless.liveSession(lasting: .seconds(1_000_000)).session.token, Secret("endless"))
    }

    @Test func `an expired session supplies no token`() throws {
        let stored = StoredSession.sample(session: .sample("old", expiresAt: .sampleNow))
        let error = try failure { _ = try ClientFixture(stored: stored).client.sessions.liveSession() }
        error.expectMessage(in: "use-cases/token")
    }

    @Test(arguments: [(59, true), (61, false)])
    func `a session with less than the required lifetime left supplies no token`(seconds: Int, isGood: Bool) throws {
        let stored = StoredSession.sample(
            session: .sample("short", expiresAt: Instant.sampleNow.adding(.seconds(60))))
        let sessions = ClientFixture(stored: stored).client.sessions
        guard !isGood else {
            try expect(sessions.liveSession(lasting: .seconds(seconds)).session.token, Secret("short"))
            return
        }
        try failure { try sessions.liveSession(lasting: .seconds(seconds)) }.expectMessage(in: "use-cases/token")
    }

    @Test func `no token is supplied without a session for the current server`() throws {
        let foreign = StoredSession.sample(connection: Connection(backend: "parse"))
        try expect(failure { _ = try ClientFixture().client.sessions.liveSession() }.reason, .noSession)
        try expect(
            failure { _ = try ClientFixture(stored: foreign).client.sessions.liveSession() }.reason, .noSession)
    }

    @Test func `a token from AUTHCTL_TOKEN takes precedence over the saved session`() throws {
        let fixture = ClientFixture(stored: .ada, environmentToken: "env")
        let session = try fixture.client.sessions.liveSession().session
        expect(session.token, Secret("env"))
        expect(session.expiresAt, nil)
    }

    @Test func `a token from AUTHCTL_TOKEN is used even if no option or variable sets the backend`() throws {
        let fixture = ClientFixture(stored: .ada, environmentToken: "env", backendOrigin: .builtIn)
        try expect(fixture.client.sessions.liveSession().session.token, Secret("env"))
    }

    @Test(arguments: [Connection.site, Connection(backend: "parse", server: "https://b.example/parse", appID: "shop")])
    func `AUTHCTL_TOKEN is rejected if the options name a server other than the token's`(own: Connection) throws {
        let fixture = ClientFixture(stored: .ada, environmentToken: "env", tokenConnection: own)
        try failure { try CurrentUser(fixture.client).check() }.expectMessage(in: "use-cases/token", own.backend)
        expect(fixture.requests, [])
    }

    @Test func `the error about a rejected AUTHCTL_TOKEN suggests AUTHCTL_BACKEND if no backend is set`() throws {
        let fixture = ClientFixture(
            .currentUser(.failure(AuthError(.sessionRevoked, "the session is invalid"))), environmentToken: "env",
            backendOrigin: .builtIn)
        try #require(try CurrentUser(fixture.client).check().error).expectMessage(in: "use-cases/token")
    }
}
