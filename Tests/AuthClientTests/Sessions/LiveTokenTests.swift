import AuthClient
import AuthModel
import CommandTestSupport
import Testing

/// The token that `token` prints and `exec` hands on.
@Suite struct LiveTokenTests {
    static let live = LiveToken(token: Session.ada.token, expiresAt: .sampleEnd)

    @Test func `is taken from the store`() throws {
        #expect(try ClientFixture(stored: .ada).client.sessions.liveToken() == Self.live)
    }

    @Test func `never expires where the server does not say when`() throws {
        let stored = StoredSession.sample(session: .sample("endless", expiresAt: nil))
        #expect(try ClientFixture(stored: stored).client.sessions.liveToken().token == Secret("endless"))
    }

    @Test func `is refused when it has run out`() throws {
        let stored = StoredSession.sample(session: .sample("old", expiresAt: .sampleNow))
        let error = try failure { _ = try ClientFixture(stored: stored).client.sessions.liveToken() }
        #expect(error.reason == .sessionExpired)
        #expect(error.hints == ["log in again: authctl login"])
    }

    @Test func `is missing where nobody is logged in, or elsewhere`() throws {
        let foreign = StoredSession.sample(connection: Connection(backend: "parse"))
        #expect(try failure { _ = try ClientFixture().client.sessions.liveToken() }.reason == .noSession)
        #expect(try failure { _ = try ClientFixture(stored: foreign).client.sessions.liveToken() }.reason == .noSession)
    }

    @Test func `is the environment's, if that gives one`() throws {
        let fixture = ClientFixture(stored: .ada, environmentToken: "env")
        #expect(try fixture.client.sessions.liveToken() == LiveToken(token: Secret("env"), expiresAt: nil))
    }

    @Test func `is the environment's only where something names its backend`() throws {
        let fixture = ClientFixture(stored: .ada, environmentToken: "env", backendOrigin: .builtIn)
        let error = try failure { _ = try fixture.client.sessions.liveToken() }
        #expect(error.reason == .usage)
        #expect(error.message == "the session (from AUTHCTL_TOKEN) is for a server that nothing names")
    }
}
