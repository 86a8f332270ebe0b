import AuthModel
import JSON
import Platform
import Transport

/// Validates the responses from Kii, and maps errors to `BackendError`.
///
/// An error is `{"errorCode", "message", "field"?, "value"?, …}`, or from the token endpoint `{"errorCode", "error",
/// "error_description"}`. An error may have a success status. The error code determines the reason; if it is missing or
/// unknown, the status does. Source: REST reference, and the table of error codes in Kii's SDK for JavaScript.
enum KiiErrors: ErrorTable {
    static let format: ErrorFormat? = ErrorFormat("Kii Cloud") { object, _ in
        object["message"]?.string != nil && object["errorCode"]?.string.map(ownCodes.contains) == true
    }

    /// Error codes that identify Kii Cloud. Other sites may send errors in the same format, but with other codes.
    private static let ownCodes: Set = [
        "UNAUTHORIZED", "WRONG_TOKEN", "APP_NOT_FOUND", "APP_DISABLED", "OPERATION_NOT_SUPPORTED",
    ]

    /// Kii responds to most of these operations with 204.
    static func required(for operation: Operation) -> Required {
        switch operation {
        case .changePassword, .requestPasswordReset, .finishPasswordReset, .sendVerification, .verifyEmail,
            .linkIdentity, .unlinkIdentity, .updateUser, .deleteAccount:
            .nothing
        default: .object
        }
    }

    static func read(_ response: inout ErrorResponse) {
        let object = response.body?.object
        response.isFromServer = object != nil
        response.code = JSONValue(object?["errorCode"]?.filledText ?? object?["error"]?.filledText)
        response.texts = [object?["message"]?.filledText ?? object?["error_description"]?.filledText]
            .compactMap(\.self)
    }

    static func reason(for response: ErrorResponse) -> AuthError.Reason? {
        if let code = response.code.string, let reason = reason(for: code, response) { return reason }
        let isOfUser = response.operation == .callAPI
        // A response without `errorCode` may come from a gateway.
        guard response.isOfKii else { return response.status == 409 && !isOfUser ? .invalidFields : nil }
        return switch response.status {
        case 403 where isOfUser, 409 where isOfUser: nil
        // With an unknown error code, the status still means that Kii rejected the session.
        case 401, 403: reasonOfRejectedSession(response.operation)
        case 404, 405: .notFound
        // Kii also sends errors with a success status.
        case 200..<300, 409: .invalidFields
        default: nil
        }
    }

    /// Returns the reason for an error code; `nil` if the code is unknown, so that the status decides.
    private static func reason(for code: String, _ response: ErrorResponse) -> AuthError.Reason? {
        let operation = response.operation
        return switch code {
        case "invalid_grant":
            operation.concernsIdentity ? .tokenRefused : operation == .refresh ? .sessionRevoked : .wrongPassword
        case "USER_ALREADY_EXISTS":
            ["emailAddress": .emailTaken, "phoneNumber": .phoneTaken][response.field ?? ""] ?? .usernameTaken
        case "INVALID_INPUT_DATA", "INVALID_JSON", "INVALID_DATA_TYPE", "MISSING_DATA", "NO_ACCOUNT_PROVIDED",
            "ACCOUNT_TYPE_NOT_SUPPORTED", "INVALID_ACCOUNT_STATUS":
            .invalidFields
        case "PASSWORD_TOO_SHORT": .weakPassword
        case "WRONG_PASSWORD": .wrongPassword
        case "AUTHENTICATION_FAILED" where operation == .logIn: .wrongPassword
        // These codes can mean a revoked session, because a password change revokes access and refresh tokens.
        case "WRONG_TOKEN", "WRONG_REFRESH_TOKEN", "UNAUTHORIZED", "AUTHENTICATION_FAILED":
            reasonOfRejectedSession(operation)
        case "USER_DISABLED": .accountDisabled
        case "INVALID_VERIFICATION_CODE": .wrongCode
        case "APP_NOT_FOUND", "APP_DISABLED": .badAppKey
        case "USER_NOT_FOUND":
            operation == .currentUser ? .sessionRevoked : operation == .logInWithToken ? .tokenRefused : .notFound
        case "USER_ADDRESS_NOT_FOUND", "VERIFICATION_CODE_NOT_FOUND", "ADDRESS_VERIFICATION_CODE_NOT_FOUND",
            "PHONE_NUMBER_VERIFICATION_CODE_EXPIRED", "PIN_CODE_EXPIRED":
            .notFound
        case "OPERATION_NOT_ALLOWED": .forbidden
        case "INVALID_STATUS": .emailUnverified
        case "FACEBOOK_USER_ALREADY_LINKED", "GOOGLE_USER_ALREADY_LINKED", "USER_ALREADY_LINKED": .identityTaken
        case "OPERATION_NOT_SUPPORTED", "unsupported_grant_type": .unsupported
        case "RESOURCE_TEMPORARILY_UNAVAILABLE", "TEMPORARY_UNAVAILABLE_ERROR", "LOCK_FAILED", "UNDEFINED_ERROR":
            .serverFault
        default: nil
        }
    }

    private static func reasonOfRejectedSession(_ operation: Operation) -> AuthError.Reason {
        switch operation {
        case .logInWithToken: .tokenRefused
        case .signUp, .logIn, .logInAnonymously, .requestPasswordReset, .finishPasswordReset, .logInWithIdentity:
            .forbidden
        default: .sessionRevoked
        }
    }

    static func refusal(_ response: ErrorResponse) -> Refusal? {
        guard response.isOfKii else { return nil }
        return [401, 403, 404].contains(response.status) ? .denial : .other
    }

    /// Kii also sends an error with a success status.
    static func errors(in body: JSONValue) -> [JSONValue] { body["errorCode"] == nil ? [] : [body] }

    // MARK: - Messages

    static func message(for reason: AuthError.Reason, _ response: ErrorResponse) -> String? {
        switch reason {
        case .weakPassword:
            let length = response.body?["minimumLength"]?.integer
            return "the server rejects the password as too short\(length.map { ": at least \($0)" } ?? "")"
                + (length == nil ? response.quoted(response.texts) : "")
        case .tokenRefused where response.status != 400: return "the server rejects this session"
        case .sessionRevoked where response.operation == .refresh: return "the server rejects the refresh token"
        case .identityTaken where response.code != "USER_ALREADY_LINKED":
            return "the account is linked to another identity of the provider"
        case .emailUnverified where response.operation == .requestPasswordReset:
            return "the e-mail is not verified, so the server sends nothing to it"
        case .forbidden where response.code == "OPERATION_NOT_ALLOWED": return "the account has no password"
        case .wrongEndpoint: return "no Kii Cloud at this URL"
        case .forbidden where !response.isOfKii: return response.unquotedRejection
        case .invalidFields where !response.isOfKii && response.texts.isEmpty: return nil
        case .invalidFields where response.field != nil:
            let field = FieldFault(name(of: response), "")
            return "the server rejects \(field.spokenField)\(quotedText(response))"
        case .forbidden, .invalidFields: return "the server rejects the request\(quotedText(response))"
        case .unsupported: return "the application does not allow the request\(quotedText(response))"
        default: return nil
        }
    }

    private static func quotedText(_ response: ErrorResponse) -> String {
        response.texts.isEmpty
            ? response.code == .null ? "" : " (\(response.codeText))" : response.quoted(response.texts)
    }

    static func steps(for reason: AuthError.Reason, _ response: ErrorResponse) -> [NextStep] {
        reason == .identityTaken && response.code != "USER_ALREADY_LINKED"
            ? ["unlink that identity first, with --unlink"] : response.steps(for: reason)
    }

    static func fields(for reason: AuthError.Reason, _ response: ErrorResponse) -> [FieldFault] {
        switch (reason, response.field) {
        case (.usernameTaken, _), (.emailTaken, _), (.phoneTaken, _):
            [FieldFault(name(of: response), "is already taken")]
        case (.weakPassword, _): [FieldFault("password", "is too short")]
        case (.invalidFields, _?):
            [
                FieldFault(
                    name(of: response), response.texts.first ?? "is rejected", isServerText: !response.texts.isEmpty)
            ]
        default: []
        }
    }

    /// Returns authctl's name for the rejected field.
    private static func name(of response: ErrorResponse) -> String {
        switch response.field ?? "loginName" {
        case "loginName": "username"
        case "emailAddress": "email"
        case "phoneNumber": "phone"
        case "newPassword": "password"
        case let field: FieldFault.name(field, response.masker)
        }
    }
}

extension ErrorResponse {
    fileprivate var isOfKii: Bool { body?["errorCode"] != nil }

    /// The name of the rejected field in Kii's API.
    fileprivate var field: String? { body?["field"]?.filledText }
}

extension Operation {
    fileprivate var concernsIdentity: Bool { sendsProof || self == .unlinkIdentity }
}
