/// How often within `window` the server allows what an attacker would repeat. `nil`: without a limit.
package struct ThrottleLimits: Sendable, Equatable {
    package struct Limit: Sendable, Equatable {
        /// The most for one name or one address, as `Users.key` compares them.
        let each: Int
        /// The most for all together.
        let total: Int
    }

    /// The wrong passwords after which an account is locked for `window`.
    var failedLogins: Int?
    /// Signups, successful or not, per username.
    var signUps: Limit?
    /// Requests for e-mails, per address, whether it has an account or not.
    var mails: Limit?

    static let window: Duration = .seconds(300)

    package static let none = ThrottleLimits()
    /// More than a developer needs by hand. Parse Server's documentation of `accountLockout` has the same window.
    package static let standard = ThrottleLimits(
        failedLogins: 5, signUps: Limit(each: 10, total: 200), mails: Limit(each: 10, total: 200))
    /// For accounts that end with the server, which tests create by the thousand.
    package static let loginsOnly = ThrottleLimits(failedLogins: 5)
}
