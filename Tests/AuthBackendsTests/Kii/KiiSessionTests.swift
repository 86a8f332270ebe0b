import AuthModel
import CommandTestSupport
import JSON
import Testing
import Transport

@testable import AuthBackends

@Suite struct KiiSessionTests {
    @Test func `a user has no members of the server's own`() throws {
        let answer =
            #"{"userID":"u-1","internalUserID":1,"loginName":"ada","emailAddress":null,"phoneNumber":"+8190","#
            + #""phoneNumberVerified":true,"country":"JP","_hasPassword":true,"_secret":"x","age":36,"memo":"my refresh-1"}"#
        var user = User(
            id: "u-1", username: "ada", providers: [],
            fields: [
                "phoneNumber": "+8190", "phoneNumberVerified": true, "country": "JP", "age": 36,
                "memo": "my <redacted>",
            ])
        user.lacksEmail = true
        let session = Session(token: Secret("t1"), refreshToken: Secret("refresh-1"), createdAt: .sampleNow)
        #expect(try KiiBackend.replaying(.kiiMe(200, answer)).currentUser(session) == Reply(user))
    }

    @Test func `linked services are known by their names`() throws {
        let answer = #"{"userID":"u-1","_thirdPartyAccounts":{"facebook":{"id":"1"},"googleplus":{},"qq":null}}"#
        let user = try KiiBackend.replaying(.kiiMe(200, answer)).currentUser(.kii).value
        #expect(user.providers == ["facebook", "googleplus"])
    }

    @Test(arguments: [
        (403, KiiSample.error("WRONG_TOKEN"), AuthError.Reason.sessionRevoked),
        (401, KiiSample.error("UNAUTHORIZED"), .sessionRevoked),
        (200, KiiSample.error("WRONG_TOKEN"), .sessionRevoked),
        (404, KiiSample.error("USER_NOT_FOUND"), .sessionRevoked),
        (403, KiiSample.error("NEW_CODE"), .sessionRevoked),
        (401, KiiSample.error("USER_DISABLED"), .accountDisabled), (403, KiiSample.error("APP_DISABLED"), .badAppKey),
        (403, "{}", .forbidden), (200, "{}", .brokenAnswer), (200, #"{"userID":""}"#, .brokenAnswer),
    ])
    func `only Kii's own codes revoke a session`(status: Int, answer: String, reason: AuthError.Reason) throws {
        let backend = KiiBackend.replaying(.kiiMe(status, answer))
        #expect(try failure { _ = try backend.currentUser(.kii) }.reason == reason)
    }

    @Test func `a logout sends nothing, because Kii cannot revoke a session`() throws {
        #expect(try KiiBackend.replaying().logOut(.kii) == Reply(.unsupported))
    }

    // MARK: - Refresh

    private func exchange(_ status: Int, _ answer: String) -> Exchange {
        .kii(
            "POST oauth2/token", sending: #"{"grant_type":"refresh_token","refresh_token":"r1"}"#, status, answer)
    }

    @Test func `a refresh replaces both tokens`() throws {
        let refreshed = try KiiBackend.replaying(exchange(200, KiiSample.pair)).refresh(.kiiOld)
        let expected = Session(
            token: Secret("t2"), refreshToken: Secret("r2"), createdAt: .sampleStart,
            expiresAt: .sampleNow.adding(.seconds(3600)))
        #expect(refreshed == expected)
    }

    /// A refresh token is valid once.
    @Test func `a refresh without a new refresh token leaves none`() throws {
        let refreshed = try KiiBackend.replaying(exchange(200, KiiSample.token)).refresh(.kiiOld)
        #expect(refreshed.refreshToken == nil)
    }

    @Test(arguments: [
        (403, KiiSample.error("WRONG_REFRESH_TOKEN"), AuthError.Reason.sessionRevoked),
        (400, KiiSample.oauth("invalid_grant"), .sessionRevoked),
        (403, KiiSample.error("WRONG_TOKEN"), .sessionRevoked),
        (401, KiiSample.error("USER_DISABLED"), .accountDisabled),
        (400, KiiSample.oauth("unsupported_grant_type"), .unsupported),
        (500, KiiSample.error("UNDEFINED_ERROR"), .serverFault), (200, "{}", .brokenAnswer),
    ])
    func `only Kii's own codes revoke a session at a refresh`(
        status: Int, answer: String, reason: AuthError.Reason
    ) throws {
        let backend = KiiBackend.replaying(exchange(status, answer))
        #expect(try failure { _ = try backend.refresh(.kiiOld) }.reason == reason)
    }
}
