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
        (.brokenAnswer, .brokenAnswer),
        (.storage(.unreadable), .unreadable),
        (.storage(.unsafe), .unsafe),
        (.storage(.corrupt), .corrupt),
        (.storage(.newerVersion), .newerVersion),
        (.storage(.locked), .locked),
        (.storage(.noSpace), .noSpace),
        (.storage(.notWritten), .notWritten),
    ])
    func `are told with their words and their hint`(kind: TransportError.Kind, reason: AuthError.Reason) throws {
        let fault = TransportError(kind, "it broke", hint: "mend it")
        let backend = ParseBackend.replaying(Exchange(Exchange.currentUserRequest, fault))
        let error = try failure { _ = try backend.currentUser(.abc) }
        #expect(error == AuthError(reason, "it broke", hint: "mend it"))
    }
}
