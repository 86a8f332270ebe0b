internal import Platform
internal import Transport

/// Limits for logins, signups and e-mails, see `ThrottleLimits`. The limits apply per account, username or e-mail
/// address, and to all signups or e-mails together, regardless of headers and the client's IP address.
extension ParseRoutes {
    enum PasswordCheck {
        case right, wrong
        /// The password was not checked. The duration is the remaining time of the lock.
        case locked(Duration)
    }

    /// Checks a password, unless the account is locked.
    ///
    /// A failure is counted before the check, and removed if the check succeeds. Therefore, neither parallel requests
    /// nor a database that cannot be written allow more guesses than the limit.
    ///
    /// - Parameters:
    ///   - stored: the stored hash. If it is `nil`, a hash is computed and discarded, because the response time must
    ///     not reveal whether the account exists.
    ///   - account: the account name from `Users.account`.
    func check(
        _ password: String, _ stored: String?, of account: String
    ) throws(RouteError) -> PasswordCheck {
        guard let limit = settings.throttle.failedLogins else {
            return try matches(password, stored) ? .right : .wrong
        }
        let subject = Counters.Subject.failedLogins(account)
        if let lock = try begin(subject, limit) { return .locked(lock) }
        defer { runningChecks.change { $0[subject.key] = $0[subject.key].flatMap { $0 > 1 ? $0 - 1 : nil } } }
        let isRight: Bool
        do throws(RouteError) {
            isRight = try matches(password, stored)
        } catch {
            // The password was not compared, so remove the counted failure.
            try database.transaction(isDurable: false) { () throws(RouteError) in
                guard var counter = try counters.counter(subject, at: now) else { return }
                counter.count -= 1
                try counters.set(counter, of: subject)
            }
            throw error
        }
        if isRight {
            try database.transaction(isDurable: false) { () throws(RouteError) in try counters.delete(subject) }
        }
        return isRight ? .right : .wrong
    }

    private func matches(_ password: String, _ stored: String?) throws(RouteError) -> Bool {
        guard let stored else {
            _ = try passwordHash(of: password)
            return false
        }
        let outcome = try hashing { PasswordHash.compare(password, with: stored) }
        if outcome == .failed { throw .outOfMemory }
        return outcome == .matches
    }

    /// Counts a failure in advance. Each failure starts a new window, so a lock lasts for a whole window. Attempts
    /// during a lock do not extend it.
    ///
    /// - Returns: the remaining time of the lock; `nil` if the check may begin.
    private func begin(_ subject: Counters.Subject, _ limit: Int) throws(RouteError) -> Duration? {
        while true {
            var (lock, running): (Duration?, Int) = (nil, 0)
            try database.transaction(isDurable: false) { () throws(RouteError) in
                // Read the time only now, because other threads may count failures during the wait for the database.
                let now = now
                try counters.deleteExpired(at: now)
                let earlier = try counters.counter(subject, at: now)
                if let earlier, earlier.count >= limit {
                    lock = now.duration(to: earlier.expiresAt)
                    running = runningChecks.change { $0[subject.key] ?? 0 }
                } else {
                    let end = now.adding(ThrottleLimits.window)
                    try counters.set(Counters.Counter(count: (earlier?.count ?? 0) + 1, expiresAt: end), of: subject)
                    runningChecks.change { $0[subject.key, default: 0] += 1 }
                }
            }
            // Checks in progress may have used up all attempts. Wait, because a check that succeeds removes the lock.
            guard lock != nil, running > 0 else { return lock }
            _ = runningChecks.wait(atMost: .seconds(1)) { $0[subject.key] ?? 0 < running ? true : nil }
        }
    }

    /// Counts a signup. Error: status 429.
    func countSignUp(of username: String?) throws(RouteError) {
        guard let limit = settings.throttle.signUps else { return }
        let all = (subject: Counters.Subject.signUps(nil), most: limit.total)
        try count(username.map { [(.signUps($0), limit.each), all] } ?? [all])
    }

    /// Counts a request for an e-mail, whether or not the address has an account. Error: status 429.
    func countMail(to address: String) throws(RouteError) {
        guard let limit = settings.throttle.mails else { return }
        try count([(.mails(address), limit.each), (.mails(nil), limit.total)])
    }

    /// Adds one to all counters, unless one of them has reached its limit. A window begins with its first request.
    private func count(_ limits: [(subject: Counters.Subject, most: Int)]) throws(RouteError) {
        try database.transaction(isDurable: false) { () throws(RouteError) in
            let now = now
            try counters.deleteExpired(at: now)
            let found = try limits.map { limit throws(RouteError) in try counters.counter(limit.subject, at: now) }
            let full = zip(limits, found).compactMap { limit, counter in
                counter.flatMap { $0.count >= limit.most ? now.duration(to: $0.expiresAt) : nil }
            }
            if let wait = full.max() { throw .answered(ParseResponses.tooManyRequests(after: wait)) }
            for (limit, counter) in zip(limits, found) {
                var new = counter ?? .init(count: 0, expiresAt: now.adding(ThrottleLimits.window))
                new.count += 1
                try counters.set(new, of: limit.subject)
            }
        }
    }
}

extension Instant {
    fileprivate func duration(to later: Instant) -> Duration { .milliseconds(later.milliseconds - milliseconds) }
}
