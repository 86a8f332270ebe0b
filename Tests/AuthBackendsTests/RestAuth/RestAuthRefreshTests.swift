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
    func `a rest-auth refresh returns the new tokens and keeps a refresh token that is not replaced`(
        answer: String, refreshToken: String
    ) throws {
        let refreshed = try RestAuthBackend.replaying(exchange(200, answer)).refresh(Self.old)
        let expected = Session(
            token: Secret(Self.access), refreshToken: Secret(refreshToken), createdAt: .sampleStart,
            expiresAt: .sampleNow.adding(.seconds(600)))
        #expect(refreshed == expected)
    }

    @Test(arguments: ["{}", #"{"access":""}"#])
    func `a rest-auth refresh response without an access token is invalid`(answer: String) throws {
        let backend = RestAuthBackend.replaying(exchange(200, answer))
        #expect(try failure { _ = try backend.refresh(Self.old) }.reason == .invalidResponse)
    }
}
