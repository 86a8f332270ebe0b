import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

@Suite struct RestAuthRefreshTests {
    static let access = RestAuthSample.jwt(#"{"exp":1700000900,"iat":1700000300}"#)
    static let next = RestAuthSample.jwt(#"{"exp":1700090000,"iat":1700000300,"jti":"2"}"#)
    /// A session with an expired access token.
    static let old = Session(
        token: Secret(RestAuthSample.access), refreshToken: Secret(RestAuthSample.refresh), createdAt: .sampleStart,
        expiresAt: .sampleStart)

    private func exchange(_ status: Int, _ answer: String) -> Exchange {
        .post("token/refresh/", RestAuthLogOutTests.refreshBody, status, answer)
    }

    @Test(arguments: [
        (#"{"access":"\#(access)","refresh":"\#(next)"}"#, next),
        (#"{"access":"\#(access)","access_expiration":"2026-11-20T18:00:00Z"}"#, RestAuthSample.refresh),
        (#"{"access":"\#(access)","refresh":""}"#, RestAuthSample.refresh),
    ])
    func `a refresh returns the new tokens, or keeps a refresh token that stays valid`(
        answer: String, refreshToken: String
    ) throws {
        let refreshed = try RestAuthBackend.replaying(exchange(200, answer)).refresh(Self.old)
        let expected = Session(
            token: Secret(Self.access), refreshToken: Secret(refreshToken), createdAt: .sampleStart,
            expiresAt: .sampleNow.adding(.seconds(600)))
        #expect(refreshed == expected)
    }

    @Test(arguments: [
        (401, #"{"detail":"Token is blacklisted","code":"token_not_valid"}"#, AuthError.Reason.sessionExpired),
        (401, #"{"detail":"No valid refresh token found.","code":"token_not_valid"}"#, .sessionExpired),
        (400, #"{"refresh":["This field is required."]}"#, .sessionExpired),
        (401, #"{"detail":"No active account found for the given token."}"#, .accountDisabled),
        (404, "<html>", .sessionExpired), (404, #"{"detail":"Not found."}"#, .sessionExpired),
        (200, "{}", .invalidResponse), (200, #"{"access":""}"#, .invalidResponse),
    ])
    func `only the server's own words expire a session at a refresh`(
        status: Int, answer: String, reason: AuthError.Reason
    ) throws {
        let backend = RestAuthBackend.replaying(exchange(status, answer))
        #expect(try failure { _ = try backend.refresh(Self.old) }.reason == reason)
    }
}
