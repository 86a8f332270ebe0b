import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

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
        let logIn = NewSession(user: .seven, session: .key)
        #expect(try backend.logIn(.typed("ada"), code: Secret("74a4-3c2e")) == Reply(.session(logIn)))
    }

    @Test func `logs in with password and code, to web tokens, where the site takes codes elsewhere`() throws {
        let backend = RestAuthBackend.replaying(
            paths: ["secondFactorPath": "2fa/"], Self.pending,
            .post("2fa/", Self.body, 200, RestAuthSample.pair))
        let logIn = NewSession(user: .seven, session: .webTokens)
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
