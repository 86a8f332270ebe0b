import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

@Suite struct TransportErrorsTests {
    @Test(arguments: [
        (TransportError.Kind.dns, AuthError.Reason.dns),
        (.connect, .connect),
        (.tls, .tls),
        (.proxy, .proxy),
        (.timeout, .timeout),
        (.invalidResponse, .invalidResponse),
        (.storage(.unreadable), .unreadable),
        (.storage(.unsafe), .unsafe),
        (.storage(.corrupt), .corrupt),
        (.storage(.newerVersion), .newerVersion),
        (.storage(.locked), .locked),
        (.storage(.noSpace), .noSpace),
        (.storage(.notWritten), .notWritten),
    ])
    func `a transport error keeps its message and hint`(kind: TransportError.Kind, reason: AuthError.Reason) throws {
        let fault = TransportError(kind, "it broke", hint: "fix it")
        let backend = ParseBackend.replaying(Exchange(Exchange.currentUserRequest, fault))
        let error = try failure { _ = try backend.currentUser(.abc) }
        #expect(error == AuthError(reason, "it broke", next: "fix it"))
    }

    @Test func `a lost response to a signup says that the account may exist`() throws {
        let fault = TransportError(.timeout, "no response within 30 seconds", hint: "fix it", wasSent: true)
        let error = try failure { _ = try ParseBackend.replaying(Exchange(Exchange.signUpRequest, fault)).signUp(.ada) }
        #expect(error.reason == .outcomeUnknown)
        error.expectMessage(in: "backends/shared")
    }
}
