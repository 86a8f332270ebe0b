import AuthModel
import JSON
import Platform
import Transport

/// What the Graph's refusals mean.
///
/// `{"error": {"message", "type", "code", "error_subcode"?, "error_user_title"?, "error_user_msg"?, "fbtrace_id"}}`,
/// mostly with status 400; decided by the code, never by text. Source: documentation of the Graph API, "Handling errors".
enum GraphErrors {
    enum Call {
        /// The app alone is speaking.
        case deviceLogin
        /// A user's token is asked about, or used.
        case token
    }

    /// The object that a good answer holds.
    static func check(
        _ response: HTTPResponse, _ body: JSONObject?, to request: HTTPRequest, _ call: Call
    ) throws(AuthError) -> JSONObject {
        let refusal = body?["error"]?.object
        if (200..<300).contains(response.status), refusal == nil {
            if let body { return body }
            throw AuthError(
                .brokenAnswer, "Facebook's answer makes no sense", server: ServerDetail(status: response.status))
        }
        throw error(response, refusal ?? [:], to: request, call)
    }

    private static func error(
        _ response: HTTPResponse, _ refusal: JSONObject, to request: HTTPRequest, _ call: Call
    ) -> AuthError {
        let code = refusal["code"]?.integer
        // A refusal of that type is one of a token, also where it has no code.
        let meaning = code ?? (refusal["type"] == "OAuthException" ? 190 : nil)
        let text = (refusal["error_user_msg"]?.filledText ?? refusal["message"]?.filledText).map(request.masking)
        let reason = meaning.map { Self.reason(for: $0, call) } ?? Self.reason(forStatus: response.status)
        let quoted = text.map { ": \"\($0.start(200))\"" } ?? ""
        return AuthError(
            reason, message(reason, call, response.status) + quoted, hint: hint(reason, refusal, call),
            server: ServerDetail(
                status: response.status, code: code.map(JSONValue.integer) ?? .null,
                subcode: GraphPayloads.subcode(refusal), message: text))
    }

    private static func reason(for code: Int64, _ call: Call) -> AuthError.Reason {
        switch code {
        case 1, 2: .serverFault
        case 4, 17, 32, 341, 613: .rateLimited
        case 101: .badAppKey
        // The token of a call without a user is the app's own.
        case 102, 190: call == .token ? .tokenRefused : .badAppKey
        // What the app may not, or not without a proof that only its server can make, says nothing of the token.
        case 3, 100: .forbidden
        default: call == .token ? .tokenRefused : .forbidden
        }
    }

    /// Where no code tells, no Graph spoke.
    private static func reason(forStatus status: Int) -> AuthError.Reason {
        switch status {
        case 429: .rateLimited
        case 500...: .serverFault
        default: .brokenAnswer
        }
    }

    private static func message(_ reason: AuthError.Reason, _ call: Call, _ status: Int) -> String {
        switch reason {
        case .tokenRefused: "Facebook refuses the token"
        case .badAppKey: "Facebook does not accept the app id and the client token"
        case .rateLimited: "Facebook was asked too often"
        case .serverFault: "Facebook failed"
        case .brokenAnswer: "Facebook's answer makes no sense (HTTP \(status))"
        default: call == .deviceLogin ? "Facebook does not let the app log in devices" : "Facebook does not answer that"
        }
    }

    private static func hint(_ reason: AuthError.Reason, _ refusal: JSONObject, _ call: Call) -> String? {
        switch reason {
        case .tokenRefused: advice(on: GraphPayloads.subcode(refusal))
        case .badAppKey: "both stand in the settings of the app at Facebook: the client token under 'Advanced'"
        case .rateLimited, .serverFault: "try again in some minutes"
        case .forbidden where call == .deviceLogin:
            "is 'Login from Devices' switched on in the settings of the app at Facebook, and every permission allowed?"
        default: nil
        }
    }

    /// By the subcodes of 190 and 102.
    private static func advice(on subcode: Int64?) -> String {
        switch subcode {
        case 458: "the app's permission was withdrawn: log in to it with Facebook anew"
        case 459, 464: "visit https://www.facebook.com first: Facebook wants something confirmed there"
        case 460, 463, 466, 467, 468: "it is not good any more: get a new one"
        default: "get a new one, with the permissions that are needed"
        }
    }
}
