import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

@Suite struct RestAuthPasswordTests {
    static let trialBody = #"{"username":"ada","password":"old"}"#
    static let changeBody = #"{"old_password":"old","new_password1":"n\"ew","new_password2":"n\"ew"}"#
    static let done = #"{"detail":"New password has been saved."}"#
    static let mustBeEmail = #"{"non_field_errors":["Must include \"email\" and \"password\"."]}"#

    private func change(_ backend: RestAuthBackend, _ session: Session = .key) throws {
        let reply = try backend.changePassword(from: Secret("old"), to: Secret("n\"ew"), of: session)
        #expect(reply.replacement == nil)
    }

    @Test func `a rest-auth password check logs in and does not revoke the key, because all devices share it`() throws {
        try change(
            .replaying(
                .keyUser, .post("login/", Self.trialBody, 200, RestAuthSample.key),
                .post("password/change/", Self.changeBody, as: "Token 0a1b", 200, Self.done)))
    }

    @Test(arguments: [(200, "{}"), (401, #"{"detail":"Token is blacklisted"}"#), (500, "<html>")])
    func `a rest-auth password check tries to revoke the JWTs from its login`(status: Int, answer: String) throws {
        let end = #"{"refresh":"\#(RestAuthSample.otherRefresh)"}"#
        try change(
            .replaying(
                .restAuthJWTUser, .post("login/", Self.trialBody, 200, RestAuthSample.otherPair),
                .post("logout/", end, status, answer),
                .post(
                    "password/change/", Self.changeBody, as: "Bearer \(RestAuthSample.access)", 200, Self.done)),
            .restAuthJWT)
    }

    @Test func `a password change logs in with the e-mail address if the rest-auth site rejects usernames`() throws {
        try change(
            .replaying(
                .keyUser, .post("login/", Self.trialBody, 400, Self.mustBeEmail),
                .post("login/", #"{"email":"ada@example.org","password":"old"}"#, 200, RestAuthSample.key),
                .post("password/change/", Self.changeBody, as: "Token 0a1b", 200, Self.done)))
    }

    @Test func `a rest-auth password check logs in with the name of the last login if the site shows another name`()
        throws
    {
        var session = Session.key
        session.loginName = .username("ada")
        try change(
            .replaying(
                .post("login/", Self.trialBody, 200, RestAuthSample.key),
                .post("password/change/", Self.changeBody, as: "Token 0a1b", 200, Self.done)), session)
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
                .post("password/change/", Self.changeBody, as: "Token 0a1b", 200, Self.done)))
    }

    @Test func `a rest-auth password change fails if the site returns neither username nor e-mail`() throws {
        let nameless = Exchange.get("user/", as: "Token 0a1b", 200, #"{"pk":7}"#)
        #expect(try failure { try change(.replaying(nameless)) }.reason == .invalidResponse)
    }
}
