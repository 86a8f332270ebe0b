/// The categories of failure for scripts: the exit code and the `code` of JSON errors.
///
/// This list is closed. `AuthError.Reason` is more specific and may grow.
package enum Outcome: Int, Sendable, CaseIterable {
    case failure = 1
    case usage = 2
    case notLoggedIn = 3
    case rejected = 4
    case actionNeeded = 5
    case conflict = 6
    case invalid = 7
    case unreachable = 8
    case serverError = 9
    case unsupported = 10
    /// Rows of bulk work failed. No error has this outcome: the summary is the result.
    case partial = 11
    case storage = 12

    package var exitCode: Int32 { Int32(rawValue) }

    /// The name in JSON.
    package var code: String {
        switch self {
        case .failure: "failure"
        case .usage: "usage"
        case .notLoggedIn: "not-logged-in"
        case .rejected: "rejected"
        case .actionNeeded: "action-needed"
        case .conflict: "conflict"
        case .invalid: "invalid"
        case .unreachable: "unreachable"
        case .serverError: "server-error"
        case .unsupported: "unsupported"
        case .partial: "partial"
        case .storage: "storage"
        }
    }

    /// A short form for the help pages of commands; `nil` for outcomes that every command can have.
    package var specialWords: String? {
        switch self {
        case .notLoggedIn: "not logged in"
        case .rejected: "rejected"
        case .actionNeeded: "user action required"
        case .conflict: "already taken"
        case .invalid: "invalid data"
        case .unsupported: "unsupported"
        case .partial: "some rows failed"
        case .failure, .usage, .unreachable, .serverError, .storage: nil
        }
    }

    /// The description in help.
    package var meaning: String {
        switch self {
        case .failure: "internal error"
        case .usage: "invalid option, missing value and no prompt, or unknown profile"
        case .notLoggedIn: "no session for this profile"
        case .rejected: "the server rejected the credentials or the session"
        case .actionNeeded: "user action required"
        case .conflict: "the username, e-mail or identity is already taken"
        case .invalid: "the data was rejected, or an id is unknown"
        case .unreachable: "no usable response: the state on the server is unknown"
        case .serverError: "server error, or rate limit exceeded"
        case .unsupported: "this backend cannot do that"
        case .partial: "some rows of bulk work failed"
        case .storage: "a file or database is unreadable, unsafe, corrupt, locked or full"
        }
    }
}
