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

/// Mails, and what is in them.
@Suite struct RestAuthMailTests {
    static let address = #"{"email":"a+b@example.org"}"#

    @Test func `has the mail for a new password sent, and does not hear whether anybody got it`() throws {
        let backend = RestAuthBackend.replaying(
            .post("password/reset/", Self.address, 200, #"{"detail":"Password reset e-mail has been sent."}"#))
        try backend.resetPassword(email: "a+b@example.org")
    }

    @Test(arguments: [
        (400, #"{"email":["Enter a valid email address."]}"#, AuthError.Reason.invalidFields),
        (500, "<html>", .serverFault), (504, "", .outcomeUnknown), (404, "<html>", .wrongEndpoint),
    ])
    func `says why no mail for a new password went out`(status: Int, answer: String, reason: AuthError.Reason) throws {
        let backend = RestAuthBackend.replaying(.post("password/reset/", Self.address, status, answer))
        #expect(try failure { try backend.resetPassword(email: "a+b@example.org") }.reason == reason)
    }

    @Test func `has the mail that confirms an address sent again`() throws {
        let backend = RestAuthBackend.replaying(
            .post("registration/resend-email/", Self.address, 200, #"{"detail":"ok"}"#))
        #expect(try backend.sendVerification(email: "a+b@example.org"))
    }

    @Test func `knows that the older package sends no mail again`() throws {
        let backend = RestAuthBackend.replaying(.post("registration/resend-email/", Self.address, 404, "<html>"))
        let error = try failure { _ = try backend.sendVerification(email: "a+b@example.org") }
        #expect(error.reason == .unsupported)
        #expect(error.outcome.exitCode == 10)
    }

    @Test(arguments: [
        ("MQ:1xU:s-_g", "MQ:1xU:s-_g"), ("MQ%3A1xU%3As-_g", "MQ:1xU:s-_g"), ("MQ%3a1xU%3as", "MQ:1xU:s"),
        ("100%", "100%"), ("%zz%4", "%zz%4"), ("%ff", "%ff"), ("%+1", "%+1"), ("a+b", "a+b"),
    ])
    func `confirms an address with the key as it stands in the link`(typed: String, sent: String) throws {
        let backend = RestAuthBackend.replaying(
            .post("registration/verify-email/", #"{"key":"\#(sent)"}"#, 200, #"{"detail":"ok"}"#))
        try backend.verifyEmail(key: typed)
    }

    @Test(arguments: [
        (404, #"{"detail":"Not found."}"#, AuthError.Reason.notFound), (404, "<html>", .unsupported),
        (400, #"{"key":["This field may not be blank."]}"#, .invalidFields), (500, "<html>", .serverFault),
    ])
    func `says why an address is not confirmed`(status: Int, answer: String, reason: AuthError.Reason) throws {
        let backend = RestAuthBackend.replaying(
            .post("registration/verify-email/", #"{"key":"k"}"#, status, answer))
        #expect(try failure { try backend.verifyEmail(key: "k") }.reason == reason)
    }
}

@Suite struct RestAuthSecondFactorTests {
    static let pending = Exchange.post(
        "login/", RestAuthLogInTests.byName, 200, #"{"ephemeral_token":"1:x:y","mfa_required":true}"#)
    static let body = #"{"ephemeral_token":"1:x:y","code":"74a4-3c2e"}"#

    @Test func `says that a code is wanted`() throws {
        let backend = RestAuthBackend.replaying(Self.pending)
        #expect(try failure { _ = try backend.logIn(.typed("ada")) }.reason == .secondFactorRequired)
    }

    @Test func `logs in with password and code, to a key`() throws {
        let backend = RestAuthBackend.replaying(
            Self.pending, .post("mfa/verify/", Self.body, 200, RestAuthSample.key), .keyUser)
        let logIn = LogIn(user: .seven, session: .key)
        #expect(try backend.logIn(.typed("ada"), code: Secret("74a4-3c2e")) == Reply(.session(logIn)))
    }

    @Test func `logs in with password and code, to web tokens, where the site takes codes elsewhere`() throws {
        let backend = RestAuthBackend.replaying(
            paths: ["secondFactorPath": "2fa/"], Self.pending,
            .post("2fa/", Self.body, 200, RestAuthSample.pair))
        let logIn = LogIn(user: .seven, session: .webTokens)
        #expect(try backend.logIn(.typed("ada"), code: Secret("74a4-3c2e")) == Reply(.session(logIn)))
    }

    @Test func `logs somebody in without a second factor with the password alone`() throws {
        let backend = RestAuthBackend.replaying(
            .post("login/", RestAuthLogInTests.byName, 200, RestAuthSample.pair))
        #expect(throws: Never.self) { try backend.logIn(.typed("ada"), code: Secret("74a4-3c2e")) }
    }

    @Test(arguments: [
        (400, #"{"code":["Invalid code."]}"#, AuthError.Reason.wrongCode),
        (400, #"{"code":["Ensure this field has no more than 9 characters."]}"#, .wrongCode),
        (400, #"{"ephemeral_token":["Invalid or expired token."]}"#, .tokenRefused),
        (404, "<html>", .unsupported), (429, "", .rateLimited), (500, "<html>", .serverFault),
    ])
    func `says why a code does not help`(status: Int, answer: String, reason: AuthError.Reason) throws {
        let backend = RestAuthBackend.replaying(Self.pending, .post("mfa/verify/", Self.body, status, answer))
        let error = try failure { _ = try backend.logIn(.typed("ada"), code: Secret("74a4-3c2e")) }
        #expect(error.reason == reason)
    }
}
