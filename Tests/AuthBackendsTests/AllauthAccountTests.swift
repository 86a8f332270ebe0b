import AuthModel
import CommandTestSupport
import JSON
import Platform
import Testing
import Transport

@testable import AuthBackends

/// Lists of sessions, passwords, and what a site says of itself.
@Suite struct AllauthAccountTests {
    // MARK: - Sessions

    private static func row(_ id: Int, _ created: String, more: String = "") -> String {
        #"{"user_agent":"authctl/1","ip":"127.0.0.1","created_at":\#(created),"id":\#(id),"is_current":\#(id == 2)\#(more)}"#
    }

    private func sessions(_ rows: String) throws -> [SessionSummary] {
        let answer = #"{"status":200,"data":[\#(rows)]}"#
        return try AllauthBackend.replaying(.allauth("GET auth/sessions", as: .token("s1"), 200, answer))
            .sessions(of: .allauthOld).value
    }

    @Test func `tells all that is known of a session`() throws {
        let row = Self.row(2, "1795196542.5278", more: #","last_seen_at":1795196543"#)
        let session = SessionSummary(
            id: "2", isCurrent: true, createdAt: Instant(milliseconds: 1_795_196_542_527),
            lastSeenAt: Instant(seconds: 1_795_196_543), device: "authctl/1", address: "127.0.0.1")
        #expect(try sessions(row) == [session])
    }

    @Test func `lists the latest first, and those without a time last`() throws {
        let rows = [
            Self.row(1, "10"), Self.row(3, "null"), Self.row(2, "30.5"), Self.row(4, "20"), Self.row(5, "1e300"),
            #"{"no":"id"}"#,
        ]
        #expect(try sessions(rows.joined(separator: ",")).map(\.id) == ["2", "4", "1", "3", "5"])
    }

    @Test(arguments: [
        (401, AllauthSample.nobody, AuthError.Reason.sessionRevoked), (410, AllauthSample.dead, .sessionRevoked),
        (404, "<html>", .unsupported), (500, "<html>", .serverFault),
    ])
    func `says why there is no list`(status: Int, answer: String, reason: AuthError.Reason) throws {
        let backend = AllauthBackend.replaying(.allauth("GET auth/sessions", as: .token("s1"), status, answer))
        #expect(try failure { _ = try backend.sessions(of: .allauthOld) }.reason == reason)
    }

    private func end(_ status: Int, _ answer: String) throws {
        let body = #"{"sessions":[4]}"#
        _ = try AllauthBackend.replaying(
            .allauth("DELETE auth/sessions", sending: body, as: .token("s1"), status, answer)
        ).endSession(id: "4", of: .allauthOld)
    }

    @Test(arguments: [(200, #"{"status":200,"data":[]}"#), (401, AllauthSample.nobody)])
    func `ends a session, be it the one that asks`(status: Int, answer: String) {
        #expect(throws: Never.self) { try end(status, answer) }
    }

    @Test(arguments: [
        (400, AllauthSample.fault("invalid_choice", "sessions"), AuthError.Reason.notFound),
        (400, AllauthSample.fault("invalid_pk_value", "sessions"), .notFound),
        (401, AllauthSample.reauthentication, .reauthenticationRequired), (401, "<html>", .forbidden),
        (410, AllauthSample.dead, .sessionRevoked), (404, "<html>", .unsupported), (502, "", .outcomeUnknown),
    ])
    func `says why a session was not ended`(status: Int, answer: String, reason: AuthError.Reason) throws {
        #expect(try failure { try end(status, answer) }.reason == reason)
    }

    @Test(arguments: ["x", "", "99999999999999999999"])
    func `does not ask for a session that cannot be`(id: String) throws {
        #expect(
            try failure { _ = try AllauthBackend.replaying().endSession(id: id, of: .allauthOld) }.reason == .notFound)
    }

    // MARK: - Passwords

    @Test(arguments: [
        (
            400, AllauthSample.fault("enter_current_password", "current_password"), AuthError.Reason.wrongPassword,
            "currentPassword"
        ),
        (400, AllauthSample.fault("password_too_short", "new_password"), .weakPassword, "password"),
        (401, AllauthSample.nobody, .sessionRevoked, ""), (410, AllauthSample.dead, .sessionRevoked, ""),
        (401, AllauthSample.reauthentication, .reauthenticationRequired, ""), (504, "", .outcomeUnknown, ""),
    ])
    func `says why a password stays`(status: Int, answer: String, reason: AuthError.Reason, field: String) throws {
        let body = #"{"current_password":"old","new_password":"new"}"#
        let backend = AllauthBackend.replaying(
            .allauth("POST account/password/change", sending: body, as: .token("s1"), status, answer))
        let error = try failure {
            _ = try backend.changePassword(from: Secret("old"), to: Secret("new"), of: .allauthOld)
        }
        #expect(error.reason == reason)
        #expect(error.fields.map(\.field) == (field.isEmpty ? [] : [field]))
    }

    private func reset(_ status: Int, _ answer: String) throws {
        try AllauthBackend.replaying(
            .allauth("GET config", 200, AllauthSample.site),
            .allauth("POST auth/password/request", sending: #"{"email":"a@b.c"}"#, status, answer)
        ).resetPassword(email: "a@b.c")
    }

    @Test(arguments: [(200, #"{"status":200}"#), (401, AllauthSample.pending("password_reset_by_code"))])
    func `has a mail sent that resets a password`(status: Int, answer: String) {
        #expect(throws: Never.self) { try reset(status, answer) }
    }

    @Test func `has no mail sent where it would hold a code that belongs to nobody`() throws {
        let site = #"{"status":200,"data":{"account":{"password_reset_by_code_enabled":true}}}"#
        let backend = AllauthBackend.replaying(.allauth("GET config", 200, site))
        let error = try failure { try backend.resetPassword(email: "a@b.c") }
        #expect(error.reason == .unsupported)
        #expect(error.message == "the site mails a code for that, which only its own pages and apps take")
    }

    @Test(arguments: [
        (400, AllauthSample.fault("invalid", "email"), AuthError.Reason.invalidFields),
        (429, #"{"status":429}"#, .rateLimited), (401, "<html>", .forbidden), (502, "", .outcomeUnknown),
    ])
    func `says why no mail is sent`(status: Int, answer: String, reason: AuthError.Reason) throws {
        #expect(try failure { try reset(status, answer) }.reason == reason)
    }

    // MARK: - The site

    private func site(_ answer: String, _ status: Int = 200) throws -> SiteTraits {
        try AllauthBackend.replaying(.allauth("GET config", status, answer)).site()
    }

    @Test(arguments: [
        (
            AllauthSample.site,
            SiteTraits(takesUsername: true, takesEmail: true, isOpenForSignUp: true, facebookAppID: "fbapp")
        ),
        (
            AllauthSample.site(methods: #""email""#, isOpen: false, facebook: "x"),
            SiteTraits(takesUsername: false, takesEmail: true, isOpenForSignUp: false, facebookAppID: "x")
        ),
        (
            #"{"status":200,"data":{"account":{"login_methods":["username"]}}}"#,
            SiteTraits(takesUsername: true, takesEmail: false, isOpenForSignUp: true, facebookAppID: nil)
        ),
        (
            #"{"status":200,"data":{"account":{"login_methods":[]},"socialaccount":{"providers":[{"id":"facebook"}]}}}"#,
            SiteTraits(takesUsername: true, takesEmail: true, isOpenForSignUp: true, facebookAppID: nil)
        ),
        (
            #"{"status":200,"data":{"account":[],"socialaccount":{"providers":5}}}"#,
            SiteTraits(takesUsername: true, takesEmail: true, isOpenForSignUp: true, facebookAppID: nil)
        ),
        (
            #"{"status":200}"#,
            SiteTraits(takesUsername: true, takesEmail: true, isOpenForSignUp: true, facebookAppID: nil)
        ),
    ])
    func `tells what the site takes; anything where it does not say`(answer: String, traits: SiteTraits) throws {
        #expect(try site(answer) == traits)
    }

    @Test(arguments: [
        (404, "<html>", AuthError.Reason.wrongEndpoint), (200, "<html>", .brokenAnswer), (500, "<html>", .serverFault),
        (502, "", .serverFault), (401, "", .forbidden),
    ])
    func `says why the site cannot be asked`(status: Int, answer: String, reason: AuthError.Reason) throws {
        #expect(try failure { _ = try site(answer, status) }.reason == reason)
    }
}
