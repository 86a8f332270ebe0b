import CommandTestSupport
import Platform

@testable import AuthBackends

@Suite struct AllauthSessionTests {
    @Test func `a request with an allauth JWT sends the JWT as a bearer token`() throws {
        let backend = AllauthBackend.replaying(
            .allauthUser(as: .bearer(AllauthSample.access), 200, AllauthSample.done(token: nil)))
        try expect(backend.currentUser(.allauthJWT), Reply(.allauthSeven))
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
        try expect(failure { _ = try backend.currentUser(.allauthOld) }.reason, reason)
        try expect(failure { _ = try backend.logIn(token: Secret("s1")) }.reason, ofToken)
    }

    @Test func `an allauth user has the extra members of the response, except secrets`() throws {
        let user =
            #"{"id":"6f1c","display":"x","username":"","email":"a@b.example","password":"p","session_token":"t","#
            + #""access_token":"t","_x":1,"age":3}"#
        let backend = AllauthBackend.replaying(
            .allauthUser(as: .token("s1"), 200, #"{"status":200,"data":{"user":\#(user)}}"#))
        let expected = User(id: "6f1c", email: "a@b.example", fields: ["_x": 1, "age": 3])
        try expect(backend.currentUser(.allauthOld), Reply(expected))
    }

    // MARK: - Logout

    private func logOut(_ status: Int, _ answer: String) throws -> Reply<Revocation> {
        try AllauthBackend.replaying(.allauth("DELETE auth/session", as: .token("s1"), status, answer))
            .logOut(.allauthOld)
    }

    @Test func `a 401 response in allauth's format confirms a logout`() throws {
        try expect(logOut(401, AllauthSample.notLoggedIn), Reply(.yes))
    }

    @Test(arguments: [
        (401, #"{"status":401}"#, AuthError.Reason.forbidden),
        (401, AllauthSample.reauthentication, .reauthenticationRequired),
        (410, "", .wrongEndpoint), (404, "", .wrongEndpoint),
    ])
    func `an unexpected response makes an allauth logout fail`(status: Int, answer: String, reason: AuthError.Reason)
        throws
    {
        try expect(failure { _ = try logOut(status, answer) }.reason, reason)
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
        expect(new.token, Secret(AllauthSample.access2))
        expect(new.refreshToken, Secret(AllauthSample.refresh2))
        expect(new.expiresAt, .sampleNow.adding(.seconds(600)))
        expect(new.id, "5")
        expect(new.createdAt, .sampleStart)
        (old.token, old.accessToken) = (Secret("s1"), old.token)
        let pair = try AllauthBackend.replaying(Self.refreshed).refresh(old)
        #expect(pair.token == Secret("s1") && pair.accessToken == new.token && pair.refreshToken == new.refreshToken)
    }

    @Test(arguments: [
        (400, #"{"status":400}"#, AuthError.Reason.sessionExpired), (400, "", .invalidResponse),
        (200, #"{"status":200,"data":{}}"#, .invalidResponse), (404, "<html>", .wrongEndpoint),
    ])
    func `an allauth refresh reports an expired session only for a 400 response in allauth's format`(
        status: Int, answer: String, reason: AuthError.Reason
    ) throws {
        let backend = AllauthBackend.replaying(Self.refresh(status, answer))
        try expect(failure { _ = try backend.refresh(.allauthJWT) }.reason, reason)
    }

    // MARK: - Logout of a JWT session

    private static func asked(_ status: Int, _ answer: String) -> Exchange {
        .allauthUser(as: .bearer(AllauthSample.access), status, answer)
    }

    @Test func `an allauth logout checks the JWT first, because an invalid JWT gets the same logout response`() throws {
        let backend = AllauthBackend.replaying(
            Self.asked(200, #"{"status":200,"data":{},"meta":{"is_authenticated":true}}"#),
            .allauth("DELETE auth/session", as: .bearer(AllauthSample.access), 401, AllauthSample.notLoggedIn))
        try expect(backend.logOut(.allauthJWT), Reply(.yes))
    }

    @Test func `an allauth logout first refreshes an expired JWT`() throws {
        let backend = AllauthBackend.replaying(
            Self.asked(401, AllauthSample.notLoggedIn), Self.refreshed,
            .allauth("DELETE auth/session", as: .bearer(AllauthSample.access2), 401, AllauthSample.notLoggedIn))
        try expect(backend.logOut(.allauthJWT), Reply(.yes))
    }

    /// The session may still be valid, because another process may have refreshed the JWT.
    @Test func `a JWT that cannot be refreshed leaves the outcome of an allauth logout uncertain`() throws {
        let backend = AllauthBackend.replaying(
            Self.asked(401, AllauthSample.notLoggedIn), Self.refresh(400, #"{"status":400}"#))
        try failure { try backend.logOut(.allauthJWT) }.expectMessage(in: "backends/allauth")
    }
}

@Suite struct AllauthPasswordTests {
    /// Source: django-allauth 65.21.1 with `JWTTokenStrategy`, whose refresh tokens name the key of the Django session.
    @Test(arguments: [true, false])
    func `a login after a password change replaces allauth's JWTs, unless it needs another step`(succeeds: Bool) throws
    {
        let pair = #","session_token":"s3","access_token":"\#(AllauthSample.access2)","#
        let new = AllauthSample.done(meta: pair + #""refresh_token":"\#(AllauthSample.refresh2)""#)
        var exchanges: [Exchange] = [
            Self.asked, Self.change(200, AllauthSample.done(token: "s2")), .allauthSite,
            .allauthLogIn(succeeds ? 200 : 401, succeeds ? new : AllauthSample.pending("mfa_authenticate")),
        ]
        if succeeds {
            exchanges.append(.allauth("DELETE auth/session", as: .token("s2"), 401, AllauthSample.notLoggedIn))
        }
        var session = Session.allauthJWT
        (session.token, session.accessToken) = (Secret("s1"), session.token)
        let reply = try AllauthBackend.replaying(exchanges).changePassword(
            PasswordChange(from: Secret("old"), to: Secret("secret")), of: session)
        expect(reply.replacement?.token, Secret(succeeds ? "s3" : "s2"))
        expect(reply.replacement?.refreshToken, Secret(succeeds ? AllauthSample.refresh2 : AllauthSample.refresh))
    }

    private static let asked = Exchange.allauthUser(as: .token("s1"), 200, AllauthSample.done(token: nil))

    private static func change(_ status: Int, _ answer: String) -> Exchange {
        .allauth(
            "POST account/password/change", sending: #"{"current_password":"old","new_password":"secret"}"#,
            as: .token("s1"), status, answer)
    }

    /// Source: django-allauth 65.21.1 with `ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE`. The first two responses are also those to
    /// a change with a session that has ended in the meantime.
    @Test(
        arguments: [
            (200, AllauthSample.done(token: "s2"), nil),
            (400, AllauthSample.fault("username_password_mismatch", "password"), .sessionRevoked),
            (401, AllauthSample.pending("mfa_authenticate"), .secondFactorRequired), (500, "<html>", .serverFault),
        ] as [(Int, String, AuthError.Reason?)])
    func `a 401 that confirms an allauth password change is told from a dead session by a login`(
        status: Int, answer: String, reason: AuthError.Reason?
    ) throws {
        let backend = AllauthBackend.replaying(
            Self.asked, Self.change(401, AllauthSample.notLoggedIn), .allauthSite,
            .allauthLogIn(status, answer))
        let change = {
            try backend.changePassword(PasswordChange(from: Secret("old"), to: Secret("secret")), of: .allauth)
        }
        guard let reason else {
            return try expect(change().replacement, Session(token: Secret("s2"), createdAt: .sampleNow))
        }
        guard reason != .secondFactorRequired else {
            return try expect(change().value?.step, .secondFactor)
        }
        let error = try failure { _ = try change() }
        expect(error.reason, reason)
        expect(error.isAfterSuccess, (reason != .sessionRevoked))
    }

    private func reset(_ status: Int, _ answer: String) throws -> Secret? {
        try AllauthBackend.replaying(
            .allauth("POST auth/password/request", sending: #"{"email":"a@b.c"}"#, status, answer)
        ).resetPassword(email: "a@b.c")
    }

    @Test func `an allauth password-reset request returns a token only if the reset uses a code`() throws {
        try expect(reset(200, #"{"status":200}"#), nil)
        try expect(reset(401, AllauthSample.pending("password_reset_by_code", token: "p1")), Secret("p1"))
    }

    /// Source of the responses: django-allauth 65.21.1.
    @Test(arguments: [409, 410])
    func `a 409 or 410 response to an allauth reset code means that no password reset is pending`(status: Int) throws {
        let answer = #"{"status":\#(status),"meta":{"is_authenticated":false}}"#
        let body = #"{"key":"MPDF","password":"new"}"#
        let backend = AllauthBackend.replaying(
            .allauth("POST auth/password/reset", sending: body, as: .token("p1"), status, answer))
        try failure {
            try backend.resetPassword(key: "MPDF", to: Secret("new"), of: nil, pending: Secret("p1"))
        }.expectMessage(in: "backends/allauth", "\(status)")
    }
}

/// Replacement sessions in responses to token logins and rejected requests. `BackendContract` tests the
/// replacement sessions in all other responses.
@Suite struct AllauthReplacementTests {
    static let new = AllauthSample.done(token: "s2")

    @Test func `a token login returns the session that allauth issues in place of the given token`() throws {
        let backend = AllauthBackend.replaying(.allauthUser(as: .token("s1"), 200, Self.new))
        try expect(backend.logIn(token: Secret("s1")).value.session, Session(token: Secret("s2")))
    }

    @Test func `an allauth error contains a new session from the rejection or from an earlier response`() throws {
        let refusal =
            #"{"status":401,"data":{"flows":[{"id":"reauthenticate"}]},"#
            + #""meta":{"is_authenticated":true,"session_token":"s2"}}"#
        let backend = AllauthBackend.replaying(
            .allauthUser(as: .token("s1"), 401, refusal), .allauthUser(as: .token("s1"), 200, Self.new),
            .allauth("GET account/providers", as: .token("s2"), 500, "<html>"))
        try expect(backendFailure { _ = try backend.currentUser(.allauthOld) }.replacement, .allauthNew)
        try expect(backendFailure { _ = try backend.identities(of: .allauthOld) }.replacement, .allauthNew)
    }

    @Test func `the token of a pending allauth login does not replace the session`() throws {
        let backend = AllauthBackend.replaying(
            .allauthUser(as: .token("s1"), 401, AllauthSample.pending("verify_email", token: "p1")))
        try expect(backendFailure { _ = try backend.currentUser(.allauthOld) }.replacement, nil)
    }
}
