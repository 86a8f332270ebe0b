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

    @Test func `tries the current password by a log-in, which gives the same key, and sets the new one`() throws {
        try change(
            .replaying(
                .keyUser, .post("login/", Self.trialBody, 200, RestAuthSample.key),
                .post("password/change/", Self.changeBody, as: "Token 0a1b", 200, Self.done)))
    }

    @Test(arguments: [(200, "{}"), (401, #"{"detail":"Token is blacklisted"}"#), (500, "<html>")])
    func `ends the web tokens of the trial, or goes on without`(status: Int, answer: String) throws {
        let end = #"{"refresh":"\#(RestAuthSample.otherRefresh)"}"#
        try change(
            .replaying(
                .webTokenUser, .post("login/", Self.trialBody, 200, RestAuthSample.otherPair),
                .post("logout/", end, status, answer),
                .post(
                    "password/change/", Self.changeBody, as: "Bearer \(RestAuthSample.access)", 200, Self.done)),
            .webTokens)
    }

    @Test func `tries the e-mail where the site takes nothing else`() throws {
        try change(
            .replaying(
                .keyUser, .post("login/", Self.trialBody, 400, Self.mustBeEmail),
                .post("login/", #"{"email":"ada@example.org","password":"old"}"#, 200, RestAuthSample.key),
                .post("password/change/", Self.changeBody, as: "Token 0a1b", 200, Self.done)))
    }

    /// Each is said only after the right password.
    @Test(arguments: [
        (400, #"{"non_field_errors":["E-mail is not verified."]}"#),
        (200, #"{"ephemeral_token":"1:x:y","mfa_required":true}"#), (204, ""),
    ])
    func `takes the password for tried where the log-in goes no further`(status: Int, answer: String) throws {
        try change(
            .replaying(
                .keyUser, .post("login/", Self.trialBody, status, answer),
                .post("password/change/", Self.changeBody, as: "Token 0a1b", 200, Self.done)))
    }

    @Test func `changes nothing when the current password is wrong`() throws {
        let wrong = #"{"non_field_errors":["Unable to log in with provided credentials."]}"#
        let error = try failure {
            try change(.replaying(.keyUser, .post("login/", Self.trialBody, 400, wrong)))
        }
        #expect(error.reason == .wrongPassword)
        #expect(error.message == "the current password is wrong")
    }

    @Test(arguments: [
        (429, "", AuthError.Reason.rateLimited), (500, "<html>", .serverFault), (404, "<html>", .wrongEndpoint),
        (403, "<html>", .forbidden), (400, "<html>", .brokenAnswer),
    ])
    func `changes nothing when the current password could not be tried`(
        status: Int, answer: String, reason: AuthError.Reason
    ) throws {
        let error = try failure {
            try change(.replaying(.keyUser, .post("login/", Self.trialBody, status, answer)))
        }
        #expect(error.reason == reason)
    }

    @Test func `changes nothing with a session that is dead, or of somebody without a name`() throws {
        let dead = Exchange.get("user/", as: "Token 0a1b", 401, #"{"detail":"Invalid token."}"#)
        #expect(try failure { try change(.replaying(dead)) }.reason == .sessionRevoked)
        let nameless = Exchange.get("user/", as: "Token 0a1b", 200, #"{"pk":7}"#)
        #expect(try failure { try change(.replaying(nameless)) }.reason == .brokenAnswer)
    }

    @Test(arguments: [
        (400, #"{"new_password2":["This password is too common."]}"#, AuthError.Reason.weakPassword),
        (400, #"{"new_password2":["The two password fields didn’t match."]}"#, .invalidFields),
        (400, #"{"old_password":["Invalid password"]}"#, .wrongPassword),
        (500, "<html>", .serverFault), (504, "", .outcomeUnknown),
    ])
    func `says why the new password was not set`(status: Int, answer: String, reason: AuthError.Reason) throws {
        let error = try failure {
            try change(
                .replaying(
                    .keyUser, .post("login/", Self.trialBody, 200, RestAuthSample.key),
                    .post("password/change/", Self.changeBody, as: "Token 0a1b", status, answer)))
        }
        #expect(error.reason == reason)
    }
}
