internal import Platform

/// The password checks of this process that run now, by account.
///
/// The database counts wrong passwords only after they are checked. This object counts before: an account with four
/// wrong passwords and a limit of five gets one check at a time, so parallel requests cannot exceed the limit.
final class LoginAttempts: Sendable {
    /// By 32 bytes, see `Counters.Subject.key`; not by the name, which may be a megabyte long.
    private let running = Monitor<[[UInt8]: Int]>([:])

    /// Runs a check, unless the account is locked. Waits for other checks of the account if their failures would lock it.
    ///
    /// - Parameters:
    ///   - failures: reads the wrong passwords that the database counts.
    ///   - check: counts a wrong password in the database before it returns.
    /// - Returns: `nil` if the account is locked.
    func run<Result, Failure: Error>(
        _ account: [UInt8], limit: Int, failures: () throws(Failure) -> Int, check: () throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        while true {
            let before = try failures()
            guard before < limit else { return nil }
            let isFirst = running.wait(atMost: .milliseconds(250)) { running -> Bool? in
                guard before + running[account, default: 0] < limit else { return nil }
                running[account, default: 0] += 1
                return true
            }
            guard isFirst == true else { continue }
            defer {
                running.change { running in
                    running[account] = running[account] == 1 ? nil : running[account].map { $0 - 1 }
                }
            }
            // A check that ended since the database was read has counted its failure by now.
            if try failures() == before { return try check() }
        }
    }
}
