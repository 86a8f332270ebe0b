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
    func `a rest-auth logout revokes the key, or reports an invalid key as already revoked`(
        status: Int, answer: String, expected: Revocation
    ) throws {
        let backend = RestAuthBackend.replaying(.post("logout/", "{}", as: "Token 0a1b", status, answer))
        #expect(try backend.logOut(.key) == Reply(expected))
    }

    /// The access token is not sent, because an expired access token would make the request fail.
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
    func `a rest-auth JWT logout sends only the refresh token`(status: Int, answer: String, expected: Revocation) throws
    {
        let backend = RestAuthBackend.replaying(.post("logout/", Self.refreshBody, status, answer))
        #expect(try backend.logOut(.restAuthJWT) == Reply(expected))
    }

    @Test(arguments: [
        (#"{"message":"Unauthorized"}"#, AuthError.Reason.forbidden),
        (#"{"detail":"Authentication credentials were not provided."}"#, .invalidResponse),
    ])
    func `a rest-auth JWT logout fails if a 401 response does not show whether the refresh token is valid`(
        answer: String, reason: AuthError.Reason
    ) throws {
        let backend = RestAuthBackend.replaying(.post("logout/", Self.refreshBody, 401, answer))
        let error = try failure { _ = try backend.logOut(.restAuthJWT) }
        #expect(error.reason == reason)
        error.expectMessage(in: "backends/rest-auth", reason.rawValue)
    }

    @Test func `the error about an inconclusive rest-auth JWT logout has the HTTP status of the response`() throws {
        let body = #"{"detail":"Authentication credentials were not provided."}"#
        let backend = RestAuthBackend.replaying(.post("logout/", Self.refreshBody, 403, body))
        #expect(try failure { _ = try backend.logOut(.restAuthJWT) }.server?.status == 403)
    }

    @Test func `a rest-auth JWT session without a refresh token cannot be revoked`() throws {
        #expect(try RestAuthBackend.replaying().logOut(.jwtWithoutRefreshToken) == Reply(.unsupported))
    }

    @Test func `a rest-auth key is shared by all devices of a user, but a JWT session is not`() {
        let backend = RestAuthBackend.replaying()
        #expect(backend.isShared(.key))
        #expect(!backend.isShared(.restAuthJWT))
    }
}
