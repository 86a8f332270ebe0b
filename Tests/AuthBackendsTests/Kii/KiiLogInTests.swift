import AuthModel
import CommandTestSupport
import JSON
import Platform
import Testing
import Transport

@testable import AuthBackends

@Suite struct KiiLogInTests {
    @Test func `a login takes the session and requests its user`() throws {
        let backend = KiiBackend.replaying(.kiiLogIn(), .kiiMe())
        let logIn = NewSession(user: .kii, session: .kii)
        #expect(try backend.logIn(Credentials(login: "ada", password: Secret("secret"))) == Reply(.session(logIn)))
    }

    @Test(arguments: [
        500
    ])
    func `a login keeps the typed address although the user cannot be requested`(status: Int) throws {
        let backend = KiiBackend.replaying(.kiiLogIn("EMAIL:ada@example.org"), .kiiMe(status, "<html>"))
        let logIn = NewSession(user: User(id: "u-1", email: "ada@example.org"), session: .kii)
        let reply = try backend.logIn(Credentials(login: "ada@example.org", password: Secret("secret")))
        #expect(reply == Reply(.session(logIn)))
    }

    @Test(arguments: [
        ("ada", "ada"), ("ada@example.org", "EMAIL:ada@example.org"), ("+819012345678", "PHONE:+819012345678"),
        ("EMAIL:ada@example.org", "EMAIL:ada@example.org"), ("PHONE:+8190", "PHONE:+8190"),
        ("PHONE:JP-0312345678", "PHONE:JP-0312345678"), ("0312345678", "0312345678"), ("+", "+"), ("+81a", "+81a"),
        ("+1 234", "+1 234"), ("a.b-c_d", "a.b-c_d"), ("LOGIN_NAME:ada", "LOGIN_NAME:ada"),
        ("+8190@x.org", "EMAIL:+8190@x.org"),
    ])
    func `a login name has a prefix where its kind is clear`(login: String, sent: String) {
        #expect(KiiAddress(login: login).prefixed == sent)
    }

    @Test(arguments: [
        ("ada@example.org", "EMAIL:ada%40example.org"), ("+819012345678", "PHONE:%2B819012345678"),
        ("EMAIL:a/b@x.org", "EMAIL:a%2Fb%40x.org"), ("u-1/../2", "u-1%2F..%2F2"),
    ])
    func `an address is one segment of a path`(login: String, segment: String) {
        #expect(KiiAddress(login: login).segment == segment)
    }

    @Test(
        arguments: [
            ("0", Instant.sampleNow), ("1", .sampleNow.adding(.seconds(1))),
            ("3600", .sampleNow.adding(.seconds(3600))),
            ("3600.5", .sampleNow.adding(.seconds(3600))), ("3.6e3", .sampleNow.adding(.seconds(3600))),
            ("2147483647", Instant(seconds: 1_780_272_000 + 2_147_483_647)),
            ("9223372036854775", .max), ("148478248144076800", .max), ("9223372036854775807", .max),
            ("9223372036854775808", .max), ("1e30", .max), ("99999999999999999999999999", .max),
            ("-1", .sampleNow.adding(.seconds(-1))), ("-9223372036854775808", .min), ("-1e30", .min),
            (#""3600""#, nil), ("null", nil), ("true", nil), ("[]", nil),
        ] as [(String, Instant?)])
    func `a lifetime of any number of seconds gives an expiry`(lifetime: String, end: Instant?) throws {
        let answer = #"{"id":"u-1","access_token":"t1","expires_in":\#(lifetime)}"#
        let backend = KiiBackend.replaying(.kiiLogIn(answer: answer), .kiiMe())
        let logIn = try #require(
            try backend.logIn(Credentials(login: "ada", password: Secret("secret"))).value.session)
        #expect(logIn.session.expiresAt == end)
        #expect(logIn.session.token == Secret("t1"))
        // Any expiry can be compared and written.
        #expect(logIn.session.hasExpired(at: .sampleNow) == end.map { $0 <= .sampleNow } ?? false)
        #expect(end.map { $0.text.utf8.count == 20 } ?? true)
    }

    @Test func `a session without a lifetime does not expire`() throws {
        let backend = KiiBackend.replaying(.kiiLogIn(answer: #"{"id":"u-1","access_token":"t1"}"#), .kiiMe())
        let logIn = NewSession(user: .kii, session: Session(token: Secret("t1"), createdAt: .sampleNow))
        #expect(try backend.logIn(Credentials(login: "ada", password: Secret("secret"))) == Reply(.session(logIn)))
    }

    @Test(arguments: [
        (400, KiiSample.oauth("invalid_grant"), AuthError.Reason.wrongPassword),
        (400, #"{"error":"invalid_grant","error_description":"x"}"#, .wrongPassword),
        (200, KiiSample.oauth("invalid_grant"), .wrongPassword),
        (401, KiiSample.error("USER_DISABLED"), .accountDisabled),
        (404, KiiSample.error("APP_NOT_FOUND"), .badAppKey), (200, "{}", .brokenAnswer),
        (200, #"{"access_token":7}"#, .brokenAnswer), (400, "{}", .invalidFields),
    ])
    func `a rejected login has the reason of its code`(status: Int, answer: String, reason: AuthError.Reason) throws {
        let backend = KiiBackend.replaying(.kiiLogIn("ada", "secret", status, answer))
        let error = try failure { _ = try backend.logIn(Credentials(login: "ada", password: Secret("secret"))) }
        #expect(error.reason == reason)
    }

    // MARK: - With a token

    @Test func `a token is accepted with its user`() throws {
        let logIn = NewSession(user: .kii, session: Session(token: Secret("t1")))
        #expect(try KiiBackend.replaying(.kiiMe()).logIn(token: Secret("t1")) == Reply(logIn))
    }

    @Test(arguments: [
        (403, KiiSample.error("WRONG_TOKEN"), AuthError.Reason.tokenRefused),
        (401, KiiSample.error("UNAUTHORIZED"), .tokenRefused), (401, KiiSample.error("NEW_CODE"), .tokenRefused),
        (404, KiiSample.error("USER_NOT_FOUND"), .tokenRefused), (200, "{}", .brokenAnswer),
        (200, #"{"modifiedAt":1}"#, .brokenAnswer),
    ])
    func `a token is rejected by its own code alone`(
        status: Int, answer: String, reason: AuthError.Reason
    ) throws {
        let backend = KiiBackend.replaying(.kiiMe(status, answer))
        #expect(try failure { _ = try backend.logIn(token: Secret("t1")) }.reason == reason)
    }
}

extension Exchange {
    fileprivate static func kiiLogIn(answer: String) -> Exchange { .kiiLogIn("ada", "secret", 200, answer) }
}

extension Instant {
    fileprivate static let min = Instant(milliseconds: .min)
    fileprivate static let max = Instant(seconds: .max)
}
