import AuthModel
import CommandTestSupport
import Foundation
import Testing
import Transport

@testable import AuthBackends

/// Anonymous logins.
@Suite struct ParseTokenAndAnonymousLoginTests {
    static let anonymousRequest = """
        POST https://a.example/parse/users
        X-Parse-Application-Id: app
        Content-Type: application/json
        X-Parse-Revocable-Session: 1

        {"authData":{"anonymous":{"id":"0707"}}}
        """

    @Test func `an anonymous Parse login creates an account and requests its username`() throws {
        let backend = ParseBackend.replaying(
            Exchange(Self.anonymousRequest, 201, #"{"objectId":"1","sessionToken":"r:abc"}"#),
            Exchange(
                Exchange.currentUserRequest, 200,
                #"{"objectId":"1","username":"x7","authData":{"anonymous":{"id":"0707"}}}"#))
        let user = User(id: "1", username: "x7", identities: [Identity(provider: "anonymous", id: nil)])
        let logIn = NewSession(user: user, session: .abc, createdAccount: true)
        #expect(try backend.logInAnonymously(identity: "0707") == Reply(logIn))
    }

    /// An anonymous user who loses the session can never log in to the account again.
    @Test func `an anonymous Parse login returns the session even if the request for the username fails`() throws {
        let backend = ParseBackend.replaying(
            Exchange(
                Self.anonymousRequest, 201,
                #"{"objectId":"1","createdAt":"2026-01-02T03:04:05Z","sessionToken":"r:abc"}"#),
            Exchange(Exchange.currentUserRequest, 503, ""))
        let logIn = try backend.logInAnonymously(identity: "0707").value
        #expect(
            logIn.user == User(id: "1", createdAt: .sampleStart, identities: [Identity(provider: "anonymous", id: nil)])
        )
        #expect(logIn.session == .abc)
        #expect(logIn.createdAccount == true)
    }
}
