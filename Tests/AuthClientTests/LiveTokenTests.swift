import AuthModel
import CommandTestSupport
import Foundation
import Testing

@testable import AuthClient

/// The short way to a token, which must never say anything else than the long one.
@Suite struct LiveTokenTests {
    static let live = LiveToken(token: Session.ada.token, expiresAt: .sampleEnd)

    @Test func `is found in a file without reading its JSON`() {
        #expect(token(in: SessionFile.bytes(of: .ada)) == Self.live)
        let endless = StoredSession.sample(session: .sample("endless", expiresAt: nil))
        #expect(token(in: SessionFile.bytes(of: endless)) == LiveToken(token: Secret("endless"), expiresAt: nil))
    }

    @Test func `is not found in a file that ends early, wherever it ends`() {
        let bytes = SessionFile.bytes(of: .ada)
        for length in 0..<bytes.count { #expect(token(in: Array(bytes.prefix(length))) == nil, "at byte \(length)") }
    }

    @Test func `is not found in a file with a wrong bit, whichever it is`() {
        let bytes = SessionFile.bytes(of: .ada)
        for index in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[index] ^= 1 << bit
                #expect(token(in: damaged) == nil, "bit \(bit) of byte \(index)")
            }
        }
    }

    @Test(arguments: [
        StoredSession.sample(profile: "ci"),
        .sample(connection: Connection(backend: "parse")),
        .sample(connection: Connection(backend: "local", server: "https://a.example")),
        .sample(connection: Connection(backend: "local", appID: "x")),
        .sample(session: .sample("with\"quote")),
        .sample(session: .sample("with\\stroke")),
        .sample(session: .sample("")),
    ])
    func `is left to the long way where there is any doubt`(stored: StoredSession) {
        #expect(token(in: SessionFile.bytes(of: stored)) == nil)
    }

    @Test func `is taken from the store`() throws {
        #expect(try ClientFixture(stored: .ada).client.liveToken() == Self.live)
    }

    @Test func `never expires where the server does not say when`() throws {
        let stored = StoredSession.sample(session: .sample("endless", expiresAt: nil))
        #expect(try ClientFixture(stored: stored).client.liveToken().token == Secret("endless"))
    }

    @Test func `is refused when it has run out`() throws {
        let stored = StoredSession.sample(session: .sample("old", expiresAt: .sampleNow))
        let error = try failure { _ = try ClientFixture(stored: stored).client.liveToken() }
        #expect(error.reason == .sessionExpired)
        #expect(error.hint == "log in again: authctl login")
    }

    @Test func `is missing where nobody is logged in, or elsewhere`() throws {
        let foreign = StoredSession.sample(connection: Connection(backend: "parse"))
        #expect(try failure { _ = try ClientFixture().client.liveToken() }.reason == .noSession)
        #expect(try failure { _ = try ClientFixture(stored: foreign).client.liveToken() }.reason == .noSession)
    }

    @Test func `is the environment's, if that gives one`() throws {
        let fixture = ClientFixture(stored: .ada, environmentToken: "env")
        #expect(try fixture.client.liveToken() == LiveToken(token: Secret("env"), expiresAt: nil))
    }

    @Test func `is the environment's only where something names its backend`() throws {
        let fixture = ClientFixture(stored: .ada, environmentToken: "env", backendOrigin: .builtIn)
        let error = try failure { _ = try fixture.client.liveToken() }
        #expect(error.reason == .usage)
        #expect(error.message == "the session (from AUTHCTL_TOKEN) is for a server that nothing names")
    }

    private func token(in bytes: [UInt8]) -> LiveToken? {
        SessionFile.token(in: bytes, profile: "default", connection: .local)
    }
}
