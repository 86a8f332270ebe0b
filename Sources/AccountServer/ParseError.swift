internal import Platform

/// An error in Parse's format: `{"code":202,"error":"Account already exists for this username."}`.
///
/// For errors that Parse Server also reports, the codes and messages in this file and in the routes are those of Parse
/// Server 8.2.2, recorded from running servers. Comments name the exceptions.
struct ParseError: Error, Equatable {
    let code: Int64
    /// `nil` if the response contains only the code.
    let text: String?
    /// The name of the member that contains `text`.
    var textName = "error"
    /// The stored spelling of an existing username or e-mail address that has the same `Users.key` as the name in the
    /// request. Parse Server has no such member.
    var similarName: String?
    /// Whether an account has the name in the request. Set only for requests from this process.
    var isPasswordAlone = false

    /// Source: Parse Server, `handleParseErrors`.
    var status: Int {
        switch code {
        case 1: 500
        case 101: 404
        default: 400
        }
    }
}

extension ParseError {
    static let `internal` = ParseError(code: 1, text: "Internal server error.", textName: "message")

    // Signup.
    static let badUsername = ParseError(code: 200, text: "bad or missing username")
    static let badPassword = ParseError(code: 201, text: "password is required")
    static let usernameTaken = ParseError(code: 202, text: "Account already exists for this username.")
    static let emailTaken = ParseError(code: 203, text: "Account already exists for this email address.")
    static let emailInvalid = ParseError(code: 125, text: "Email address format is invalid.")
    static let emailVerifiedByClient = ParseError(
        code: 119, text: "Clients aren't allowed to manually update email verification.")
    static let providerUnsupported = ParseError(code: 252, text: "This authentication method is unsupported.")

    static func fieldNameInvalid(_ name: String) -> ParseError {
        ParseError(code: 105, text: "Invalid field name: \(name).")
    }

    /// - Parameter field: the field with its class, such as `_User.email`.
    static func typeMismatch(_ field: String, expected: String, got: String) -> ParseError {
        ParseError(code: 111, text: "schema mismatch for \(field); expected \(expected) but got \(got)")
    }

    // Login.
    static let wrongCredentials = ParseError(code: 101, text: "Invalid username/password.")

    /// - Parameter rest: the remaining time of the lock. Parse reports the whole duration instead.
    static func accountLocked(_ rest: Duration) -> ParseError {
        let minutes = max(1, (rest.milliseconds + 59_999) / 60_000)
        return ParseError(
            code: 101,
            text: "Your account is locked due to multiple failed login attempts. Please try again after "
                + "\(minutes) minute(s)")
    }

    // Providers.
    static let facebookInvalid = ParseError(code: 101, text: "Facebook auth is invalid for this user.")
    /// For an error response from Facebook, Parse sends error code 101; for invalid JSON, its JSON parser's message.
    static let facebookUnreachable = ParseError(
        code: 141, text: "cannot check the token: no valid response from Facebook")
    static let facebookTokenMissing = ParseError(code: 141, text: "access_token is required for this user.")
    // These messages are from Parse's adapter for Google. Source: Parse Server, `google.js`.
    static let identityTokenInvalid = ParseError(code: 101, text: "id token is invalid for this user.")
    static let identityMismatch = ParseError(code: 101, text: "auth data is invalid for this user.")
    static let providerTaken = ParseError(code: 208, text: "this auth is already used")

    // Updating users.
    static let insufficientAuth = ParseError(code: 206, text: "Insufficient auth.")

    static func operationInvalid(_ text: String) -> ParseError { ParseError(code: 107, text: text) }

    // E-mail.
    static let mailNotConfigured = ParseError(
        code: 1,
        text: "An appName, publicServerURL, and emailAdapter are required for password reset and email verification "
            + "functionality.")
    static let resetTokenMissing = ParseError(code: -1, text: "Missing token")
    static let resetPasswordMissing = ParseError(code: 201, text: "Missing password")
    static let resetRefused = ParseError(
        code: -1, text: "Failed to reset password: username / email / token is invalid")

    // Sessions.
    static let sessionFieldLocked = ParseError(code: 105, text: nil)
    static let sessionACL = ParseError(code: 105, text: "Cannot set ACL on a Session.")
    static let invalidSessionToken = ParseError(code: 209, text: "Invalid session token")
    static let sessionTokenRequired = ParseError(code: 209, text: "Session token required.")
    static let sessionTokenNotFound = ParseError(code: 209, text: "Session token not found.")
    static let objectNotFound = ParseError(code: 101, text: "Object not found.")

    // Queries.
    static func queryInvalid(_ text: String) -> ParseError { ParseError(code: 102, text: text) }

    static func invalidParameter(_ name: String) -> ParseError {
        ParseError(code: 102, text: "Invalid parameter for query: \(name)")
    }

    static let responseTooLarge = ParseError(
        code: 116, text: "the response is too large: request fewer objects at once")
}
