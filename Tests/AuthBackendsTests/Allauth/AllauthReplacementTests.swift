import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

/// Replacement sessions in responses to token logins and rejected requests. `BackendContract` tests the
/// replacement sessions in all other responses.
@Suite struct AllauthReplacementTests {
    static let new = AllauthSample.done(token: "s2")

    @Test func `a token login returns the session that allauth issues in place of the given token`() throws {
        let backend = AllauthBackend.replaying(.allauthUser(as: .token("s1"), 200, Self.new))
        #expect(try backend.logIn(token: Secret("s1")).value.session == Session(token: Secret("s2")))
    }

    @Test func `an allauth error contains a new session from the rejection or from an earlier response`() throws {
        let refusal =
            #"{"status":401,"data":{"flows":[{"id":"reauthenticate"}]},"#
            + #""meta":{"is_authenticated":true,"session_token":"s2"}}"#
        let backend = AllauthBackend.replaying(
            .allauthUser(as: .token("s1"), 401, refusal), .allauthUser(as: .token("s1"), 200, Self.new),
            .allauth("GET account/providers", as: .token("s2"), 500, "<html>"))
        #expect(try backendFailure { _ = try backend.currentUser(.allauthOld) }.replacement == .allauthNew)
        #expect(try backendFailure { _ = try backend.identities(of: .allauthOld) }.replacement == .allauthNew)
    }

    @Test func `the token of a pending allauth login does not replace the session`() throws {
        let backend = AllauthBackend.replaying(
            .allauthUser(as: .token("s1"), 401, AllauthSample.pending("verify_email", token: "p1")))
        #expect(try backendFailure { _ = try backend.currentUser(.allauthOld) }.replacement == nil)
    }
}
