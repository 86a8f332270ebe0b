internal import Platform

/// The password checks of this process that have not ended, by account.
///
/// The database counts wrong passwords only after they are checked. This object counts before: an account with four
/// wrong passwords and a limit of five gets one check at a time, so parallel requests cannot exceed the limit.
final class LoginAttempts: Sendable {
    fileprivate struct Account {
        var attempts = 0
        var running = 0
        var failures = 0
    }

    fileprivate let accounts = Monitor<[String: Account]>([:])
}

/// A password check that was requested. The account is forgotten with the last reference to its last attempt, also if
/// the check never starts because its client has gone.
final class LoginAttempt: Sendable {
    private let all: LoginAttempts
    private let account: String
    private let limit: Int

    /// - Parameter failures: the number in the database.
    init(_ all: LoginAttempts, _ account: String, failures: Int, limit: Int) {
        (self.all, self.account, self.limit) = (all, account, limit)
        all.accounts.change { accounts in
            var entry = accounts[account] ?? .init()
            entry.attempts += 1
            entry.failures = max(entry.failures, failures)
            accounts[account] = entry
        }
    }

    deinit {
        all.accounts.change { accounts in
            accounts[account]?.attempts -= 1
            if accounts[account]?.attempts == 0 { accounts[account] = nil }
        }
    }

    /// Runs the check, unless the account is locked. Waits for other checks of the account if their failures would lock
    /// it.
    func run(_ check: () -> PasswordJob.Completion) -> PasswordJob.Completion {
        let isAllowed = all.accounts.wait { accounts -> Bool? in
            let (failures, running) = (accounts[account]?.failures ?? 0, accounts[account]?.running ?? 0)
            if failures >= limit { return false }
            if failures + running >= limit { return nil }
            accounts[account]?.running += 1
            return true
        }
        guard isAllowed else { return .locked }
        let completion = check()
        all.accounts.change { accounts in
            accounts[account]?.running -= 1
            switch completion {
            case .matches: accounts[account]?.failures = 0
            case .differs, .hash: accounts[account]?.failures += 1
            case .failed, .locked: break
            }
        }
        return completion
    }
}
