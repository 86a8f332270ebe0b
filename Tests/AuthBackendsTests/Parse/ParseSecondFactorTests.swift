import AuthModel
import CommandTestSupport
import Testing

@testable import AuthBackends

@Suite struct ParseSecondFactorTests {
    static let request = """
        POST https://a.example/parse/login
        X-Parse-Application-Id: app
        Content-Type: application/json
        X-Parse-Revocable-Session: 1

        {"username":"ada","password":"pässword\\"","authData":{"mfa":{"token":"123456"}}}
        """

    @Test func `a one-time code is sent beside the password and not kept`() throws {
        let answer =
            #"{"objectId":"1","username":"ada","authData":{"mfa":{"status":"enabled","secret":"S"}},"#
            + #""sessionToken":"r:abc"}"#
        let backend = ParseBackend.replaying(Exchange(Self.request, 200, answer))
        let user = User(id: "1", username: "ada", identities: [Identity(provider: "mfa", id: nil)])
        #expect(
            try backend.logIn(.ada, code: Secret("123456")) == Reply(.session(NewSession(user: user, session: .abc))))
    }
}
