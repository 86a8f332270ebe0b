internal import Platform

/// The table `counters`: failed logins, signups and requests for e-mails.
struct Counters {
    /// What is counted.
    enum Subject {
        /// Wrong passwords of an account, see `Users.account`.
        case failedLogins(String)
        /// Signups with a username; `nil`: all signups.
        case signUps(String?)
        /// Requests for an e-mail to an address; `nil`: to any address.
        case mails(String?)

        /// A hash of the kind and the name: 32 bytes for a name of any length. So the file never contains a password
        /// that a user typed as the username.
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
        /// Expired from that millisecond on.
        var expiresAt: Instant
    }

    let database: GuardedDatabase

    /// `nil` if nothing was counted, or the counter has expired.
    func counter(_ subject: Subject, at now: Instant) throws(RouteError) -> Counter? {
        let counter = try database.row(
            "SELECT count, expires_at FROM counters WHERE key = ?", [.blob(subject.key)]
        ) { Counter(count: Int($0.integer(0)), expiresAt: Instant(milliseconds: $0.integer(1))) }
        return counter.flatMap { ThrottleLimits.isOver($0.expiresAt, at: now) ? nil : $0 }
    }

    /// Call it in a transaction with `counter`.
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

/// The limits within `window`; `nil` means unlimited.
package struct ThrottleLimits: Sendable, Equatable {
    package struct Limit: Sendable, Equatable {
        /// For one username or address, as `Users.key` compares them.
        let each: Int
        /// For all usernames or addresses together.
        let total: Int
    }

    /// The number of wrong passwords that locks an account for `window`.
    var failedLogins: Int?
    /// Signups, successful or not, per username.
    var signUps: Limit?
    /// Requests for e-mails, per address, whether it has an account or not.
    var mails: Limit?

    static let window: Duration = .seconds(300)

    /// Whether the window has ended. One that ends later than `latestEnd` counts as ended: the clock was ahead when it
    /// was stored.
    static func isOver(_ end: Instant, at now: Instant) -> Bool { end <= now || end > latestEnd(at: now) }

    /// Two windows from now: another process may have stored a counter just after `now` was read.
    static func latestEnd(at now: Instant) -> Instant { now.adding(window).adding(window) }

    package static let none = ThrottleLimits()
    /// The window has the length in the example of Parse Server's documentation of `accountLockout`.
    package static let standard = ThrottleLimits(
        failedLogins: 5, signUps: Limit(each: 10, total: 200), mails: Limit(each: 10, total: 200))
    /// Used for a database in memory, because tests create thousands of accounts.
    package static let loginsOnly = ThrottleLimits(failedLogins: 5)
}
