import AuthModel
import JSON
import Platform
import Transport

/// Which answers of Kii are good ones, and what the others mean.
///
/// A refusal is `{"errorCode", "message", "field"?, "value"?, …}`, of a token `{"errorCode", "error",
/// "error_description"}`; one under a good status is a refusal all the same. Decided by the code; by the status where
/// there is none. Source: REST reference, and the table of codes in Kii's SDK for JavaScript.
enum KiiErrors {
    /// What was asked for, where a code means different things.
    enum Call: CaseIterable {
        case signUp, logIn, refresh
        /// Something with a session.
        case session
        /// The same with a token from elsewhere.
        case token
        case passwordChange, reset, resend, verification
        case facebookLogIn, facebookLink, facebookUnlink
    }

    /// The object that a good answer holds; empty for one without a body.
    ///
    /// - Parameter now: what a `Retry-After` that names a time is counted from.
    static func check(
        _ response: HTTPResponse, to request: HTTPRequest, _ call: Call, now: Instant
    ) throws(AuthError) -> JSONObject {
        // `try?`: a body that is no JSON is a normal answer of gateways, and told by its status.
        let body = (try? JSONValue(parsing: response.body))?.object
        guard (200..<300).contains(response.status), body?["errorCode"] == nil else {
            throw KiiRefusal(response, body, to: request, call, now: now).error
        }
        if let body { return body }
        if response.body.isEmpty, call.mayBeEmpty { return [:] }
        let line = PageText.firstLine(of: response, masking: request.masking)
        throw AuthError(
            .brokenAnswer,
            line.map { "the server's answer is a page, not JSON: \"\($0)\"" }
                ?? (response.body.isEmpty ? "the server's answer is empty" : "the server's answer is no JSON"),
            server: ServerDetail(status: response.status))
    }

    /// `nil`: a code that is not known here; the status tells more.
    static func reason(for code: String, _ call: Call) -> AuthError.Reason? {
        switch code {
        case "invalid_grant": call.isOfFacebook ? .tokenRefused : call == .refresh ? .sessionExpired : .wrongPassword
        case "INVALID_INPUT_DATA", "INVALID_JSON", "INVALID_DATA_TYPE", "MISSING_DATA", "NO_ACCOUNT_PROVIDED",
            "ACCOUNT_TYPE_NOT_SUPPORTED", "INVALID_ACCOUNT_STATUS":
            .invalidFields
        case "PASSWORD_TOO_SHORT": .weakPassword
        case "WRONG_PASSWORD": .wrongPassword
        case "AUTHENTICATION_FAILED" where call == .logIn: .wrongPassword
        case "WRONG_TOKEN", "UNAUTHORIZED", "AUTHENTICATION_FAILED": deadSession(call)
        case "WRONG_REFRESH_TOKEN": .sessionExpired
        case "USER_DISABLED": .accountDisabled
        case "INVALID_VERIFICATION_CODE": .wrongCode
        case "APP_NOT_FOUND", "APP_DISABLED": .badAppKey
        case "USER_NOT_FOUND": call == .session ? .sessionRevoked : call == .token ? .tokenRefused : .notFound
        case "USER_ADDRESS_NOT_FOUND", "VERIFICATION_CODE_NOT_FOUND", "ADDRESS_VERIFICATION_CODE_NOT_FOUND",
            "PHONE_NUMBER_VERIFICATION_CODE_EXPIRED", "PIN_CODE_EXPIRED":
            .notFound
        case "OPERATION_NOT_ALLOWED": .forbidden
        case "INVALID_STATUS": .emailUnverified
        case "FACEBOOK_USER_ALREADY_LINKED", "USER_ALREADY_LINKED": .identityTaken
        case "OPERATION_NOT_SUPPORTED", "unsupported_grant_type": .unsupported
        case "RESOURCE_TEMPORARILY_UNAVAILABLE", "TEMPORARY_UNAVAILABLE_ERROR", "LOCK_FAILED", "UNDEFINED_ERROR":
            .serverFault
        default: nil
        }
    }

    private static func deadSession(_ call: Call) -> AuthError.Reason {
        switch call {
        case .token: .tokenRefused
        case .refresh: .sessionExpired
        case .signUp, .logIn, .reset, .facebookLogIn: .forbidden
        case .session, .passwordChange, .resend, .verification, .facebookLink, .facebookUnlink: .sessionRevoked
        }
    }

    /// Without a code that is known: a gateway speaks, or a server of another kind.
    static func reason(
        forStatus status: Int, _ call: Call, hasCode: Bool, isJSON: Bool, retryAfter: Int?
    ) -> AuthError.Reason {
        switch status {
        // What of a session is not accepted is dead, whatever the server calls it.
        case 401 where hasCode, 403 where hasCode: deadSession(call)
        case 401, 403: .forbidden
        case 404, 405: hasCode ? .notFound : .wrongEndpoint
        case 409, 413, 415: .invalidFields
        case 429: .rateLimited
        case 503 where retryAfter != nil: .rateLimited
        case 500...: .serverFault
        case 400..<500 where isJSON: .invalidFields
        // A refusal under a good status, whose code is not known.
        case 200..<300 where hasCode: .invalidFields
        default: .brokenAnswer
        }
    }
}

extension KiiErrors.Call {
    var isOfFacebook: Bool {
        switch self {
        case .facebookLogIn, .facebookLink, .facebookUnlink: true
        default: false
        }
    }

    fileprivate var mayBeEmpty: Bool {
        switch self {
        case .passwordChange, .reset, .resend, .verification, .facebookLink, .facebookUnlink: true
        case .signUp, .logIn, .refresh, .session, .token, .facebookLogIn: false
        }
    }

    /// What may be done although its answer was lost, for calls that must not be made twice.
    var doubt: String? {
        switch self {
        case .signUp: "the account may exist: try to log in with the same name and password"
        case .refresh: "if the session is refused from now on, log in again"
        case .passwordChange: "the password may be changed, and the session dead: log in with the new one to find out"
        case .reset, .resend: "the message may be on its way"
        case .facebookLogIn, .facebookLink, .facebookUnlink: "it may be done: asking again does no harm"
        case .verification: "the address may be confirmed: authctl whoami tells"
        case .logIn, .session, .token: nil
        }
    }
}
