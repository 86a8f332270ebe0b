internal import Platform

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
    /// The window is that of the example in Parse Server's documentation of `accountLockout`.
    package static let standard = ThrottleLimits(
        failedLogins: 5, signUps: Limit(each: 10, total: 200), mails: Limit(each: 10, total: 200))
    /// For a database in memory: tests create thousands of accounts.
    package static let loginsOnly = ThrottleLimits(failedLogins: 5)
}
