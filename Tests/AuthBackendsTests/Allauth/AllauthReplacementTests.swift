import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

/// Any response may contain a session that replaces the session of the request. The server revokes the old one.
@Suite struct AllauthReplacementTests {
    static let new = AllauthSample.done(token: "s2")
    static let same = AllauthSample.done(token: nil)

    /// A response with a list and the session `s2`.
    private static func list(_ rows: String) -> String {
        #"{"status":200,"data":[\#(rows)],"meta":{"is_authenticated":true,"session_token":"s2"}}"#
    }

    @Test func `a session that replaces the one of a user request is returned`() throws {
        let backend = AllauthBackend.replaying(.allauthUser(as: .token("s1"), 200, Self.new))
        #expect(try backend.currentUser(.allauthOld) == Reply(.allauthSeven, replacement: .allauthNew))
    }

    @Test func `a session that replaces a given token is returned`() throws {
        let backend = AllauthBackend.replaying(.allauthUser(as: .token("s1"), 200, Self.new))
        #expect(try backend.logIn(token: Secret("s1")).value.session == Session(token: Secret("s2")))
    }

    @Test func `a session that replaces the one of a session list or revocation is returned`() throws {
        let backend = AllauthBackend.replaying(
            .allauth("GET auth/sessions", as: .token("s1"), 200, Self.list("")),
            .allauth("DELETE auth/sessions", sending: #"{"sessions":[4]}"#, as: .token("s1"), 200, Self.list("")))
        #expect(try backend.sessions(of: .allauthOld) == Reply([], replacement: .allauthNew))
        #expect(try backend.endSession(id: "4", of: .allauthOld).replacement == .allauthNew)
    }

    @Test func `a session that replaces the one of a password change is returned`() throws {
        let body = #"{"current_password":" öld","new_password":"new "}"#
        let backend = AllauthBackend.replaying(
            .allauth("POST account/password/change", sending: body, as: .token("s1"), 200, Self.new))
        let reply = try backend.changePassword(from: Secret(" öld"), to: Secret("new "), of: .allauthOld)
        #expect(reply.replacement == .allauthNew)
    }

    @Test func `the next request is sent with the session that replaces the first`() throws {
        let backend = AllauthBackend.replaying(
            .allauthUser(as: .token("s1"), 200, Self.new), .allauthProviders("1001", as: .token("s2")))
        let reply = try backend.identities(of: .allauthOld)
        #expect(reply.value.link(to: .facebook) == .linked(id: "1001"))
        #expect(reply.replacement == .allauthNew)
    }

    @Test func `a session that replaces the one of a link is returned`() throws {
        let backend = AllauthBackend.replaying(
            .allauthProviders(), .allauthSite, .allauthConnect(200, Self.new),
            .allauthProviders("1001", as: .token("s2")))
        let reply = try backend.link(IdentityCredential(.facebook, .accessToken(Secret("fb-token"))), to: .allauthOld)
        #expect(reply.value.hasChanged == true)
        #expect(reply.replacement == .allauthNew)
    }

    @Test func `a session that replaces the one of a verification e-mail is returned`() throws {
        let backend = AllauthBackend.replaying(
            .allauth("GET account/email", as: .token("s1"), 200, Self.list("")),
            .allauth(
                "PUT account/email", sending: #"{"email":"a@b.c"}"#, as: .token("s2"), 200, #"{"status":200}"#))
        let reply = try backend.sendVerification(email: "a@b.c", as: .session(.allauthOld))
        #expect(reply == Reply(true, replacement: .allauthNew))
    }

    @Test func `a session in a response that rejects the request is returned`() throws {
        let refusal =
            #"{"status":401,"data":{"flows":[{"id":"reauthenticate"}]},"#
            + #""meta":{"is_authenticated":true,"session_token":"s2"}}"#
        let backend = AllauthBackend.replaying(
            .allauthUser(as: .token("s1"), 401, refusal), .allauthUser(as: .token("s1"), 200, Self.new),
            .allauth("GET account/providers", as: .token("s2"), 500, "<html>"))
        #expect(try failure { _ = try backend.currentUser(.allauthOld) }.replacement == .allauthNew)
        #expect(try failure { _ = try backend.identities(of: .allauthOld) }.replacement == .allauthNew)
    }

    @Test func `the token of a pending login does not replace the session`() throws {
        let backend = AllauthBackend.replaying(
            .allauthUser(as: .token("s1"), 401, AllauthSample.pending("verify_email", token: "p1")))
        #expect(try failure { _ = try backend.currentUser(.allauthOld) }.replacement == nil)
    }
}
