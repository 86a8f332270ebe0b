import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

@Suite struct TransportErrorsTests {
    @Test func `a lost response to a signup says that the account may exist`() throws {
        let fault = TransportError(.timeout, "no response within 30 seconds", hint: "fix it", wasSent: true)
        let error = try failure { _ = try ParseBackend.replaying(Exchange(Exchange.signUpRequest, fault)).signUp(.ada) }
        #expect(error.reason == .outcomeUnknown)
        error.expectMessage(in: "backends/shared")
    }
}
