/// An error as Parse answers it: `{"code":202,"error":"Account already exists for this username."}`.
///
/// Codes and texts are those of Parse Server 8.2.2, recorded from running servers; what differs says so.
struct ParseError: Error, Equatable {
    let code: Int64
    let text: String

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
    /// Parse words this code with `message` in place of `error`; so does `ParseAnswer`.
    static let `internal` = ParseError(code: 1, text: "Internal server error.")

    // Signing up.
    static let badUsername = ParseError(code: 200, text: "bad or missing username")
    static let badPassword = ParseError(code: 201, text: "password is required")
    static let usernameTaken = ParseError(code: 202, text: "Account already exists for this username.")
    static let emailTaken = ParseError(code: 203, text: "Account already exists for this email address.")
    static let emailInvalid = ParseError(code: 125, text: "Email address format is invalid.")
    static let emailVerifiedByClient = ParseError(
        code: 119, text: "Clients aren't allowed to manually update email verification.")
    static let providerUnsupported = ParseError(code: 252, text: "This authentication method is unsupported.")

    static func fieldNotAllowed(_ name: String) -> ParseError {
        ParseError(code: 105, text: "\(name) is an invalid field name.")
    }

    static func typeMismatch(_ field: String, expected: String, got: String) -> ParseError {
        ParseError(code: 111, text: "schema mismatch for _User.\(field); expected \(expected) but got \(got)")
    }

    // Logging in.
    static let usernameRequired = ParseError(code: 200, text: "username/email is required.")
    static let passwordRequired = ParseError(code: 201, text: "password is required.")
    static let wrongCredentials = ParseError(code: 101, text: "Invalid username/password.")

    // Sessions.
    static let invalidSessionToken = ParseError(code: 209, text: "Invalid session token")
    static let sessionTokenExpired = ParseError(code: 209, text: "Session token is expired.")
    static let sessionTokenRequired = ParseError(code: 209, text: "Session token required.")
    static let sessionTokenNotFound = ParseError(code: 209, text: "Session token not found.")
    static let objectNotFound = ParseError(code: 101, text: "Object not found.")
    static let nothingToDelete = ParseError(code: 101, text: "Object not found for delete.")

    static func invalidParameter(_ name: String) -> ParseError {
        ParseError(code: 102, text: "Invalid parameter for query: \(name)")
    }
}
