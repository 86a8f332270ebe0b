import CommandTestSupport

@testable import AuthBackends

@Suite struct RestAuthPasswordTests {
    static let trialBody = #"{"username":"ada","password":"old"}"#
    static let changeBody = #"{"old_password":"old","new_password1":"n\"ew","new_password2":"n\"ew"}"#
    static let done = #"{"detail":"New password has been saved."}"#
    static let mustBeEmail = #"{"non_field_errors":["Must include \"email\" and \"password\"."]}"#

    private func change(_ backend: RestAuthBackend, _ session: Session = .key) throws {
        let reply = try backend.changePassword(PasswordChange(from: Secret("old"), to: Secret("n\"ew")), of: session)
        expect(reply.replacement, nil)
    }

    @Test func `a rest-auth password check logs in and does not revoke the key, because all devices share it`() throws {
        try change(
            .replaying(
                .keyUser, .post("login/", Self.trialBody, 200, RestAuthSample.key),
                .post("password/change/", Self.changeBody, as: "Token 0a1b", 200, Self.done), .keyUser))
    }

    @Test(arguments: [(200, "{}"), (401, #"{"detail":"Token is blacklisted"}"#), (500, "<html>")])
    func `a rest-auth password check tries to revoke the JWTs from its login`(status: Int, answer: String) throws {
        let end = #"{"refresh":"\#(RestAuthSample.otherRefresh)"}"#
        try change(
            .replaying(
                .restAuthJWTUser, .post("login/", Self.trialBody, 200, RestAuthSample.otherPair),
                .post("logout/", end, status, answer),
                .post(
                    "password/change/", Self.changeBody, as: "Bearer \(RestAuthSample.access)", 200, Self.done),
                .restAuthJWTUser),
            .restAuthJWT)
    }

    @Test func `a password change logs in with the e-mail address if the rest-auth site rejects usernames`() throws {
        try change(
            .replaying(
                .keyUser, .post("login/", Self.trialBody, 400, Self.mustBeEmail),
                .post("login/", #"{"email":"ada@example.org","password":"old"}"#, 200, RestAuthSample.key),
                .post("password/change/", Self.changeBody, as: "Token 0a1b", 200, Self.done), .keyUser))
    }

    @Test func `a rest-auth password check logs in with the name of the last login if the site shows another name`()
        throws
    {
        var session = Session.key
        session.loginName = .username("ada")
        try change(
            .replaying(
                .post("login/", Self.trialBody, 200, RestAuthSample.key),
                .post("password/change/", Self.changeBody, as: "Token 0a1b", 200, Self.done), .keyUser), session)
    }

    /// The site sends these responses only if the password is correct.
    @Test(arguments: [
        (400, #"{"non_field_errors":["E-mail is not verified."]}"#),
        (200, #"{"ephemeral_token":"1:x:y","mfa_required":true}"#), (204, ""),
    ])
    func `a rest-auth login response without a session still confirms the current password`(
        status: Int, answer: String
    ) throws {
        try change(
            .replaying(
                .keyUser, .post("login/", Self.trialBody, status, answer),
                .post("password/change/", Self.changeBody, as: "Token 0a1b", 200, Self.done), .keyUser))
    }

    /// Source: simplejwt 5.5, `CHECK_REVOKE_TOKEN`.
    static let dead = #"{"detail":"The user's password has been changed.","code":"password_changed"}"#
    static let newBody = #"{"username":"ada","password":"n\"ew"}"#

    private func changeEnding(
        _ status: Int = 401, _ answer: String = dead, _ logIn: Exchange...
    ) throws -> Reply<Pending?> {
        let bearer = "Bearer \(RestAuthSample.access)"
        let backend = RestAuthBackend.replaying(
            atSite: true,
            [
                .restAuthJWTUser, .post("login/", Self.trialBody, 204, ""),
                .post("password/change/", Self.changeBody, as: bearer, 200, Self.done),
                .get("user/", as: bearer, status, answer),
            ] + logIn)
        return try backend.changePassword(PasswordChange(from: Secret("old"), to: Secret("n\"ew")), of: .restAuthJWT)
    }

    @Test func `a rest-auth session that ends with a password change is replaced by one login`() throws {
        let owner = Exchange.get("user/", as: "Bearer \(RestAuthSample.otherAccess)", 200, RestAuthSample.user)
        let reply = try changeEnding(
            401, Self.dead, .post("login/", Self.newBody, 200, RestAuthSample.otherPair), owner)
        expect(reply.replacement?.token.reveal(), RestAuthSample.otherAccess)
    }

    @Test(arguments: [(500, "<html>"), (404, "<html>"), (401, #"{"detail":"Token has expired"}"#)])
    func `a rest-auth session is kept if a password change was not seen to end it`(status: Int, answer: String) throws {
        try expect(changeEnding(status, answer).replacement, nil)
    }

    @Test func `a failed login after a rest-auth password change reports that the password was changed`() throws {
        let limited = Exchange.post("login/", Self.newBody, 429, #"{"detail":"Request was throttled."}"#)
        let error = try failure { _ = try changeEnding(401, Self.dead, limited) }
        #expect(error.isAfterSuccess)
        error.expectMessage(in: "backends/rest-auth")
    }

    @Test func `a rest-auth password change fails if the site returns neither username nor e-mail`() throws {
        let nameless = Exchange.get("user/", as: "Token 0a1b", 200, #"{"pk":7}"#)
        try expect(failure { try change(.replaying(nameless)) }.reason, .invalidResponse)
    }
}
