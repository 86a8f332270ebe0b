internal import Platform

/// The table `counters`: failed logins, signups and requests for e-mails.
struct Counters {
    enum Subject {
        /// Wrong passwords for an account, see `Users.account`.
        case failedLogins(String)
        /// Signups with this username; `nil` for all signups.
        case signUps(String?)
        /// Requests for an e-mail to this address; `nil` for all requests for e-mails.
        case mails(String?)

        /// A 32-byte hash of the subject's kind and name, so that the database contains no password typed as a
        /// username.
        var key: [UInt8] {
            let (kind, name) =
                switch self {
                case .failedLogins(let account): ("login ", account)
                case .signUps(let name): name.map { ("signup ", Users.key($0)) } ?? ("signups", "")
                case .mails(let address): address.map { ("mail ", Users.key($0)) } ?? ("mails", "")
                }
            return (kind + name).blake2b
        }
    }

    struct Counter {
        var count: Int
        /// The first millisecond in which the counter is expired.
        var expiresAt: Instant
    }

    let database: GuardedDatabase

    /// Returns `nil` if nothing was counted, or if the counter has expired.
    func counter(_ subject: Subject, at now: Instant) throws(RouteError) -> Counter? {
        let counter = try database.row(
            "SELECT count, expires_at FROM counters WHERE key = ?", [.blob(subject.key)]
        ) { Counter(count: Int($0.integer(0)), expiresAt: Instant(milliseconds: $0.integer(1))) }
        return counter.flatMap { ThrottleLimits.isOver($0.expiresAt, at: now) ? nil : $0 }
    }

    /// Call this in the same transaction as `counter`.
    func set(_ counter: Counter, of subject: Subject) throws(RouteError) {
        try database.run(
            "INSERT OR REPLACE INTO counters (key, count, expires_at) VALUES (?, ?, ?)",
            [.blob(subject.key), .integer(Int64(counter.count)), .integer(counter.expiresAt.milliseconds)])
    }

    func delete(_ subject: Subject) throws(RouteError) {
        try database.run("DELETE FROM counters WHERE key = ?", [.blob(subject.key)])
    }

    func deleteExpired(at now: Instant) throws(RouteError) {
        try database.run(
            "DELETE FROM counters WHERE expires_at <= ? OR expires_at > ?",
            [.integer(now.milliseconds), .integer(ThrottleLimits.latestEnd(at: now).milliseconds)])
    }
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
    var failedLogins: Int?
    /// The limits for signups, successful or not.
    var signUps: Limit?
    /// The limits for requests for e-mails, whether or not the addresses have accounts.
    var mails: Limit?

    /// Source: the example of `accountLockout` in Parse Server's documentation.
    static let window: Duration = .seconds(300)

    /// Whether the window has ended. A window that ends after `latestEnd` counts as ended, because it was stored while
    /// the clock was ahead.
    static func isOver(_ end: Instant, at now: Instant) -> Bool { end <= now || end > latestEnd(at: now) }

    /// The latest plausible end of a window. One window from `now` would be too early, because another process may have
    /// stored a counter just after `now` was read.
    static func latestEnd(at now: Instant) -> Instant { now.adding(window).adding(window) }

    package static let none = ThrottleLimits()
    package static let standard = ThrottleLimits(
        failedLogins: 5, signUps: Limit(each: 10, total: 200), mails: Limit(each: 10, total: 200))
    /// Used for a database in memory, because tests create thousands of accounts.
    package static let loginsOnly = ThrottleLimits(failedLogins: 5)
}
