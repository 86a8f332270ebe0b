import AuthModel
import JSON
import Platform
import Transport

/// Validates the responses from Parse Server, and maps errors to `BackendError`.
///
/// An error is `{"code": Int, "error": String}`, mostly with status 400. The body can also be `{"code": 1, "message":
/// …}` or `{"code": 1, "error": {…}}` (status 500), or `{"error": …}` without a code (403: wrong keys; 400, 413, 415:
/// the server cannot parse the request body). The code and the operation determine the reason; if there is no code, the
/// status does. Messages may quote the request, so they decide only if code and operation do not. Source: Parse REST
/// guide, "Errors"; responses recorded from Parse Server 3.10 to 9.5, `Tests/Exchanges/parse/answers.ndjson`.
enum ParseErrors: ErrorTable {
    static let format: ErrorFormat? = ErrorFormat("a Parse server") { object, response in
        guard let code = object["code"]?.integer else {
            return response.status == 403 && object.names == ["error"] && object["error"]?.string == "unauthorized"
        }
        return object["error"]?.string != nil && object.members.count == 2 && code != Int64(response.status)
            && code < 300
    }

    /// All recorded responses have this content.
    static func required(for operation: Operation) -> Required {
        switch operation {
        case .signUp, .logInAnonymously, .logInWithIdentity:
            Required { Required.account("objectId").fault($0) ?? faultOfToken($0) }
        case .logIn, .secondFactor: .session("sessionToken")
        case .impersonate, .listUsers, .readUser, .checkAdminKey, .currentUser, .logInWithToken, .listSessions,
            .verifyPassword:
            .data { $0["objectId"]?.string != nil || $0["results"]?.array != nil }
        default: Required(mayBeEmpty: true, fault: faultOfToken)
        }
    }

    /// A malformed token must be an error, because the caller would otherwise continue with an invalid session.
    @Sendable private static func faultOfToken(_ object: JSONObject) -> String? {
        let token = object["sessionToken"] ?? .null
        return token == .null || token.isToken ? nil : "the response has no valid session"
    }

    static func read(_ response: inout ErrorResponse) {
        let object = response.body?.object
        response.isFromServer = object != nil
        response.code = object?["code"]?.integer.map(JSONValue.integer) ?? .null
        response.texts = [object?["error"]?.string ?? object?["message"]?.string].compactMap(\.self)
        if isLocked(response) {
            response.retryAfter = lockedMinutes(response).map { min($0, RetryAfter.longest / 60) * 60 }
        }
    }

    static func reason(for response: ErrorResponse) -> AuthError.Reason? {
        if isLocked(response) { return .accountLocked }
        if hasExpiredPassword(response) { return .passwordExpired }
        guard let code = response.code.integer else {
            guard response.isFromServer else { return nil }
            // For a wrong key, Parse Server sends "unauthorized" without a code. In response to `authctl api`, an
            // error with another message may come from the application.
            let mayBeOther = response.operation == .callAPI && response.texts != ["unauthorized"]
            return response.status == 403 && !mayBeOther ? .badAppKey : nil
        }
        // A proxy or Cloud Code may send 429 with any code. A 404 or 405 with a code does not mean a wrong server URL.
        if response.status == 429 { return .rateLimited }
        return reason(for: code, response) ?? ([404, 405].contains(response.status) ? .invalidFields : nil)
    }

    /// Returns the reason for an error code; `nil` if the status decides. Source:
    /// `Tests/Exchanges/parse/answers.ndjson`.
    private static func reason(for code: Int64, _ response: ErrorResponse) -> AuthError.Reason? {
        let operation = response.operation
        return switch code {
        // "Other error", also from Cloud Code. The server sends it for a login without the required second factor, for a
        // verification e-mail to an address that is already verified, and for a password reset with an invalid token or
        // a rejected password.
        case -1 where operation == .finishPasswordReset: hasInvalidToken(response) ? .notFound : .weakPassword
        case -1:
            operation.isParseLogIn && response.hasText("Missing additional authData") ? .secondFactorRequired : nil
        case 1: .serverFault
        // Code 155 means that the request limit of a hosting plan is exceeded.
        case 100, 155: .rateLimited
        // "Object not found". The meaning depends on the operation.
        case 101: reasonOfNotFound(operation)
        // `authctl serve` has no master key. Parse Server sends this code for an unknown `__op`, with status 400.
        case 108 where response.status == 403: .unsupported
        // In response to `loginAs`, this code means a wrong master key.
        case 119: operation == .impersonate ? .badAppKey : .forbidden
        case 125, 105, 111, 137, 200, 201, 204: .invalidFields
        // The server sent a code by SMS, as the code `request` asks for. Source: Parse Server, `Adapters/Auth/mfa.js`.
        case 141 where hasSentCode(response): .secondFactorRequired
        // A wrong one-time code, a failed request to the identity provider, or a rejection by Cloud Code.
        case 141: operation == .secondFactor ? .wrongCode : operation.sendsProof ? .serverFault : nil
        case 142: reasonOfValidation(response)
        case 162: operation == .impersonate ? .notFound : nil
        case 202: .usernameTaken
        case 203: .emailTaken
        case 205: reasonOfEmail(response)
        // "Session missing". The server also sends this code when it rejects the identity to link.
        case 206: .forbidden
        case 208: .identityTaken
        case 209: reasonOfInvalidSession(response)
        // Only a row of `users create` contains identities at signup: the row is invalid, not every signup.
        case 252: operation == .signUp ? .invalidFields : .unsupported
        default: nil
        }
    }

    /// Whether the token of a reset link is invalid or expired. All versions of Parse Server send the same messages.
    /// Source: Parse Server, `checkResetTokenValidity` and `updatePassword`.
    private static func hasInvalidToken(_ response: ErrorResponse) -> Bool {
        ["Failed to reset password: username / email / token is invalid", "The password reset link has expired"]
            .contains(where: response.hasText)
    }

    /// Whether the server sent a code of the second factor, in response to a login with the code `request`.
    private static func hasSentCode(_ response: ErrorResponse) -> Bool {
        response.operation == .secondFactor && response.hasText("Please enter the token")
    }

    private static func reasonOfNotFound(_ operation: Operation) -> AuthError.Reason {
        if operation.sendsProof { return .tokenRefused }
        return switch operation {
        case .logIn, .secondFactor, .verifyPassword: .wrongPassword
        // The user exists, because its session is valid, or does not exist yet: the code comes from Cloud Code, or from
        // an identity that the server rejects.
        case .signUp, .logInAnonymously, .updateUser, .changePassword, .deleteAccount, .unlinkIdentity: .invalidFields
        default: .notFound
        }
    }

    /// "Validation error": from a Cloud Code validator, for `authData` without credentials, or for a password that
    /// violates the password policy, whose text a site can replace. Source: Parse Server, pull request 10045.
    private static func reasonOfValidation(_ response: ErrorResponse) -> AuthError.Reason {
        if response.operation.sendsProof { return .tokenRefused }
        let namesPassword = response.texts.contains { $0.lowercased().holds("passw") }
        return response.operation == .changePassword
            || [.signUp, .changeUser].contains(response.operation) && namesPassword
            ? .weakPassword : .invalidFields
    }

    private static func reasonOfEmail(_ response: ErrorResponse) -> AuthError.Reason? {
        switch response.operation {
        // No account has the address for which an e-mail was requested.
        case .requestPasswordReset, .sendVerification: .notFound
        // A signup error with any other message comes from Cloud Code.
        case .signUp: response.hasText("User email is not verified.") ? .emailUnverified : nil
        default: .emailUnverified
        }
    }

    private static func reasonOfInvalidSession(_ response: ErrorResponse) -> AuthError.Reason {
        if response.operation == .logInWithToken { return .tokenRefused }
        return response.hasText("Session token is expired.") ? .sessionExpired : .sessionRevoked
    }

    /// The codes of denials: an object that a rule hides, an operation that the permissions of a class forbid, and an
    /// account of another user. Source: `Tests/Exchanges/parse/answers.ndjson`.
    private static let denials: Set<Int64> = [101, 119, 206]

    /// The denial of a request that needs the master key has status 403 and no code: only the text tells.
    static func refusal(_ response: ErrorResponse) -> Refusal? {
        if let code = response.code.integer { return denials.contains(code) ? .denial : .other }
        return response.status == 403 && ["unauthorized", "Permission denied"].contains(where: response.hasText)
            ? .denial : nil
    }

    /// A batch in which every request failed: `[{"error": {"code": 101, "error": "Object not found."}}]`.
    static func errors(in body: JSONValue) -> [JSONValue] {
        let results = body.array ?? []
        let errors = results.compactMap { $0.object?.names == ["error"] ? $0["error"] : nil }
        return errors.count == results.count ? errors : []
    }

    // MARK: - Messages

    static func message(for reason: AuthError.Reason, _ response: ErrorResponse) -> String? {
        switch reason {
        case .notFound where response.hasText("The password reset link has expired"): "the key has expired"
        case .weakPassword where response.operation == .finishPasswordReset:
            "the server rejects the password\(response.quoted(response.texts, atMost: 200))"
        case .badAppKey where response.operation.usesAdminKey:
            "the server rejects the master key, or requests with it from this machine"
        case .secondFactorRequired where hasSentCode(response): "the server has sent a one-time code"
        case .wrongCode, .serverFault, .weakPassword: response.words(for: reason) + quotedText(response)
        // Cloud Code may reject a login with the code for wrong credentials.
        case .wrongPassword where !response.hasText("Invalid username/password"):
            response.words(for: reason) + quotedText(response)
        case .tokenRefused where response.operation.sendsProof:
            "the server rejects the proof of the identity" + quotedText(response)
        case .unsupported where response.operation.sendsProof:
            "the server does not accept identities of this provider" + quotedText(response)
        case .wrongEndpoint: "no Parse server at this URL"
        case .forbidden, .invalidFields, .unsupported: rejection(response)
        default: nil
        }
    }

    private static func rejection(_ response: ErrorResponse) -> String {
        guard response.code != .null else { return response.unquotedRejection }
        let text = quotedText(response)
        return "the request was rejected" + (text.isEmpty ? " (code \(response.codeText))" : text)
    }

    /// Quotes the server's message. Omits the message if the response has no code, or the code of an internal error,
    /// because such a message may contain the request or SQL.
    private static func quotedText(_ response: ErrorResponse) -> String {
        guard let code = response.code.integer, code != 1, let text = response.texts.first else { return "" }
        return "\(response.quoted([text], atMost: 200)) (code \(response.codeText))"
    }

    static func steps(for reason: AuthError.Reason, _ response: ErrorResponse) -> [NextStep] {
        switch reason {
        case .rateLimited where response.retryAfter == nil:
            ["the server limits the number of requests: try again in a minute"]
        // The server sends an internal error for a provider that it has no adapter or no configuration for.
        case .serverFault
        where (response.operation.sendsProof || response.operation == .unlinkIdentity) && response.code != .null:
            ["the provider may not be configured on the server, or the server cannot reach it"]
        case .accountLocked:
            [
                """
                try again \(lockedMinutes(response).map { "in \($0) minute\($0 == 1 ? "" : "s")" } ?? "later"): until \
                then, even the correct password is rejected
                """
            ]
        case .badAppKey where response.operation.usesAdminKey:
            [
                "check the master key and the application id",
                "check that the server's option masterKeyIps allows the address of this machine",
            ]
        case .wrongPassword:
            similarName(response).map { name in
                [
                    NextStep(
                        "usernames and e-mails are case-sensitive; log in as '\(name)'",
                        run: ["login"] + .argument(name))
                ]
            } ?? []
        default: response.steps(for: reason)
        }
    }

    static func fact(for reason: AuthError.Reason, _ response: ErrorResponse) -> AuthError.Fact? {
        guard reason == .wrongPassword else { return nil }
        // Only the embedded server sends `passwordAlone` and `similarName`; see `ParseError`.
        if response.body?["passwordAlone"]?.bool == true { return .accountExists(named: nil) }
        return similarName(response).map { .accountExists(named: $0) }
    }

    /// The name of an account that differs from the entered name only in case. A name that contains a secret, such as
    /// the password, is not shown.
    private static func similarName(_ response: ErrorResponse) -> String? {
        guard let name = response.body?["similarName"]?.string, name.utf8.count <= 100,
            response.masker.mask(name) == name
        else { return nil }
        return name
    }

    static func fields(for reason: AuthError.Reason, _ response: ErrorResponse) -> [FieldFault] {
        switch reason {
        case .usernameTaken: [FieldFault("username", "is already taken")]
        case .emailTaken: [FieldFault("email", "is already taken")]
        case .weakPassword where response.operation == .finishPasswordReset:
            response.texts.map { FieldFault("password", $0, isServerText: true) }
        case .weakPassword: [FieldFault("password", "is too weak")]
        default: []
        }
    }

    // MARK: - Locked accounts

    /// Only the text distinguishes a locked account from wrong credentials. All server versions send the same text.
    private static func isLocked(_ response: ErrorResponse) -> Bool {
        response.code == 101 && [.logIn, .secondFactor, .verifyPassword].contains(response.operation)
            && response.hasText("Your account is locked due to multiple failed login attempts.")
    }

    /// Whether the password is older than the server option `maxPasswordAge` allows. The server checks the age only if
    /// the password is correct. All server versions send the same message.
    private static func hasExpiredPassword(_ response: ErrorResponse) -> Bool {
        response.code == 101 && response.operation.isParseLogIn && response.hasText("Your password has expired.")
    }

    /// Parses `… Please try again after 5 minute(s)`.
    private static func lockedMinutes(_ response: ErrorResponse) -> Int? {
        let words = response.texts.joined().split(separator: " ")
        guard let unit = words.lastIndex(where: { $0.hasPrefix("minute") }), unit > 0,
            words[unit - 1].isASCIIDigits
        else { return nil }
        return Int(words[unit - 1])
    }
}

extension Operation {
    /// Whether Parse Server may require a second factor for the operation.
    fileprivate var isParseLogIn: Bool { self == .logIn || self == .secondFactor || sendsProof }
}
