import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

/// Tokens from other sources, and saved sessions.
@Suite struct RestAuthTokenTests {
    @Test func `a JWT from elsewhere has its own expiry and no refresh token`() throws {
        let backend = RestAuthBackend.replaying(.restAuthJWTUser)
        let session = try backend.logIn(token: Secret(RestAuthSample.access)).value.session
        #expect(session.createdAt?.seconds == 1_700_000_000)
        #expect(session.expiresAt?.seconds == 1_700_000_300)
        #expect(session.refreshToken == nil)
    }

    @Test(arguments: [
        (401, #"{"detail":"Invalid token."}"#, AuthError.Reason.sessionRevoked, AuthError.Reason.tokenRefused),
        (403, #"{"detail":"Authentication credentials were not provided."}"#, .sessionRevoked, .tokenRefused),
        (401, #"{"detail":"User inactive or deleted."}"#, .accountDisabled, .accountDisabled),
        (404, "<html>", .wrongEndpoint, .wrongEndpoint), (404, #"{"detail":"x"}"#, .wrongEndpoint, .wrongEndpoint),
        (406, #"{"detail":"x"}"#, .unsupported, .unsupported), (200, "", .invalidResponse, .invalidResponse),
        (200, "[]", .invalidResponse, .invalidResponse), (200, #"{"detail":"x"}"#, .invalidResponse, .invalidResponse),
    ])
    func `only the server's own words revoke a session or reject a token`(
        status: Int, answer: String, reason: AuthError.Reason, ofToken: AuthError.Reason
    ) throws {
        let exchange = Exchange.get("user/", as: "Token 0a1b", status, answer)
        let backend = RestAuthBackend.replaying(exchange, exchange)
        #expect(try failure { _ = try backend.currentUser(.key) }.reason == reason)
        #expect(try failure { _ = try backend.logIn(token: Secret("0a1b")) }.reason == ofToken)
    }

    @Test func `a user has the members that the site gives, without secrets`() throws {
        let backend = RestAuthBackend.replaying(
            .get(
                "user/", as: "Token 0a1b", 200,
                #"{"id":"6f1c","username":"","email":"a@b.example","key":"k","password":"p","_x":1,"age":3}"#))
        let user = User(id: "6f1c", email: "a@b.example", fields: ["_x": 1, "age": 3])
        #expect(try backend.currentUser(.key) == Reply(user))
    }
}
