import AuthModel
import Testing

@Suite struct OutcomeTests {
    /// Section 4 of the contract: exit code, `error.code`, and the reasons under it.
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
                "reauthentication-required", "forbidden", "bad-app-key",
            ]
        ),
        (6, "conflict", ["username-taken", "email-taken", "identity-taken"]),
        (7, "invalid", ["invalid-fields", "weak-password", "not-found"]),
        (
            8, "unreachable",
            [
                "dns", "connect", "tls", "proxy", "timeout", "broken-answer", "wrong-endpoint", "redirect",
                "outcome-unknown",
            ]
        ),
        (9, "server-error", ["server-fault", "rate-limited"]),
        (10, "unsupported", ["unsupported"]),
        (
            12, "storage",
            ["unreadable", "unsafe", "corrupt", "newer-version", "locked", "no-space", "not-written"]
        ),
    ]

    @Test(arguments: table)
    func `is what the contract says`(exit: Int32, code: String, reasons: [String]) throws {
        for name in reasons {
            let reason = try #require(AuthError.Reason(rawValue: name), "there is no reason '\(name)'")
            #expect(reason.outcome.exitCode == exit, "\(name)")
            #expect(reason.outcome.code == code, "\(name)")
        }
    }

    @Test func `knows no reason beyond the contract`() {
        let documented = Self.table.flatMap(\.reasons)
        #expect(AuthError.Reason.allCases.map(\.rawValue).filter { !documented.contains($0) } == [])
    }

    @Test func `knows no code beyond the contract`() {
        #expect(Outcome.allCases.map(\.exitCode) == Self.table.map(\.exit))
        #expect(Outcome.allCases.map(\.code) == Self.table.map(\.code))
    }

    @Test func `is explained in a line of help`() {
        for outcome in Outcome.allCases {
            #expect(!outcome.meaning.isEmpty && outcome.meaning.count <= 72, "\(outcome)")
        }
    }

    @Test(arguments: AuthError.Reason.allCases)
    func `calls a session dead only if the server said so`(reason: AuthError.Reason) {
        #expect(reason.meansDeadSession == [.sessionRevoked, .sessionExpired].contains(reason))
    }

    @Test(arguments: AuthError.Reason.allCases)
    func `advises to try again only where nothing has to change first`(reason: AuthError.Reason) {
        let retryable: [AuthError.Reason] = [
            .dns, .connect, .proxy, .timeout, .serverFault, .rateLimited, .locked,
        ]
        #expect(reason.isRetryable == retryable.contains(reason))
    }
}
