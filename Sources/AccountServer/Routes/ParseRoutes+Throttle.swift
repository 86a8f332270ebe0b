internal import Transport

/// Limits for logins, signups and e-mails, see `Throttle`. The limits apply per account, username or e-mail address, and
/// to all signups or e-mails together, regardless of headers and the client's IP address.
extension ParseRoutes {
    enum PasswordCheck {
        case right, wrong
        /// The password was not checked. The duration is the remaining time of the lock.
        case locked(Duration)
    }

    /// Checks a password, unless the account is locked.
    ///
    /// - Parameters:
    ///   - stored: the stored hash. If it is `nil`, a hash is computed and discarded, because the response time must
    ///     not reveal whether the account exists.
    ///   - account: the account name from `Users.account`.
    func check(
        _ password: String, _ stored: String?, of account: String
    ) throws(RequestError) -> PasswordCheck {
        if let lock = settings.throttle?.beginCheck(of: account, settings.clock) { return .locked(lock) }
        var isRight: Bool?
        defer { settings.throttle?.endCheck(of: account, isRight, at: now) }
        isRight = try matches(password, stored)
        return isRight == true ? .right : .wrong
    }

    private func matches(_ password: String, _ stored: String?) throws(RequestError) -> Bool {
        guard let stored else {
            _ = try passwordHash(of: password)
            return false
        }
        let outcome = try hashing { PasswordHash.compare(password, with: stored) }
        if outcome == .failed { throw .outOfMemory }
        return outcome == .matches
    }

    /// Counts a signup. Error: status 429.
    func countSignUp(of username: String?) throws(RequestError) {
        try accept(after: settings.throttle?.countSignUp(of: username, at: now))
    }

    /// Counts a request for an e-mail, whether or not the address has an account. Error: status 429.
    func countMail(to address: String) throws(RequestError) {
        try accept(after: settings.throttle?.countMail(to: address, at: now))
    }

    private func accept(after wait: Duration?) throws(RequestError) {
        if let wait { throw .answered(ParseResponses.tooManyRequests(after: wait)) }
    }
}
