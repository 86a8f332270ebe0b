import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

@Suite struct RestAuthSecondFactorTests {
    static let pending = Exchange.post(
        "login/", RestAuthLogInTests.byName, 200, #"{"ephemeral_token":"1:x:y","mfa_required":true}"#)
    static let body = #"{"ephemeral_token":"1:x:y","code":"74a4-3c2e"}"#

    @Test func `a rest-auth login with a one-time code returns a session with the issued key`() throws {
        let backend = RestAuthBackend.replaying(
            Self.pending, .post("mfa/verify/", Self.body, 200, RestAuthSample.key), .keyUser)
        let logIn = NewSession(user: .seven, session: .key)
        #expect(try backend.logIn(.typed("ada"), code: Secret("74a4-3c2e")) == Reply(.session(logIn)))
    }

    @Test func `a rest-auth login with a one-time code uses the second-factor path set in the profile`() throws {
        let backend = RestAuthBackend.replaying(
            paths: ["secondFactorPath": "2fa/"], Self.pending,
            .post("2fa/", Self.body, 200, RestAuthSample.pair))
        let logIn = NewSession(user: .seven, session: .restAuthJWT)
        #expect(try backend.logIn(.typed("ada"), code: Secret("74a4-3c2e")) == Reply(.session(logIn)))
    }
}
