import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

@Suite struct TransportErrorsTests {
    @Test func `do not repeat a secret that a redirect names`() throws {
        let fault = TransportError(.redirect, "sends on to 'http://R%3aABC.test'", hint: "--server http://r%3aabc")
        let backend = ParseBackend.replaying(Exchange(Exchange.currentUserRequest, fault))
        let error = try failure { _ = try backend.currentUser(.abc) }
        #expect(error.message == "sends on to 'http://<redacted>.test'")
        #expect(error.nextSteps == ["--server http://<redacted>"])
    }

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
        #expect(error == AuthError(reason, "it broke", next: "mend it"))
    }
}

/// An answer that got lost on its way.
@Suite struct LostAnswerTests {
    static let kinds: [TransportError.Kind] = [.connect, .timeout, .brokenAnswer, .proxy]

    @Test(arguments: kinds)
    func `leaves open whether there is an account now`(kind: TransportError.Kind) throws {
        let fault = TransportError(kind, "it broke", hint: "mend it", wasSent: true)
        let error = try failure { _ = try ParseBackend.replaying(Exchange(Exchange.signUpRequest, fault)).signUp(.ada) }
        #expect(error.reason == .outcomeUnknown)
        #expect(error.message == "the answer was lost: it broke")
        #expect(error.nextSteps == ["the account may exist: try to log in with the same name and password"])
    }

    @Test func `a lost response to an anonymous login does not advise to log in with a password`() throws {
        let fault = TransportError(.timeout, "it broke", wasSent: true)
        let backend = KiiBackend.replaying(
            .kii("POST users", type: "RegistrationAndAuthorization", sending: "{}", fault))
        let error = try failure { _ = try backend.logInAnonymously(identity: "x") }
        #expect(error.reason == .outcomeUnknown)
        #expect(
            error.nextSteps
                == ["an account may exist that cannot be reached: run the login again for another one"])
    }

    @Test(arguments: kinds)
    func `leaves open whether there is a mail on its way, and whether the password is changed`(
        kind: TransportError.Kind
    ) throws {
        let fault = TransportError(kind, "it broke", wasSent: true)
        let mail = ParseBackend.replaying(Exchange(ParsePasswordTests.resetRequest, fault))
        #expect(try failure { try mail.resetPassword(email: "ada@example.org") }.reason == .outcomeUnknown)
        let change = ParseBackend.replaying(
            ParsePasswordTests.me, ParsePasswordTests.trial, ParsePasswordTests.trialEnd,
            Exchange(ParsePasswordTests.changeRequest, fault))
        let error = try failure {
            _ = try change.changePassword(from: Secret("old"), to: Secret("n\"ew"), of: .abc)
        }
        #expect(error.reason == .outcomeUnknown)
    }

    @Test(arguments: kinds)
    func `is only no answer where asking again does no harm`(kind: TransportError.Kind) throws {
        let fault = TransportError(kind, "it broke", hint: "mend it", wasSent: true)
        let error = try failure { _ = try ParseBackend.replaying(Exchange(Exchange.logInRequest, fault)).logIn(.ada) }
        #expect(error == AuthError(fault))
    }

    @Test(arguments: kinds)
    func `is only no answer where nothing was sent`(kind: TransportError.Kind) throws {
        let fault = TransportError(kind, "it broke", hint: "mend it", wasSent: false)
        let error = try failure { _ = try ParseBackend.replaying(Exchange(Exchange.signUpRequest, fault)).signUp(.ada) }
        #expect(error == AuthError(fault))
    }

    @Test(arguments: [TransportError.Kind.dns, .tls, .redirect, .unavailable, .storage(.locked)])
    func `is not what other failures mean`(kind: TransportError.Kind) throws {
        let fault = TransportError(kind, "it broke", wasSent: true)
        let error = try failure { _ = try ParseBackend.replaying(Exchange(Exchange.signUpRequest, fault)).signUp(.ada) }
        #expect(error == AuthError(fault))
    }
}
