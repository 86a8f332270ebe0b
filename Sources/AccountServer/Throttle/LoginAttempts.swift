internal import Platform

/// The password checks of this process that have not ended, by account.
///
/// The database counts wrong passwords only after they are checked. This object counts before: an account with four
/// wrong passwords and a limit of five gets one check at a time, so parallel requests cannot exceed the limit.
final class LoginAttempts: Sendable {
    fileprivate struct Account {
        /// The checks that were requested and have not ended.
        var attempts = 0
        /// Those of them that run now.
        var running = 0
        /// Wrong passwords, those in the database included.
        var failures = 0
        /// Wrong passwords that the database does not count yet.
        var uncounted = 0
        /// The end of the window of the last wrong password.
        var expiresAt: Instant

        /// Whether the database knows all that is here.
        func isOver(at now: Instant) -> Bool {
            attempts == 0 && (uncounted == 0 || ThrottleLimits.isOver(expiresAt, at: now))
        }
    }

    fileprivate struct Accounts {
        private var all: [[UInt8]: Account] = [:]
        /// The number of accounts at which those that are over are removed.
        private var cleanupCount = 64

        subscript(account: [UInt8]) -> Account? {
            get { all[account] }
            set { all[account] = newValue }
        }

        /// Does nothing for most calls: each removal takes longer the more accounts there are.
        mutating func removeOver(at now: Instant) {
            guard all.count >= cleanupCount else { return }
            all = all.filter { !$0.value.isOver(at: now) }
            cleanupCount = max(64, 2 * all.count)
        }
    }

    fileprivate let accounts = Monitor(Accounts())
}

/// A password check that was requested.
///
/// The account is forgotten with the last reference to its last attempt, also if the check never starts because its
/// client has gone. A failure that the database never counted is kept for the window: the client disconnected during
/// the check, or the database was locked or full.
final class LoginAttempt: Sendable {
    private let all: LoginAttempts
    private let account: [UInt8]
    private let limit: Int
    private let requestedAt: Instant

    /// - Parameters:
    ///   - account: 32 bytes, see `Counters.Subject.key`; not the name, which may be a megabyte long.
    ///   - failures: the number in the database.
    init(_ all: LoginAttempts, _ account: [UInt8], failures: Int, limit: Int, at now: Instant) {
        (self.all, self.account, self.limit, requestedAt) = (all, account, limit, now)
        all.accounts.change { accounts in
            var entry = accounts[account] ?? .init(expiresAt: now)
            if entry.running == 0, ThrottleLimits.isOver(entry.expiresAt, at: now) {
                (entry.failures, entry.uncounted) = (0, 0)
            }
            entry.attempts += 1
            entry.failures = max(entry.failures, failures)
            accounts[account] = entry
        }
    }

    deinit {
        all.accounts.change { accounts in
            accounts[account]?.attempts -= 1
            if accounts[account]?.isOver(at: requestedAt) == true { accounts[account] = nil }
            // Those that no later attempt would remove.
            if accounts[account] != nil { accounts.removeOver(at: requestedAt) }
        }
    }

    /// Runs the check, unless the account is locked. Waits for other checks of the account if their failures would lock
    /// it.
    func run(_ check: () -> PasswordHash.Outcome) -> PasswordHash.Outcome {
        let isAllowed = all.accounts.wait { accounts -> Bool? in
            let (failures, running) = (accounts[account]?.failures ?? 0, accounts[account]?.running ?? 0)
            if failures >= limit { return false }
            if failures + running >= limit { return nil }
            accounts[account]?.running += 1
            return true
        }
        guard isAllowed else { return .locked }
        let outcome = check()
        all.accounts.change { accounts in
            guard var entry = accounts[account] else { return }
            entry.running -= 1
            switch outcome {
            case .matches: (entry.failures, entry.uncounted) = (0, 0)
            case .differs:
                entry.failures += 1
                entry.uncounted += 1
                entry.expiresAt = requestedAt.adding(ThrottleLimits.window)
            case .failed, .locked: break
            }
            accounts[account] = entry
        }
        return outcome
    }

    /// The database counts the failure of this attempt now.
    func wasCounted() {
        all.accounts.change { accounts in
            if let entry = accounts[account], entry.uncounted > 0 { accounts[account]?.uncounted -= 1 }
        }
    }
}
