import AuthModel
import CommandTestSupport
import MessageSnapshots
import Testing

@testable import AuthClient

/// The next steps that `Advice` adds to errors from backends.
@Suite struct AdviceTests {
    private func advice(_ kind: String = "parse") -> Advice {
        let descriptor = BackendDescriptor(
            kind: kind, takesServer: true, checksNewAccounts: false, traits: traits(of: kind))
        return Advice(
            settings: Settings(
                profile: Setting("ci", from: .builtIn), backend: Setting(descriptor, from: .profile("ci")),
                connection: Connection(backend: kind, server: "https://a.example"), serverOrigin: .profile("ci")),
            isVerbose: false)
    }

    /// The hints of an error, joined into one line.
    private func hints(of error: AuthError, kind: String = "parse") -> String {
        advice(kind).completing(error).hints.joined(separator: "; ")
    }

    private func expect(_ lines: [String]) {
        MessageFile("use-cases/advice").expect(lines.joined(separator: "\n"))
    }

    private static let facts: [AuthError.Fact] = [
        .accountDeleted, .anotherIdentityLinked, .issuesNoToken, .lacksIdentityID, .lacksLoginName, .lacksPassword,
        .lacksSecondToken, .lacksTokenAuthentication, .locked(minutes: nil), .locked(minutes: 1),
        .locked(minutes: 5), .missingSlash(path: "/a/"), .missingView(setting: "mfaPath"), .needsLoginOfCode,
        .needsWholeLink, .onlyFacebook, .otherApplication, .otherProviders(["'a'", "'b'"]),
        .otherPurpose(["verify-email"]),
        .sendsOnlyAtLogin, .similarName("-Ada"), .wantsEmail, .wantsNoRedirectURI, .wantsUsername,
    ]

    @Test func `an AuthError.Fact determines the hint of an error`() {
        expect(Self.facts.map { "\($0): \(hints(of: AuthError(.unsupported, "x", $0)))" })
    }

    @Test func `the hint after a lost response depends on the operation`() {
        let lines = Operation.allCases.filter(\.hasEffect).map { operation in
            var error = AuthError(.outcomeUnknown, "x")
            error.operation = operation
            #expect(!hints(of: error).isEmpty)
            return "\(operation): \(hints(of: error))"
        }
        expect(lines)
    }

    private static let rows: [(AuthError.Reason, Operation, Int?, Int?)] = [
        (.rateLimited, .logIn, 429, 1), (.rateLimited, .logIn, 429, 30),
        (.forbidden, .logIn, 401, nil), (.notFound, .verifyEmail, 409, nil), (.notFound, .verifyEmail, 404, nil),
        (.tokenRefused, .linkIdentity, 400, nil), (.serverFault, .logInWithIdentity, 500, nil),
        (.serverFault, .unlinkIdentity, 500, nil), (.serverFault, .logIn, 500, nil),
        (.wrongEndpoint, .logIn, 404, nil), (.dns, .logIn, nil, nil), (.connect, .logIn, nil, nil),
        (.timeout, .logIn, nil, nil), (.badAppKey, .logIn, 403, nil), (.badAppKey, .impersonate, 403, nil),
        (.tokenRefused, .inspectToken, 400, nil), (.badAppKey, .logInDevice, 400, nil),
        (.forbidden, .logInDevice, 400, nil), (.rateLimited, .logInDevice, 400, nil),
    ]

    @Test func `the hint for an error may depend on its reason, operation, HTTP status and backend`() {
        let kinds = ["parse", "rest-auth", "allauth"]
        let lines = Self.rows.flatMap { reason, operation, status, retryAfter in
            var error = AuthError(reason, "x", server: status.map { ServerDetail(status: $0) }, retryAfter: retryAfter)
            (error.operation, error.evidence) = (operation, .status)
            let wait = retryAfter.map { " after \($0) s" } ?? ""
            let row = "\(reason)\(status.map { " \($0)" } ?? "")\(wait), \(operation)"
            let found = kinds.map { hints(of: error, kind: $0) }
            return Set(found).count == 1
                ? ["\(row): \(found[0])"] : zip(kinds, found).map { "\(row), \($0): \($1)" }
        }
        expect(lines)
    }

    @Test func `a transport error with its own hint gets no default hint`() {
        var error = AuthError(.tls, "x", next: "fix it")
        error.operation = .signUp
        #expect(advice().completing(error).hints == ["fix it"])
    }
}
