import AuthModel
import CommandTestSupport
import JSON
import Platform
import Testing
import Transport

@testable import AuthBackends

/// Sessions in use, of both kinds, and tokens from elsewhere.
@Suite struct AllauthSessionTests {
    @Test func `asks who it is with the session`() throws {
        let backend = AllauthBackend.replaying(
            Exchange(
                """
                GET https://a.example/_allauth/app/v1/auth/session
                Accept: application/json
                Accept-Language: en
                X-Session-Token: s1
                """, 200, AllauthSample.done(token: nil)))
        #expect(try backend.currentUser(.allauthOld) == Reply(.allauthSeven))
    }

    @Test func `asks with a web token where the session is one`() throws {
        let backend = AllauthBackend.replaying(
            .allauthUser(as: .bearer(AllauthSample.access), 200, AllauthSample.done(token: nil)))
        #expect(try backend.currentUser(.allauthWebTokens) == Reply(.allauthSeven))
    }

    @Test(arguments: [
        (410, AllauthSample.dead, AuthError.Reason.sessionRevoked, AuthError.Reason.tokenRefused),
        (401, AllauthSample.nobody, .sessionRevoked, .tokenRefused),
        (401, AllauthSample.reauthentication, .reauthenticationRequired, .reauthenticationRequired),
        (401, AllauthSample.pending("verify_email"), .emailUnverified, .emailUnverified),
        (401, AllauthSample.pending("mfa_authenticate"), .secondFactorRequired, .secondFactorRequired),
        (401, #"{"status":401,"error":"Unauthorized"}"#, .forbidden, .forbidden),
        (401, "<html>", .forbidden, .forbidden), (410, "<html>", .wrongEndpoint, .wrongEndpoint),
        (410, #"{"status":410}"#, .wrongEndpoint, .wrongEndpoint), (403, "<html>", .forbidden, .forbidden),
        (404, "<html>", .wrongEndpoint, .wrongEndpoint), (429, "", .rateLimited, .rateLimited),
        (500, "<html>", .serverFault, .serverFault), (502, "", .serverFault, .serverFault),
        (200, "<html>", .brokenAnswer, .brokenAnswer), (200, "", .brokenAnswer, .brokenAnswer),
        (200, "{}", .brokenAnswer, .brokenAnswer), (200, #"{"status":200}"#, .brokenAnswer, .brokenAnswer),
    ])
    func `takes a session for dead only if the server says so`(
        status: Int, answer: String, reason: AuthError.Reason, ofToken: AuthError.Reason
    ) throws {
        let exchange = Exchange.allauthUser(as: .token("s1"), status, answer)
        let backend = AllauthBackend.replaying(exchange, exchange)
        #expect(try failure { _ = try backend.currentUser(.allauthOld) }.reason == reason)
        #expect(try failure { _ = try backend.logIn(token: Secret("s1")) }.reason == ofToken)
    }

    @Test func `keeps a token from elsewhere with whom it is of`() throws {
        let backend = AllauthBackend.replaying(.allauthUser(as: .token("s1"), 200, AllauthSample.done(token: nil)))
        let logIn = NewSession(user: .allauthSeven, session: Session(token: Secret("s1")))
        #expect(try backend.logIn(token: Secret("s1")) == Reply(logIn))
    }

    @Test func `takes the life of a web token from elsewhere from it, and nothing else`() throws {
        let backend = AllauthBackend.replaying(
            .allauthUser(as: .bearer(AllauthSample.access), 200, AllauthSample.done(token: nil)))
        let session = try backend.logIn(token: Secret(AllauthSample.access)).value.session
        #expect(session.createdAt?.seconds == 1_700_000_000)
        #expect(session.expiresAt?.seconds == 1_700_000_300)
        #expect(session.refreshToken == nil)
    }

    @Test func `knows a user by whatever the site tells, without what nobody may see`() throws {
        let user =
            #"{"id":"6f1c","display":"x","username":"","email":"a@b.example","password":"p","session_token":"t","#
            + #""access_token":"t","_x":1,"age":3}"#
        let backend = AllauthBackend.replaying(
            .allauthUser(as: .token("s1"), 200, #"{"status":200,"data":{"user":\#(user)}}"#))
        let expected = User(id: "6f1c", email: "a@b.example", fields: ["age": 3])
        #expect(try backend.currentUser(.allauthOld) == Reply(expected))
    }

    // MARK: - Log-out

    private func logOut(_ status: Int, _ answer: String) throws -> Reply<Revocation> {
        try AllauthBackend.replaying(.allauth("DELETE auth/session", as: .token("s1"), status, answer))
            .logOut(.allauthOld)
    }

    @Test func `has logged out when nobody is logged in any more`() throws {
        #expect(try logOut(401, AllauthSample.nobody) == Reply(.yes))
    }

    @Test func `finds a dead session ended already`() throws {
        #expect(try logOut(410, AllauthSample.dead) == Reply(.already))
    }

    @Test(arguments: [
        (401, "<html>", AuthError.Reason.forbidden), (401, #"{"status":401}"#, .forbidden),
        (401, AllauthSample.reauthentication, .reauthenticationRequired), (410, "", .wrongEndpoint),
        (404, "", .wrongEndpoint), (500, "", .serverFault),
    ])
    func `does not take other answers for a log-out`(status: Int, answer: String, reason: AuthError.Reason) throws {
        #expect(try failure { _ = try logOut(status, answer) }.reason == reason)
    }

    @Test func `may end a session twice, since that has no further effect`() {
        #expect(AllauthEndpoints(base: AllauthSample.base).logOut(.allauthOld).isRepeatable)
    }

    // MARK: - Web tokens

    private static func refresh(_ status: Int, _ answer: String) -> Exchange {
        .allauth("POST tokens/refresh", sending: #"{"refresh_token":"\#(AllauthSample.refresh)"}"#, status, answer)
    }

    private static let renewed = refresh(
        200,
        #"{"status":200,"data":{"access_token":"\#(AllauthSample.access2)","refresh_token":"\#(AllauthSample.refresh2)"}}"#
    )

    @Test func `buys a web token with the refresh token, and no other`() throws {
        var old = Session.allauthWebTokens
        (old.id, old.createdAt) = ("5", .sampleStart)
        let new = try AllauthBackend.replaying(Self.renewed).refresh(old)
        #expect(new.token == Secret(AllauthSample.access2))
        #expect(new.refreshToken == Secret(AllauthSample.refresh2))
        #expect(new.expiresAt == .sampleNow.adding(.seconds(600)))
        #expect(new.id == "5")
        #expect(new.createdAt == .sampleStart)
    }

    @Test(arguments: [
        (400, #"{"status":400}"#, AuthError.Reason.sessionExpired), (400, "", .brokenAnswer),
        (200, #"{"status":200,"data":{}}"#, .brokenAnswer), (404, "<html>", .wrongEndpoint),
        (502, "", .outcomeUnknown), (500, "<html>", .serverFault),
    ])
    func `says why a session is not renewed`(status: Int, answer: String, reason: AuthError.Reason) throws {
        let backend = AllauthBackend.replaying(Self.refresh(status, answer))
        #expect(try failure { _ = try backend.refresh(.allauthWebTokens) }.reason == reason)
    }

    @Test func `renews nothing without a refresh token`() throws {
        #expect(try failure { _ = try AllauthBackend.replaying().refresh(.allauthOld) }.reason == .sessionExpired)
    }

    // MARK: - Logging out with web tokens

    private static func asked(_ status: Int, _ answer: String) -> Exchange {
        .allauthUser(as: .bearer(AllauthSample.access), status, answer)
    }

    @Test func `logs out with a web token that is found to be good, since a dead one brings the same answer`() throws {
        let backend = AllauthBackend.replaying(
            Self.asked(200, #"{"status":200,"data":{},"meta":{"is_authenticated":true}}"#),
            .allauth("DELETE auth/session", as: .bearer(AllauthSample.access), 401, AllauthSample.nobody))
        #expect(try backend.logOut(.allauthWebTokens) == Reply(.yes))
    }

    @Test func `renews one that is not good any more, and logs out with the new one`() throws {
        let backend = AllauthBackend.replaying(
            Self.asked(401, AllauthSample.nobody), Self.renewed,
            .allauth("DELETE auth/session", as: .bearer(AllauthSample.access2), 401, AllauthSample.nobody))
        #expect(try backend.logOut(.allauthWebTokens) == Reply(.yes))
    }

    @Test func `finds a session ended that the server calls dead`() throws {
        let dead = #"{"status":410,"data":{"flows":[]},"meta":{"is_authenticated":null}}"#
        #expect(try AllauthBackend.replaying(Self.asked(410, dead)).logOut(.allauthWebTokens) == Reply(.already))
    }

    /// Somebody else may have renewed it, and then it lives.
    @Test func `does not call a session ended that can only not be renewed`() throws {
        let backend = AllauthBackend.replaying(
            Self.asked(401, AllauthSample.nobody), Self.refresh(400, #"{"status":400}"#))
        #expect(try failure { _ = try backend.logOut(.allauthWebTokens) }.reason == .outcomeUnknown)
    }
}
