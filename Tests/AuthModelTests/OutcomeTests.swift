import AuthModel
import Expectations

@Suite struct OutcomeTests {
    /// The documented exit codes, each with its `error.code` and reasons.
    static let table: [(exit: Int32, code: String, reasons: [String])] = [
        (1, "failure", ["internal"]),
        (2, "usage", ["usage", "unknown-profile", "plain-http"]),
        (3, "not-logged-in", ["no-session"]),
        (
            4, "rejected",
            ["wrong-password", "wrong-code", "session-revoked", "session-expired", "token-refused", "cancelled"]
        ),
        (
            5, "action-needed",
            [
                "second-factor-required", "email-unverified", "account-locked", "account-disabled",
                "password-expired", "reauthentication-required", "forbidden", "bad-app-key",
            ]
        ),
        (6, "conflict", ["username-taken", "email-taken", "phone-taken", "identity-taken", "conflict"]),
        (7, "invalid", ["invalid-fields", "weak-password", "not-found"]),
        (
            8, "unreachable",
            [
                "dns", "connect", "tls", "proxy", "timeout", "invalid-response", "wrong-endpoint", "redirect",
                "outcome-unknown",
            ]
        ),
        (9, "server-error", ["server-fault", "rate-limited"]),
        (10, "unsupported", ["unsupported"]),
        (11, "partial", []),
        (12, "storage", ["unreadable", "unsafe", "corrupt", "newer-version", "locked", "no-space", "not-written"]),
    ]

    @Test(arguments: table)
    func `error reasons have the documented exit and error codes`(exit: Int32, code: String, reasons: [String]) throws {
        for name in reasons {
            let reason = try #require(AuthError.Reason(rawValue: name), "there is no reason '\(name)'")
            expect(reason.outcome.exitCode, exit, "\(name)")
            expect(reason.outcome.code, code, "\(name)")
        }
    }

    @Test func `every error reason is listed with a documented exit code`() {
        let documented = Self.table.flatMap(\.reasons)
        expect(AuthError.Reason.allCases.map(\.rawValue).filter { !documented.contains($0) }, [])
    }

    @Test func `every exit code is documented`() {
        expect(Outcome.allCases.map(\.exitCode), Self.table.map(\.exit))
        expect(Outcome.allCases.map(\.code), Self.table.map(\.code))
    }

    @Test func `the meaning of an exit code fits on one line of a help page`() {
        for outcome in Outcome.allCases {
            #expect(!outcome.meaning.isEmpty && outcome.meaning.count <= 72, "\(outcome)")
        }
    }

    @Test(arguments: AuthError.Reason.allCases)
    func `only the reasons session-revoked and session-expired mean an invalid session`(reason: AuthError.Reason) {
        expect(reason.meansInvalidSession, [.sessionRevoked, .sessionExpired].contains(reason))
    }

    @Test(arguments: AuthError.Reason.allCases)
    func `an error is retryable if the same command may succeed later without user action`(reason: AuthError.Reason) {
        let retryable: [AuthError.Reason] = [.dns, .connect, .proxy, .timeout, .serverFault, .rateLimited, .locked]
        expect(reason.isRetryable, retryable.contains(reason))
    }
}
