import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

@Suite struct RestAuthRefreshTests {
    static let access = RestAuthSample.webToken(#"{"exp":1700000900,"iat":1700000300}"#)
    static let next = RestAuthSample.webToken(#"{"exp":1700090000,"iat":1700000300,"jti":"2"}"#)
    /// Whose access token has run out.
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
    func `buys a session, with another refresh token where each is good for one use`(
        answer: String, refreshToken: String
    ) throws {
        let renewed = try RestAuthBackend.replaying(exchange(200, answer)).refresh(Self.old)
        let expected = Session(
            token: Secret(Self.access), refreshToken: Secret(refreshToken), createdAt: .sampleStart,
            expiresAt: .sampleNow.adding(.seconds(600)))
        #expect(renewed == expected)
    }

    @Test func `asks nothing where there is no refresh token`() throws {
        let backend = RestAuthBackend.replaying()
        #expect(try failure { _ = try backend.refresh(.cookieWebToken) }.reason == .sessionExpired)
    }

    @Test(arguments: [
        (401, #"{"detail":"Token is blacklisted","code":"token_not_valid"}"#, AuthError.Reason.sessionExpired),
        (401, #"{"detail":"No valid refresh token found.","code":"token_not_valid"}"#, .sessionExpired),
        (400, #"{"refresh":["This field is required."]}"#, .sessionExpired),
        (401, #"{"detail":"No active account found for the given token."}"#, .accountDisabled),
        (404, "<html>", .sessionExpired), (404, #"{"detail":"Not found."}"#, .sessionExpired),
        (401, "<html>", .forbidden), (403, "<html>", .forbidden), (429, "", .rateLimited),
        (500, "<html>", .serverFault), (503, "<html>", .serverFault), (504, "<html>", .outcomeUnknown),
        (200, "{}", .brokenAnswer), (200, #"{"access":""}"#, .brokenAnswer), (200, "<html>", .brokenAnswer),
    ])
    func `takes a session for run out only if the server says so, or cannot renew any`(
        status: Int, answer: String, reason: AuthError.Reason
    ) throws {
        let backend = RestAuthBackend.replaying(exchange(status, answer))
        #expect(try failure { _ = try backend.refresh(Self.old) }.reason == reason)
    }

    @Test func `does not know whether the refresh token is spent when the answer was lost`() throws {
        let lost = TransportError(.timeout, "no answer in time", wasSent: true)
        let backend = RestAuthBackend.replaying(
            .post("token/refresh/", RestAuthLogOutTests.refreshBody, lost),
            .post("token/refresh/", RestAuthLogOutTests.refreshBody, TransportError(.dns, "no such host")))
        #expect(try failure { _ = try backend.refresh(Self.old) }.reason == .outcomeUnknown)
        #expect(try failure { _ = try backend.refresh(Self.old) }.reason == .dns)
    }
}
