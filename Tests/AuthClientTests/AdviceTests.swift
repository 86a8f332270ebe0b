import AuthModel
import CommandTestSupport
import MessageSnapshots
import Testing

@testable import AuthClient

/// The table of next steps after the errors of backends.
@Suite struct AdviceTests {
    private func advice(_ kind: String = "parse") -> Advice {
        let descriptor = BackendDescriptor(
            kind: kind, summary: "there", takesServer: true, checksNewAccounts: false, traits: traits(of: kind))
        return Advice(
            settings: Settings(
                profile: Setting("ci", from: .builtIn), backend: Setting(descriptor, from: .profile("ci")),
                connection: Connection(backend: kind, server: "https://a.example"), serverOrigin: .profile("ci")),
            isVerbose: false)
    }

    private func expect(_ error: AuthError, _ situation: String, kind: String = "parse") {
        let hints = advice(kind).completing(error).hints
        MessageFile("use-cases/advice").expect(hints.map { "hint: \($0)" }.joined(separator: "\n"), situation)
    }

    @Test(
        arguments: [
            .accountDeleted, .anotherIdentityLinked, .issuesNoToken, .lacksIdentityID, .lacksLoginName, .lacksPassword,
            .lacksSecondToken, .lacksTokenAuthentication, .locked(minutes: nil), .locked(minutes: 1),
            .locked(minutes: 5), .missingSlash(path: "/a/"), .missingView(setting: "mfaPath"), .needsLoginOfCode,
            .needsWholeLink, .onlyFacebook, .otherApplication, .otherProviders(["'a'", "'b'"]),
            .sendsOnlyAtLogin, .similarName("-Ada"), .wantsEmail, .wantsNoRedirectURI, .wantsUsername,
        ] as [AuthError.Fact])
    func `each fact of a backend has a next step`(fact: AuthError.Fact) {
        expect(AuthError(.unsupported, "x", fact), "\(fact)")
    }

    @Test(arguments: Operation.allCases.filter(\.hasEffect))
    func `the error of a lost response says how to find out the outcome`(operation: Operation) {
        var error = AuthError(.outcomeUnknown, "x")
        error.operation = operation
        expect(error, "\(operation)")
        #expect(!advice().completing(error).nextSteps.isEmpty)
    }

    @Test(
        arguments: [
            (.rateLimited, .logIn, 429, 1), (.rateLimited, .logIn, 429, 30), (.rateLimited, .logIn, 400, nil),
            (.forbidden, .logIn, 401, nil), (.notFound, .verifyEmail, 409, nil), (.notFound, .verifyEmail, 404, nil),
            (.tokenRefused, .linkIdentity, 400, nil), (.serverFault, .logInWithIdentity, 500, nil),
            (.serverFault, .unlinkIdentity, 500, nil), (.serverFault, .logIn, 500, nil),
            (.wrongEndpoint, .logIn, 404, nil), (.dns, .logIn, nil, nil), (.connect, .logIn, nil, nil),
            (.timeout, .logIn, nil, nil), (.badAppKey, .logIn, 403, nil), (.badAppKey, .impersonate, 403, nil),
            (.tokenRefused, .inspectToken, 400, nil),
            (.badAppKey, .logInDevice, 400, nil), (.forbidden, .logInDevice, 400, nil),
            (.rateLimited, .logInDevice, 400, nil),
        ] as [(AuthError.Reason, Operation, Int?, Int?)])
    func `each reason has a next step, which may depend on the backend`(
        reason: AuthError.Reason, operation: Operation, status: Int?, retryAfter: Int?
    ) {
        var error = AuthError(reason, "x", server: status.map { ServerDetail(status: $0) }, retryAfter: retryAfter)
        error.operation = operation
        error.evidence = .status
        let wait = retryAfter.map { " after \($0) s" } ?? ""
        let row = "\(reason)\(status.map { " \($0)" } ?? "")\(wait), \(operation)"
        let kinds = ["parse", "rest-auth", "allauth"]
        let isShared = Set(kinds.map { advice($0).completing(error).hints }).count == 1
        for kind in kinds { expect(error, isShared ? row : "\(row), \(kind)", kind: kind) }
    }

    @Test func `a next step of a transport error precedes the steps of the table`() {
        var error = AuthError(.tls, "x", next: "fix it")
        error.operation = .signUp
        #expect(advice().completing(error).hints == ["fix it"])
    }
}
