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

    /// Recorded from 6.5.11, 7.1.0 and 8.2.2.
    @Test(arguments: [
        (400, #"{"code":141,"error":"Invalid MFA token"}"#, AuthError.Reason.wrongCode),
        (404, #"{"code":101,"error":"Invalid username/password."}"#, .wrongPassword),
        (400, #"{"code":252,"error":"This authentication method is unsupported."}"#, .unsupported),
        (200, #"{"objectId":"1"}"#, .invalidResponse),
    ])
    func `a wrong one-time code is not a wrong password`(status: Int, answer: String, reason: AuthError.Reason) throws {
        let backend = ParseBackend.replaying(Exchange(Self.request, status, answer))
        let error = try failure { _ = try backend.logIn(.ada, code: Secret("123456")) }
        #expect(error.reason == reason)
        error.expectMessage(in: "backends/parse", "\(status) \(answer)")
    }

    @Test func `a login without the required one-time code asks for it`() throws {
        let backend = ParseBackend.replaying(
            Exchange(Exchange.logInRequest, 400, #"{"code":-1,"error":"Missing additional authData mfa"}"#))
        #expect(try failure { _ = try backend.logIn(.ada) }.reason == .secondFactorRequired)
    }
}
