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
        (401, #"{"detail":"User not found","code":"user_not_found"}"#, .already),
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
        (401, #"{"detail":"User not found","code":"user_not_found"}"#, .already),
        (401, #"{"detail":"Refresh token was not included in cookie data."}"#, .unsupported),
    ])
    func `ends web tokens with the refresh token alone`(status: Int, answer: String, expected: Revocation) throws {
        let backend = RestAuthBackend.replaying(.post("logout/", Self.refreshBody, status, answer))
        #expect(try backend.logOut(.webTokens) == Reply(expected))
    }

    @Test(arguments: [
        (
            #"{"message":"Unauthorized"}"#, AuthError.Reason.forbidden,
            "the server, or a gateway before it, asks for another authentication"
        ),
        (
            #"{"detail":"Authentication credentials were not provided."}"#, .brokenAnswer,
            "the server's answer does not say what became of the session"
        ),
    ])
    func `does not take another's 401 for the end of web tokens`(
        answer: String, reason: AuthError.Reason, message: String
    ) throws {
        let backend = RestAuthBackend.replaying(.post("logout/", Self.refreshBody, 401, answer))
        let error = try failure { _ = try backend.logOut(.webTokens) }
        #expect(error.reason == reason)
        #expect(error.message == message)
    }

    @Test func `asks nothing of a site that keeps the refresh token in a cookie`() throws {
        #expect(try RestAuthBackend.replaying().logOut(.cookieWebToken) == Reply(.unsupported))
    }

    @Test(arguments: [
        (500, "<html>", AuthError.Reason.serverFault), (404, "<html>", .wrongEndpoint), (401, "<html>", .forbidden),
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
