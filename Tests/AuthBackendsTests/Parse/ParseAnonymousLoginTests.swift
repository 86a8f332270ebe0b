import AuthModel
import CommandTestSupport
import Foundation
import Testing
import Transport

@testable import AuthBackends

@Suite struct ParseAnonymousLoginTests {
    static let anonymousRequest = """
        POST https://a.example/parse/users
        X-Parse-Application-Id: app
        Content-Type: application/json
        X-Parse-Revocable-Session: 1

        {"authData":{"anonymous":{"id":"0707"}}}
        """

    @Test func `an anonymous Parse login returns the session and the generated username of the new account`() throws {
        let backend = ParseBackend.replaying(
            Exchange(
                Self.anonymousRequest, 201,
                #"{"objectId":"1","createdAt":"2026-01-02T03:04:05Z","username":"x7","sessionToken":"r:abc"}"#))
        let user = User(
            id: "1", username: "x7", createdAt: .sampleStart, identities: [Identity(provider: "anonymous", id: nil)])
        let logIn = NewSession(user: user, session: .abc, createdAccount: true)
        #expect(try backend.logInAnonymously(identity: "0707") == Reply(logIn))
    }
}
