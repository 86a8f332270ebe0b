import AuthModel
import CommandTestSupport
import JSON
import Platform
import Testing
import Transport

@testable import AuthBackends

@Suite struct AllauthSessionTests {
    @Test func `a request with an allauth JWT sends the JWT as a bearer token`() throws {
        let backend = AllauthBackend.replaying(
            .allauthUser(as: .bearer(AllauthSample.access), 200, AllauthSample.done(token: nil)))
        #expect(try backend.currentUser(.allauthJWT) == Reply(.allauthSeven))
    }

    @Test(arguments: [
        (410, AllauthSample.dead, AuthError.Reason.sessionRevoked, AuthError.Reason.tokenRefused),
        (410, "<html>", .wrongEndpoint, .wrongEndpoint), (410, #"{"status":410}"#, .wrongEndpoint, .wrongEndpoint),
        (200, "{}", .invalidResponse, .invalidResponse), (200, #"{"status":200}"#, .invalidResponse, .invalidResponse),
    ])
    func `only a 410 response in allauth's format means a revoked session (at a token login, a rejected token)`(
        status: Int, answer: String, reason: AuthError.Reason, ofToken: AuthError.Reason
    ) throws {
        let exchange = Exchange.allauthUser(as: .token("s1"), status, answer)
        let backend = AllauthBackend.replaying(exchange, exchange)
        #expect(try failure { _ = try backend.currentUser(.allauthOld) }.reason == reason)
        #expect(try failure { _ = try backend.logIn(token: Secret("s1")) }.reason == ofToken)
    }

    @Test func `an allauth user has the extra members of the response, except secrets`() throws {
        let user =
            #"{"id":"6f1c","display":"x","username":"","email":"a@b.example","password":"p","session_token":"t","#
            + #""access_token":"t","_x":1,"age":3}"#
        let backend = AllauthBackend.replaying(
            .allauthUser(as: .token("s1"), 200, #"{"status":200,"data":{"user":\#(user)}}"#))
        let expected = User(id: "6f1c", email: "a@b.example", fields: ["_x": 1, "age": 3])
        #expect(try backend.currentUser(.allauthOld) == Reply(expected))
    }

    // MARK: - Logout

    private func logOut(_ status: Int, _ answer: String) throws -> Reply<Revocation> {
        try AllauthBackend.replaying(.allauth("DELETE auth/session", as: .token("s1"), status, answer))
            .logOut(.allauthOld)
    }

    @Test func `a 401 response in allauth's format confirms a logout`() throws {
        #expect(try logOut(401, AllauthSample.notLoggedIn) == Reply(.yes))
    }

    @Test(arguments: [
        (401, #"{"status":401}"#, AuthError.Reason.forbidden),
        (401, AllauthSample.reauthentication, .reauthenticationRequired),
        (410, "", .wrongEndpoint), (404, "", .wrongEndpoint),
    ])
    func `an unexpected response makes an allauth logout fail`(status: Int, answer: String, reason: AuthError.Reason)
        throws
    {
        #expect(try failure { _ = try logOut(status, answer) }.reason == reason)
    }

    // MARK: - JWTs

    private static func refresh(_ status: Int, _ answer: String) -> Exchange {
        .allauth("POST tokens/refresh", sending: #"{"refresh_token":"\#(AllauthSample.refresh)"}"#, status, answer)
    }

    private static let refreshed = refresh(
        200,
        #"{"status":200,"data":{"access_token":"\#(AllauthSample.access2)","refresh_token":"\#(AllauthSample.refresh2)"}}"#
    )

    @Test func `an allauth refresh sends only the refresh token`() throws {
        var old = Session.allauthJWT
        (old.id, old.createdAt) = ("5", .sampleStart)
        let new = try AllauthBackend.replaying(Self.refreshed).refresh(old)
        #expect(new.token == Secret(AllauthSample.access2))
        #expect(new.refreshToken == Secret(AllauthSample.refresh2))
        #expect(new.expiresAt == .sampleNow.adding(.seconds(600)))
        #expect(new.id == "5")
        #expect(new.createdAt == .sampleStart)
    }

    @Test(arguments: [
        (400, #"{"status":400}"#, AuthError.Reason.sessionExpired), (400, "", .invalidResponse),
        (200, #"{"status":200,"data":{}}"#, .invalidResponse), (404, "<html>", .wrongEndpoint),
    ])
    func `an allauth refresh reports an expired session only for a 400 response in allauth's format`(
        status: Int, answer: String, reason: AuthError.Reason
    ) throws {
        let backend = AllauthBackend.replaying(Self.refresh(status, answer))
        #expect(try failure { _ = try backend.refresh(.allauthJWT) }.reason == reason)
    }

    // MARK: - Logout of a JWT session

    private static func asked(_ status: Int, _ answer: String) -> Exchange {
        .allauthUser(as: .bearer(AllauthSample.access), status, answer)
    }

    @Test func `an allauth logout checks the JWT first, because an invalid JWT gets the same logout response`() throws {
        let backend = AllauthBackend.replaying(
            Self.asked(200, #"{"status":200,"data":{},"meta":{"is_authenticated":true}}"#),
            .allauth("DELETE auth/session", as: .bearer(AllauthSample.access), 401, AllauthSample.notLoggedIn))
        #expect(try backend.logOut(.allauthJWT) == Reply(.yes))
    }

    @Test func `an allauth logout first refreshes an expired JWT`() throws {
        let backend = AllauthBackend.replaying(
            Self.asked(401, AllauthSample.notLoggedIn), Self.refreshed,
            .allauth("DELETE auth/session", as: .bearer(AllauthSample.access2), 401, AllauthSample.notLoggedIn))
        #expect(try backend.logOut(.allauthJWT) == Reply(.yes))
    }

    /// The session may still be valid, because another process may have refreshed the JWT.
    @Test func `a JWT that cannot be refreshed leaves the outcome of an allauth logout uncertain`() throws {
        let backend = AllauthBackend.replaying(
            Self.asked(401, AllauthSample.notLoggedIn), Self.refresh(400, #"{"status":400}"#))
        let error = try failure { _ = try backend.logOut(.allauthJWT) }
        #expect(error.reason == .outcomeUnknown)
        error.expectMessage(in: "backends/allauth")
    }
}
