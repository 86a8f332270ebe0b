import AuthModel
import JSON
import Platform
import Transport

/// An answer that is no good one, and how the user is told of it.
struct KiiRefusal {
    private let status: Int
    private let code: String?
    /// Whether it has the name that Kii gives to it; what only says `error` may be a gateway's.
    private let isOfKii: Bool
    /// The server's words, without what was sent in secret.
    private let text: String?
    /// Kii's name of the field that is wrong.
    private let field: String?
    private let minimumLength: Int64?
    private let isJSON: Bool
    private let waitingTime: Int?
    private let call: KiiErrors.Call

    init(
        _ response: HTTPResponse, _ body: JSONObject?, to request: HTTPRequest, _ call: KiiErrors.Call, now: Instant
    ) {
        status = response.status
        code = (body?["errorCode"]?.filledText ?? body?["error"]?.filledText).map(request.masking)
        isOfKii = body?["errorCode"] != nil
        text = (body?["message"]?.filledText ?? body?["error_description"]?.filledText).map(request.masking)
        field = body?["field"]?.filledText.map(request.masking)
        minimumLength = body?["minimumLength"]?.integer
        isJSON = body != nil
        waitingTime = response.retryAfter(now: now)
        self.call = call
    }

    var error: AuthError {
        let reason = reason
        var error = AuthError(reason, message(for: reason), hint: hint(for: reason))
        error.server = ServerDetail(status: status, code: JSONValue(code), message: text)
        error.fields = fields(for: reason)
        error.retryAfter = reason == .rateLimited ? waitingTime : nil
        return error
    }

    private var reason: AuthError.Reason {
        if code == "USER_ALREADY_EXISTS" { return field == "emailAddress" ? .emailTaken : .usernameTaken }
        let reason =
            code.flatMap { KiiErrors.reason(for: $0, call) }
            ?? KiiErrors.reason(
                forStatus: status, call, hasCode: isOfKii, isJSON: isJSON, retryAfter: waitingTime)
        let isLost = status == 502 || status == 504 || status >= 500 && status != 503 && !isJSON
        return reason == .serverFault && isLost && call.doubt != nil ? .outcomeUnknown : reason
    }

    // MARK: - Words

    private func message(for reason: AuthError.Reason) -> String {
        switch reason {
        case .wrongPassword where call == .passwordChange: "the current password is wrong"
        case .usernameTaken where field == "phoneNumber": "the phone number is taken"
        case .weakPassword: "the server finds the password too short\(minimumLength.map { ": at least \($0)" } ?? "")"
        case .wrongCode: "the server does not accept the code"
        case .tokenRefused where call.isOfFacebook && status == 400: "the server does not accept the Facebook token"
        case .identityTaken where code == "FACEBOOK_USER_ALREADY_LINKED":
            "the account is linked with another Facebook identity"
        case .emailUnverified where call == .reset: "the address is not verified, so nothing is sent to it"
        case .forbidden where code == "OPERATION_NOT_ALLOWED": "the account has no password"
        case .notFound where call == .reset: "nobody has that address"
        case .wrongEndpoint: "there is no Kii Cloud at this address"
        case .forbidden where !isOfKii: reason.words(status: status)
        case .invalidFields, .forbidden: "the server refused it\(quotedText)"
        case .unsupported: "the application does not allow that\(quotedText)"
        default: reason.words(status: status)
        }
    }

    private var quotedText: String {
        if let text { return ": \"\(text.start(200))\"" }
        return code.map { " (\($0))" } ?? ""
    }

    private func hint(for reason: AuthError.Reason) -> String? {
        switch reason {
        case .rateLimited: waitingTime.map { "try again after \($0) second\($0 == 1 ? "" : "s")" }
        case .outcomeUnknown: call.doubt
        case .forbidden where status == 401 && !isOfKii: AuthError.Reason.gatewayHint
        case .tokenRefused where call.isOfFacebook && status == 400:
            "is it of the Facebook app that the application at Kii knows, and still good?"
        case .identityTaken where code == "FACEBOOK_USER_ALREADY_LINKED":
            "unlink that one first, with --unlink"
        default: nil
        }
    }

    private func fields(for reason: AuthError.Reason) -> [FieldFault] {
        switch reason {
        case .usernameTaken, .emailTaken: [FieldFault(Self.name(of: field ?? "loginName"), "is taken")]
        case .weakPassword: [FieldFault("password", "is too short")]
        case .invalidFields where field != nil:
            [FieldFault(Self.name(of: field ?? ""), text ?? "is refused", isServerText: text != nil)]
        default: []
        }
    }

    /// As other backends call it.
    private static func name(of field: String) -> String {
        switch field {
        case "loginName": "username"
        case "emailAddress": "email"
        case "phoneNumber": "phone"
        case "newPassword": "password"
        default: field
        }
    }
}
