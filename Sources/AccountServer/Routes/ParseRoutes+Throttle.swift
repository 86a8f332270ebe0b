internal import Platform
internal import SQLite
internal import Transport

/// Limits for logins, signups and e-mails, see `ThrottleLimits`. They depend on the username or e-mail address in the
/// request, and not on its headers or the address of the client.
extension ParseRoutes {
    enum PasswordCheck {
        case right, wrong
        /// The password was not checked. The duration is the rest of the lock.
        case locked(Duration)
    }

    /// Checks a password, unless the account is locked.
    ///
    /// - Parameters:
    ///   - stored: the stored hash; `nil` without one. Then a hash is computed and discarded, because the response time
    ///     must not reveal whether the account exists.
    ///   - account: see `Users.account`.
    func check(
        _ password: String, _ stored: String?, of account: String, _ request: ParseRequest
    ) throws(RouteError) -> PasswordCheck {
        func compare() -> PasswordHash.Outcome {
            if let stored { return PasswordHash.compare(password, with: stored) }
            return PasswordHash.derive(password, cost: settings.passwordCost) == nil ? .failed : .differs
        }
        guard let limit = settings.throttle.failedLogins else {
            let outcome = try hashing(for: request, compare)
            if outcome == .failed { throw .outOfMemory }
            return outcome == .matches ? .right : .wrong
        }
        let checked = try loginAttempts.run(Counters.Subject.failedLogins(account).key, limit: limit) {
            () throws(RouteError) in
            try failures(of: account)?.count ?? 0
        } check: { () throws(RouteError) -> PasswordCheck in
            let outcome = try hashing(for: request, compare)
            if outcome == .failed { throw .outOfMemory }
            let isRight = outcome == .matches
            let counter = isRight ? try failures(of: account) : try countFailure(of: account, limit)
            // Another server may have counted failures in this database since the check began.
            if let rest = rest(of: counter, limit) { return .locked(rest) }
            if isRight, counter != nil { try forgetFailures(of: account) }
            return isRight ? .right : .wrong
        }
        if let checked { return checked }
        let counter = try failures(of: account)
        return .locked(rest(of: counter, limit) ?? ThrottleLimits.window)
    }

    private func failures(of account: String) throws(RouteError) -> Counters.Counter? {
        try stored { () throws(SQLiteError) in try counters.counter(.failedLogins(account), at: now) }
    }

    /// The rest of the lock; `nil` for an account that is not locked.
    private func rest(of counter: Counters.Counter?, _ limit: Int) -> Duration? {
        counter.flatMap { $0.count >= limit ? now.duration(to: $0.expiresAt) : nil }
    }

    /// Each failure begins a new window, so that a lock lasts for a whole one. A lock is never extended.
    ///
    /// - Returns: the counter before this failure.
    private func countFailure(of account: String, _ limit: Int) throws(RouteError) -> Counters.Counter? {
        var earlier: Counters.Counter?
        try unsynced { () throws(SQLiteError) in
            // Read here: the wait for the database takes time, in which other threads count.
            let now = now
            try counters.deleteExpired(at: now)
            earlier = try counters.counter(.failedLogins(account), at: now)
            let count = earlier?.count ?? 0
            guard count < limit else { return }
            try counters.set(
                Counters.Counter(count: count + 1, expiresAt: now.adding(ThrottleLimits.window)),
                of: .failedLogins(account))
        }
        return earlier
    }

    private func forgetFailures(of account: String) throws(RouteError) {
        try unsynced { () throws(SQLiteError) in try counters.delete(.failedLogins(account)) }
    }

    /// Counts a signup; 429.
    func countSignUp(of username: String?) throws(RouteError) {
        guard let limit = settings.throttle.signUps else { return }
        let all = (subject: Counters.Subject.signUps(nil), most: limit.total)
        try count(username.map { [(.signUps($0), limit.each), all] } ?? [all])
    }

    /// Counts a request for an e-mail, whether the address has an account or not; 429.
    func countMail(to address: String) throws(RouteError) {
        guard let limit = settings.throttle.mails else { return }
        try count([(.mails(address), limit.each), (.mails(nil), limit.total)])
    }

    /// Adds one to all counters, unless one of them has reached its limit. A window begins with its first request.
    private func count(_ limits: [(subject: Counters.Subject, most: Int)]) throws(RouteError) {
        var wait: Duration?
        try unsynced { () throws(SQLiteError) in
            let now = now
            try counters.deleteExpired(at: now)
            let found = try limits.map { limit throws(SQLiteError) in try counters.counter(limit.subject, at: now) }
            for (limit, counter) in zip(limits, found) {
                guard let counter, counter.count >= limit.most else { continue }
                wait = max(wait ?? .zero, now.duration(to: counter.expiresAt))
            }
            guard wait == nil else { return }
            for (limit, counter) in zip(limits, found) {
                var new = counter ?? .init(count: 0, expiresAt: now.adding(ThrottleLimits.window))
                new.count += 1
                try counters.set(new, of: limit.subject)
            }
        }
        if let wait { throw .answered(ParseResponses.tooManyRequests(after: wait)) }
    }

    /// A power failure may undo a counter, but the end of the process does not.
    private func unsynced(_ body: () throws(SQLiteError) -> Void) throws(RouteError) {
        try stored { () throws(SQLiteError) in try database.connection.unsyncedTransaction(body) }
    }
}

extension Instant {
    fileprivate func duration(to later: Instant) -> Duration { .milliseconds(later.milliseconds - milliseconds) }
}
