import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

@Suite struct RestAuthLogOutTests {
    static let refreshBody = #"{"refresh":"\#(RestAuthSample.refresh)"}"#

    @Test(arguments: [
        (200, #"{"detail":"Successfully logged out."}"#, Revocation.yes), (204, "", .yes), (200, "{}", .yes),
        (401, #"{"detail":"Invalid token."}"#, .already),
        (401, #"{"detail":"User inactive or deleted."}"#, .already),
        (403, #"{"detail":"Authentication credentials were not provided."}"#, .already),
        (400, #"{"detail":"You should be logged in to logout. Check whether the token is passed."}"#, .already),
    ])
    func `ends a key`(status: Int, answer: String, expected: Revocation) throws {
        let backend = RestAuthBackend.replaying(.post("logout/", "{}", as: "Token 0a1b", status, answer))
        #expect(try backend.logOut(.key) == Reply(expected))
    }

    /// The access token may have run out, and would make the call fail.
    @Test(arguments: [
        (200, #"{"detail":"Successfully logged out."}"#, Revocation.yes),
        (
            200, #"{"detail":"Neither cookies or blacklist are enabled, so the token has not been deleted"}"#,
            .unsupported
        ),
        (401, #"{"detail":"Token is blacklisted"}"#, .already), (401, #"{"detail":"Token is invalid"}"#, .already),
        (401, #"{"detail":"Refresh token was not included in cookie data."}"#, .unsupported),
    ])
    func `ends web tokens with the refresh token alone`(status: Int, answer: String, expected: Revocation) throws {
        let backend = RestAuthBackend.replaying(.post("logout/", Self.refreshBody, status, answer))
        #expect(try backend.logOut(.webTokens) == Reply(expected))
    }

    @Test func `asks nothing of a site that keeps the refresh token in a cookie`() throws {
        #expect(try RestAuthBackend.replaying().logOut(.cookieWebToken) == Reply(.unsupported))
    }

    @Test(arguments: [
        (500, "<html>", AuthError.Reason.serverFault), (404, "<html>", .wrongEndpoint), (401, "<html>", .tokenRefused),
        (403, "<html>", .forbidden), (429, "", .rateLimited), (405, #"{"detail":"x"}"#, .wrongEndpoint),
        (200, "<html>", .brokenAnswer),
    ])
    func `does not call a session ended when the server does not say so`(
        status: Int, answer: String, reason: AuthError.Reason
    ) throws {
        let backend = RestAuthBackend.replaying(.post("logout/", "{}", as: "Token 0a1b", status, answer))
        #expect(try failure { _ = try backend.logOut(.key) }.reason == reason)
    }

    @Test func `knows that a key is every device's, and web tokens are one's own`() {
        let backend = RestAuthBackend.replaying()
        #expect(backend.isShared(.key))
        #expect(!backend.isShared(.webTokens))
    }
}

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
        (401, "<html>", .tokenRefused), (403, "<html>", .forbidden), (429, "", .rateLimited),
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
