/// The categories of failure, which scripts see as exit codes and as the `code` of JSON errors.
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
    /// Some rows of a bulk command failed. No `AuthError` has this outcome; only the summary reports it.
    case partial = 11
    case storage = 12

    package var exitCode: Int32 { Int32(rawValue) }

    /// The name of the outcome in JSON errors.
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

    /// A short description for the help pages of commands; `nil` for outcomes that these pages omit.
    package var specialWords: String? {
        switch self {
        case .notLoggedIn: "not logged in"
        case .rejected: "rejected"
        case .actionNeeded: "user action required"
        case .conflict: "already taken"
        case .invalid: "invalid data"
        case .unsupported: "unsupported"
        case .partial: "some rows failed or differ"
        case .failure, .usage, .unreachable, .serverError, .storage: nil
        }
    }

    /// The description of the outcome in help.
    package var meaning: String {
        switch self {
        case .failure: "internal error"
        case .usage: "invalid option, unknown profile, or missing required value"
        case .notLoggedIn: "no session for this profile"
        case .rejected: "credentials or session rejected or expired, or confirmation declined"
        case .actionNeeded: "user action required"
        case .conflict: "the username, e-mail or identity is already taken"
        case .invalid: "the data was rejected, or an id is unknown"
        case .unreachable: "no usable response; the state on the server is unknown"
        case .serverError: "server error, or rate limit exceeded"
        case .unsupported: "the backend does not support the operation"
        case .partial: "some rows of a bulk command failed, or some outcomes of `check` differ"
        case .storage: "a file or database is unreadable, unwritable, unsafe, corrupt or locked"
        }
    }
}

extension AuthError {
    /// The reason for a failure, more specific than the outcome. The raw values appear in JSON output.
    package enum Reason: String, Sendable, CaseIterable {
        case `internal`

        case usage
        case unknownProfile = "unknown-profile"
        case plainHTTP = "plain-http"

        case noSession = "no-session"

        case wrongPassword = "wrong-password"
        case wrongCode = "wrong-code"
        case sessionRevoked = "session-revoked"
        case sessionExpired = "session-expired"
        case tokenRefused = "token-refused"
        case cancelled

        case secondFactorRequired = "second-factor-required"
        case emailUnverified = "email-unverified"
        case accountLocked = "account-locked"
        case accountDisabled = "account-disabled"
        case passwordExpired = "password-expired"
        case reauthenticationRequired = "reauthentication-required"
        case forbidden
        case badAppKey = "bad-app-key"

        case usernameTaken = "username-taken"
        case emailTaken = "email-taken"
        case phoneTaken = "phone-taken"
        case identityTaken = "identity-taken"
        case conflict

        case invalidFields = "invalid-fields"
        case weakPassword = "weak-password"
        case notFound = "not-found"

        case dns, connect, tls, proxy, timeout
        case invalidResponse = "invalid-response"
        case wrongEndpoint = "wrong-endpoint"
        case redirect
        case outcomeUnknown = "outcome-unknown"

        case serverFault = "server-fault"
        case rateLimited = "rate-limited"

        case unsupported

        case unreadable, unsafe, corrupt
        case newerVersion = "newer-version"
        case locked
        case noSpace = "no-space"
        case notWritten = "not-written"
    }
}

extension AuthError.Reason {
    package var outcome: Outcome {
        switch self {
        case .internal: .failure
        case .usage, .unknownProfile, .plainHTTP: .usage
        case .noSession: .notLoggedIn
        case .wrongPassword, .wrongCode, .sessionRevoked, .sessionExpired, .tokenRefused, .cancelled: .rejected
        case .secondFactorRequired, .emailUnverified, .accountLocked, .accountDisabled, .passwordExpired,
            .reauthenticationRequired, .forbidden, .badAppKey:
            .actionNeeded
        case .usernameTaken, .emailTaken, .phoneTaken, .identityTaken, .conflict: .conflict
        case .invalidFields, .weakPassword, .notFound: .invalid
        case .dns, .connect, .tls, .proxy, .timeout, .invalidResponse, .wrongEndpoint, .redirect, .outcomeUnknown:
            .unreachable
        case .serverFault, .rateLimited: .serverError
        case .unsupported: .unsupported
        case .unreadable, .unsafe, .corrupt, .newerVersion, .locked, .noSpace, .notWritten: .storage
        }
    }

    /// See `AuthError.isRetryable`.
    package var isRetryable: Bool {
        switch self {
        case .dns, .connect, .proxy, .timeout, .serverFault, .rateLimited, .locked: true
        default: false
        }
    }

    /// Whether this reason means that the session is no longer valid.
    package var meansInvalidSession: Bool {
        self == .sessionRevoked || self == .sessionExpired
    }
}
