import AuthModel
import JSON
import Platform
import Transport

/// Which answers of Parse Server are good ones, and what the others mean.
///
/// A refusal is `{"code": Int, "error": String}`, mostly with status 400. Its body can also be
/// `{"code": 1, "message": …}` (status 500) or `{"error": …}` without a code (403: wrong keys; 400, 413, 415: a body the
/// server would not read). Decided by code, then by status; never by text, which may quote what was sent, but for a
/// locked account, which nothing else tells. Source: Parse REST guide, "Errors"; answers recorded from servers 3.10 to
/// 8.2, `Tests/Exchanges/parse/answers.ndjson`.
enum ParseErrors {
    /// What was asked for, where a code means different things.
    enum Call {
        case signUp, logIn, session, token, mail
        /// A log-in with a one-time code.
        case secondFactor
        /// A log-in with an outside identity, or its linking.
        case identity
        /// A change of the user that must not be sent twice.
        case update
    }

    /// The object that a good answer holds; empty for one without a body whose content does not matter.
    ///
    /// - Parameter now: what a `Retry-After` that names a time is counted from.
    static func check(
        _ response: HTTPResponse, to request: HTTPRequest, _ call: Call, now: Instant
    ) throws(AuthError) -> JSONObject {
        // `try?`: a body that is no JSON is a normal answer of proxies, and told by its status.
        let body = (try? JSONValue(parsing: response.body))?.object
        guard (200..<300).contains(response.status) else {
            throw ParseRefusal(response, body, to: request, call, now: now).error
        }
        if let fault = ParseAnswerFault(response, body, to: request, call) {
            throw AuthError(.brokenAnswer, fault.message, server: ServerDetail(status: response.status))
        }
        return body ?? [:]
    }

    /// By code; `nil`: the status tells more, and a site's own hooks may use any number.
    ///
    /// Source: README of the recorded exchanges, section 2.
    static func reason(for code: Int64, _ call: Call) -> AuthError.Reason? {
        switch code {
        // "Other": said to a log-in that lacks the second factor; also of an address that is verified already.
        case -1: call.isLogIn ? .secondFactorRequired : nil
        case 1: .serverFault
        // The second is a hosting plan's limit.
        case 100, 155: .rateLimited
        // Also "object not found": which of them, the call tells.
        case 101: notFound(call)
        case 119: .forbidden
        case 125, 105, 111, 137, 200, 201, 204: .invalidFields
        // A wrong code, a provider's failure, or a hook that says no.
        case 141: hookFailure(call)
        case 142: .weakPassword
        case 202: .usernameTaken
        case 203: .emailTaken
        // Of a mail that was asked for: nobody has that address.
        case 205: call == .mail ? .notFound : .emailUnverified
        // In a link request also a refused identity.
        case 206: .forbidden
        case 208: .identityTaken
        case 209: call == .token ? .tokenRefused : .sessionRevoked
        case 252: .unsupported
        default: nil
        }
    }

    private static func notFound(_ call: Call) -> AuthError.Reason {
        switch call {
        case .logIn, .secondFactor: .wrongPassword
        case .identity: .tokenRefused
        case .signUp, .session, .token, .mail, .update: .notFound
        }
    }

    private static func hookFailure(_ call: Call) -> AuthError.Reason? {
        switch call {
        case .secondFactor: .wrongCode
        case .identity: .serverFault
        case .signUp, .logIn, .session, .token, .mail, .update: nil
        }
    }

    /// By status, where no code tells: without one it is a gateway that speaks, or the server before it read anything.
    static func reason(forStatus status: Int, hasCode: Bool, isJSON: Bool, retryAfter: Int?) -> AuthError.Reason {
        switch status {
        // Parse Server never says it, so it is no word on a session.
        case 401: .forbidden
        case 403: isJSON && !hasCode ? .badAppKey : .forbidden
        case 404 where !hasCode: .wrongEndpoint
        case 413, 415: .invalidFields
        case 429: .rateLimited
        case 503 where retryAfter != nil: .rateLimited
        case 500...: .serverFault
        case 400..<500 where isJSON: .invalidFields
        default: .brokenAnswer
        }
    }
}

extension ParseErrors.Call {
    var isLogIn: Bool {
        switch self {
        case .logIn, .secondFactor, .identity: true
        case .signUp, .session, .token, .mail, .update: false
        }
    }

    /// What may be done although its answer was lost, for calls that must not be made twice.
    var doubt: String? {
        switch self {
        case .signUp: "the account may exist: try to log in with the same name and password"
        case .mail: "the mail may be on its way"
        case .identity: "the log-in or the link may be done: asking again does no harm"
        case .update: "the change may be made: look before you make it again"
        case .logIn, .secondFactor, .session, .token: nil
        }
    }
}
