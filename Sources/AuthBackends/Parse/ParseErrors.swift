import AuthModel
import JSON
import Transport

/// Refusals of Parse Server: `{"code": Int, "error": String}`, mostly with status 400.
///
/// A body can also be `{"code": 1, "message": …}` (status 500) or `{"error": …}` without a code (403: wrong keys; 400,
/// 413, 415: a body the server would not read). Decided by code, then by status, never by text, which may quote what
/// was sent. Source: Parse REST guide, "Errors"; answers recorded from servers 3.10 to 8.2.
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

    /// The object that a good answer holds.
    static func check(_ response: HTTPResponse, _ call: Call) throws(AuthError) -> JSONObject {
        // `try?`: a body that is no JSON is a normal answer of proxies, and told by its status.
        let body = (try? JSONValue(parsing: response.body))?.object
        if (200..<300).contains(response.status) {
            guard let body else { throw AuthError(.brokenAnswer, "the server's answer is no JSON object") }
            return body
        }
        throw error(response, body, call)
    }

    private static func error(_ response: HTTPResponse, _ body: JSONObject?, _ call: Call) -> AuthError {
        let code = body?["code"]?.integer
        let text = body?["error"]?.string ?? body?["message"]?.string
        let reason =
            code.flatMap { Self.reason(for: $0, call) } ?? Self.reason(forStatus: response.status, isJSON: body != nil)
        var error = AuthError(reason, message(for: reason, code, text))
        error.server = ServerDetail(
            status: response.status, code: code.map(JSONValue.integer) ?? .null, message: text)
        error.fields = fields(for: reason)
        return error
    }

    /// By code. Source: README of the recorded exchanges, section 2.
    private static func reason(for code: Int64, _ call: Call) -> AuthError.Reason? {
        switch code {
        // "Other"; at a log-in it says that a second factor is missing.
        case -1 where call == .logIn: .secondFactorRequired
        case 1: .serverFault
        case 100: .rateLimited
        // Also "object not found": which of the two, the call tells.
        case 101: notFound(call)
        case 119: .forbidden
        case 125, 105, 111, 137, 200, 201, 204: .invalidFields
        case 142: .weakPassword
        case 202: .usernameTaken
        case 203: .emailTaken
        // Of a mail that was asked for: nobody has that address.
        case 205: call == .mail ? .notFound : .emailUnverified
        // Of a second factor; also what a site's own hooks say.
        case 141 where call == .secondFactor: .wrongCode
        // Updates of users turn 101 into 206.
        case 206: call == .identity ? .tokenRefused : .forbidden
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
        default: .notFound
        }
    }

    private static func reason(forStatus status: Int, isJSON: Bool) -> AuthError.Reason {
        switch status {
        case 403 where isJSON: .badAppKey
        case 404 where !isJSON: .wrongEndpoint
        case 429: .rateLimited
        case 500...: .serverFault
        case 400..<500 where isJSON: .invalidFields
        default: .brokenAnswer
        }
    }

    private static func message(for reason: AuthError.Reason, _ code: Int64?, _ text: String?) -> String {
        switch reason {
        case .wrongPassword: "wrong user name or password"
        case .wrongCode: "the one-time code is wrong"
        case .secondFactorRequired: "the account has a second factor"
        case .usernameTaken: "the user name is taken"
        case .emailTaken: "the e-mail is taken"
        case .sessionRevoked: "the server does not accept this session any more"
        case .emailUnverified: "the e-mail is not verified yet"
        case .weakPassword: "the server finds the password too weak"
        case .notFound: "the server knows no such thing"
        case .rateLimited: "too many requests"
        case .serverFault: "the server failed"
        case .badAppKey: "the server does not accept the application id or key"
        case .wrongEndpoint: "there is no Parse server at this address"
        case .brokenAnswer: "the server's answer makes no sense"
        case .tokenRefused: "the server does not accept this session"
        default: refusal(code, text)
        }
    }

    /// A refusal that has no words of ours, such as one of a site's own hooks.
    ///
    /// Without a code the text may quote what was sent.
    private static func refusal(_ code: Int64?, _ text: String?) -> String {
        guard let code else { return "the server refused it" }
        guard let text else { return "the server refused it (code \(code))" }
        return "the server refused it: \"\(text.prefix(200))\" (code \(code))"
    }

    private static func fields(for reason: AuthError.Reason) -> [FieldFault] {
        switch reason {
        case .usernameTaken: [FieldFault("username", "is taken")]
        case .emailTaken: [FieldFault("email", "is taken")]
        case .weakPassword: [FieldFault("password", "is too weak")]
        default: []
        }
    }
}
