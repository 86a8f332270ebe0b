import AuthModel
import JSON
import Platform
import Transport

/// Maps the errors from Facebook's Graph API.
///
/// An error is `{"error": {"message", "type", "code", "error_subcode"?, "error_user_title"?, "error_user_msg"?,
/// "fbtrace_id"}}`, mostly with status 400. The code determines the reason; messages are never compared. Source:
/// documentation of the Graph API, "Handling errors".
enum GraphErrors: ErrorTable {
    static let format: ErrorFormat? = nil

    /// Returns the object in a successful response.
    static func check(_ response: ServerResponse) throws(BackendError) -> JSONObject {
        let object = response.http.json?.object
        guard response.isSuccess, object?["error"]?.object == nil else { throw error(for: response) }
        guard let object else { throw response.invalid("Facebook's response is not a JSON object") }
        return object
    }

    static func read(_ response: inout ErrorResponse) {
        let fault = response.body?["error"]?.object
        response.isFromServer = fault != nil
        response.code = fault?["code"]?.integer.map(JSONValue.integer) ?? .null
        // Never report an unknown outcome, because the user can repeat every operation.
        response.isSentOnce = false
        // Facebook does not document `Retry-After`.
        response.retryAfter = nil
        response.subcode = fault?["error_subcode"]?.integer
        response.texts = [fault?["error_user_msg"]?.filledText ?? fault?["message"]?.filledText].compactMap(\.self)
    }

    static func reason(for response: ErrorResponse) -> AuthError.Reason? {
        guard let code = response.code.integer else {
            // Every error from the Graph API has a code. Without one, only the statuses 429 and 5xx are meaningful.
            return response.status == 429 || response.status >= 500 ? nil : .invalidResponse
        }
        let hasUser = response.operation != .logInDevice
        return switch code {
        case 1, 2: .serverFault
        case 4, 17, 32, 341, 613: .rateLimited
        case 101: .badAppKey
        // A request without a user token contains the app's token. If Facebook rejects that token, the app id or the
        // client token is wrong.
        case 102, 190: hasUser ? .tokenRefused : .badAppKey
        // The app lacks a permission, or the request lacks an `appsecret_proof`. The token may still be valid.
        case 3, 100: .forbidden
        default: hasUser ? .tokenRefused : .forbidden
        }
    }

    static func message(for reason: AuthError.Reason, _ response: ErrorResponse) -> String? {
        let quoted = response.quoted(response.texts, atMost: 200)
        return words(for: reason, response).map { $0 + quoted }
    }

    private static func words(for reason: AuthError.Reason, _ response: ErrorResponse) -> String? {
        switch reason {
        case .tokenRefused: "Facebook rejects the token"
        case .badAppKey: "Facebook rejects the app id or the client token"
        case .rateLimited: "Facebook's rate limit is exceeded"
        case .serverFault: "Facebook server error"
        case .invalidResponse: "Facebook's response is invalid (HTTP \(response.status))"
        default:
            response.operation == .logInDevice
                ? "Facebook does not allow device login for this app" : "Facebook rejects the request"
        }
    }

    static func steps(for reason: AuthError.Reason, _ response: ErrorResponse) -> [NextStep] {
        switch reason {
        case .tokenRefused: ["get a new token with the required permissions"]
        case .badAppKey: ["copy both from the app's settings on Facebook; the client token is under 'Advanced'"]
        case .rateLimited, .serverFault: ["try again in a few minutes"]
        case .forbidden where response.operation == .logInDevice:
            ["in the app's settings on Facebook, check 'Login from Devices' and the permissions"]
        default: reason == .forbidden ? [] : response.operation.stepsToCheck
        }
    }
}
