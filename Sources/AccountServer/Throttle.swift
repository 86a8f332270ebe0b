internal import Platform

/// Counts failed logins, signups and requests for e-mails, in memory: all locks end with the process.
package final class Throttle: Sendable {
    private struct Counter {
        var count = 0
        /// The number of password checks in progress.
        var running = 0
        /// The counter starts again at 0 at this time.
        var end: Instant
    }

    private struct State {
        /// Without expired counters, apart from those that expired after the last sweep.
        var counters: [[UInt8]: Counter] = [:]
        var nextSweep = Instant(milliseconds: 0)

        func current(_ key: [UInt8], at now: Instant) -> Counter {
            var counter = counters[key] ?? Counter(end: now)
            if counter.end <= now { counter.count = 0 }
            return counter
        }

        mutating func set(_ counter: Counter, _ key: [UInt8], at now: Instant) {
            counters[key] = counter.count == 0 && counter.running == 0 ? nil : counter
            guard nextSweep <= now else { return }
            counters = counters.filter { $0.value.end > now || $0.value.running > 0 }
            nextSweep = now.adding(ThrottleLimits.window)
        }
    }

    private let limits: ThrottleLimits
    private let state = Monitor(State())

    package init(_ limits: ThrottleLimits) {
        self.limits = limits
    }

    /// Begins a password check, unless the account is locked. If the checks in progress may use up all attempts, waits
    /// for them, because a check that succeeds removes the lock. Therefore, parallel requests allow no more guesses than
    /// the limit.
    ///
    /// - Parameter account: the account name from `Users.account`.
    /// - Returns: the remaining time of the lock; `nil` if the check may begin. `endCheck` must follow then.
    func beginCheck(of account: String, _ clock: WallClock) -> Duration? {
        let key = Self.key("login", account)
        return state.wait { state -> Duration?? in
            let now = clock.now()
            var counter = state.current(key, at: now)
            if counter.count >= limits.failedLogins { return .some(now.duration(to: counter.end)) }
            guard counter.count + counter.running < limits.failedLogins else { return nil }
            counter.running += 1
            state.set(counter, key, at: now)
            return .some(nil)
        }
    }

    /// Ends a password check. Each failure starts a new window, so a lock lasts for a whole window.
    ///
    /// - Parameter isRight: `nil` if the password was not compared.
    func endCheck(of account: String, _ isRight: Bool?, at now: Instant) {
        let key = Self.key("login", account)
        state.change { state in
            var counter = state.current(key, at: now)
            counter.running = max(0, counter.running - 1)
            if let isRight {
                counter.count = isRight ? 0 : counter.count + 1
                counter.end = now.adding(ThrottleLimits.window)
            }
            state.set(counter, key, at: now)
        }
    }

    /// Counts a signup, successful or not.
    ///
    /// - Parameter username: `nil` for a signup without a username.
    /// - Returns: the time until the next signup is accepted; `nil` if this one is.
    func countSignUp(of username: String?, at now: Instant) -> Duration? {
        limits.signUps.flatMap { count("signup", username, $0, now) }
    }

    /// Counts a request for an e-mail, whether or not the address has an account. The result is that of `countSignUp`.
    func countMail(to address: String, at now: Instant) -> Duration? {
        limits.mails.flatMap { count("mail", address, $0, now) }
    }

    /// Adds one to both counters, unless one of them has reached its limit. A window begins with its first request.
    private func count(_ kind: String, _ name: String?, _ limit: ThrottleLimits.Limit, _ now: Instant) -> Duration? {
        var keys = [(Self.key("all", kind), limit.total)]
        if let name { keys.append((Self.key(kind, Users.key(name)), limit.each)) }
        return state.change { state in
            let counters = keys.map { (key: $0.0, most: $0.1, counter: state.current($0.0, at: now)) }
            let full = counters.filter { $0.counter.count >= $0.most }
            if let wait = full.map({ now.duration(to: $0.counter.end) }).max() { return wait }
            for (key, _, var counter) in counters {
                if counter.count == 0 { counter.end = now.adding(ThrottleLimits.window) }
                counter.count += 1
                state.set(counter, key, at: now)
            }
            return nil
        }
    }

    /// Sets all counters to 0.
    func reset() { state.change { $0.counters = [:] } }

    /// A hash, because a name may be a megabyte long.
    private static func key(_ kind: String, _ name: String) -> [UInt8] { "\(kind) \(name)".blake2b }
}

/// The limits per `window`; `nil` means unlimited.
package struct ThrottleLimits: Sendable, Equatable {
    package struct Limit: Sendable, Equatable {
        /// The limit for each username or address. Names with the same `Users.key` share a limit.
        let each: Int
        /// The limit for all usernames or addresses together.
        let total: Int
    }

    /// The number of wrong passwords that locks an account for `window`.
    var failedLogins = 5
    var signUps: Limit?
    var mails: Limit?

    /// Source: the example of `accountLockout` in Parse Server's documentation.
    static let window: Duration = .seconds(300)

    package static let standard = ThrottleLimits(
        signUps: Limit(each: 10, total: 200), mails: Limit(each: 10, total: 200))
    /// Used for a database in memory, because tests create thousands of accounts.
    package static let loginsOnly = ThrottleLimits()
}

extension Instant {
    fileprivate func duration(to later: Instant) -> Duration { .milliseconds(later.milliseconds - milliseconds) }
}
