import AuthClient
import AuthModel
import CommandTestSupport
import Testing

/// The token that `token` prints and `exec` passes on.
@Suite struct LiveTokenTests {
    static let live = LiveToken(token: Session.ada.token, expiresAt: .sampleEnd)

    @Test func `the saved session gives the token`() throws {
        #expect(try ClientFixture(stored: .ada).client.sessions.liveToken() == Self.live)
    }

    @Test func `a session without an expiry time gives the token`() throws {
        let stored = StoredSession.sample(session: .sample("endless", expiresAt: nil))
        #expect(try ClientFixture(stored: stored).client.sessions.liveToken().token == Secret("endless"))
    }

    @Test func `an expired session gives no token`() throws {
        let stored = StoredSession.sample(session: .sample("old", expiresAt: .sampleNow))
        let error = try failure { _ = try ClientFixture(stored: stored).client.sessions.liveToken() }
        #expect(error.reason == .sessionExpired)
        error.expectMessage(in: "use-cases/token")
    }

    @Test func `no token is given without a session for this server`() throws {
        let foreign = StoredSession.sample(connection: Connection(backend: "parse"))
        #expect(try failure { _ = try ClientFixture().client.sessions.liveToken() }.reason == .noSession)
        #expect(try failure { _ = try ClientFixture(stored: foreign).client.sessions.liveToken() }.reason == .noSession)
    }

    @Test func `a token from the environment takes precedence`() throws {
        let fixture = ClientFixture(stored: .ada, environmentToken: "env")
        #expect(try fixture.client.sessions.liveToken() == LiveToken(token: Secret("env"), expiresAt: nil))
    }

    @Test func `a token from the environment belongs to the profile if nothing names a backend`() throws {
        let fixture = ClientFixture(stored: .ada, environmentToken: "env", backendOrigin: .builtIn)
        #expect(try fixture.client.sessions.liveToken().token == Secret("env"))
    }

    @Test(arguments: [Connection.site, Connection(backend: "parse", server: "https://b.example/parse", appID: "shop")])
    func `a token from the environment is not used for another connection`(own: Connection) throws {
        let fixture = ClientFixture(stored: .ada, environmentToken: "env", tokenConnection: own)
        let error = try failure { _ = try CurrentUser(fixture.client).check() }
        #expect(error.reason == .usage)
        error.expectMessage(in: "use-cases/token", own.backend)
        #expect(fixture.steps == [])
    }

    @Test func `a rejected token of the environment gets the hint to name its server`() throws {
        let fixture = ClientFixture(
            .currentUser(.failure(AuthError(.sessionRevoked, "the session is invalid"))), environmentToken: "env",
            backendOrigin: .builtIn)
        try #require(try CurrentUser(fixture.client).check().error).expectMessage(in: "use-cases/token")
    }
}
