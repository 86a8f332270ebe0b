import AuthModel
import JSON
import Platform

/// Validates the responses from Firebase Authentication, and maps errors to `BackendError`.
///
/// An error is `{"error": {"code": STATUS, "message": "CODE" or "CODE : text", "errors"?, "status"?, "details"?}}`; most
/// have status 400. Sources: `Tests/Exchanges/firebase/answers.ndjson`, from the emulator; codes that only the service
/// sends are from its documentation and its JavaScript SDK.
enum FirebaseErrors: ErrorTable {
    static let format: ErrorFormat? = ErrorFormat("a service of Google") { object, response in
        let error = object["error"]?.object
        return error?.holds(response.status, in: "code") == true && error?["message"]?.string != nil
    }

    static func required(for operation: Operation) -> Required {
        switch operation {
        case .signUp, .logIn, .logInAnonymously, .logInWithIdentity, .linkIdentity, .impersonate, .changePassword,
            .verifyPassword:
            .session("idToken")
        case .refresh: .session("id_token")
        case .currentUser, .logInWithToken:
            Required {
                FirebasePayloads.lookedUp($0)?["localId"]?.filledText == nil ? "the response names no user" : nil
            }
        default: .object
        }
    }

    static func failure(in object: JSONObject, _ response: ServerResponse) -> BackendError? {
        if object["mfaPendingCredential"] != nil { return secondFactor(object, response) }
        guard object["needConfirmation"]?.bool == true else { return nil }
        return needsConfirmation(of: object["email"]?.filledText)
    }

    private static func secondFactor(_ object: JSONObject, _ response: ServerResponse) -> BackendError {
        guard FirebasePayloads.pending(object, response.masker) != nil else {
            return BackendError(.unsupported, "the account requires a second factor of an unknown kind")
        }
        return BackendError(
            .secondFactorRequired, "the account requires a second factor", server: ServerDetail(status: 200))
    }

    private static func needsConfirmation(of email: String?) -> BackendError {
        BackendError(
            .emailTaken, "another account has the e-mail of the identity",
            next: NextStep(
                "log in to that account, then link the identity", run: ["login"] + .argument(email ?? "ADDRESS")),
            server: ServerDetail(status: 200), fields: [FieldFault("email", "is already taken")])
    }

    static func read(_ response: inout ErrorResponse) {
        let error = response.body?["error"]
        guard let message = error?["message"]?.string, error?["code"]?.integer != nil else {
            response.isFromServer = false
            return
        }
        let parts = message.cut(at: " : ")
        let code = parts?.before ?? message
        guard code.utf8.allSatisfy({ $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") }), code == code.uppercased()
        else {
            response.code = (error?["status"]?.filledText).map(JSONValue.string) ?? .null
            response.texts = [message]
            return
        }
        response.code = .string(code)
        response.texts = [parts.map { messageOfFunction($0.after) ?? $0.after } ?? code]
    }

    /// The message of a blocking function, meant for the user: `((HTTP request to URL returned HTTP error 400:
    /// {"error":{"message":"…",…}}))`. `nil` for another text. Source: Firebase, "Blocking functions".
    private static func messageOfFunction(_ text: String) -> String? {
        guard let start = text.firstIndex(of: "{"), let end = text.lastIndex(of: "}"), start < end else { return nil }
        // `try?`: another text is shown as it is.
        return (try? JSONValue(parsing: Array(text[start...end].utf8)))?["error"]?["message"]?.filledText
    }

    // MARK: - Reasons

    static func reason(for response: ErrorResponse) -> AuthError.Reason? {
        guard response.isFromServer else { return nil }
        if let reason = reasonOfKey(response) { return reason }
        let (operation, code) = (response.operation, response.code.string ?? "")
        switch code {
        case "INVALID_LOGIN_CREDENTIALS", "INVALID_PASSWORD": return .wrongPassword
        case "EMAIL_NOT_FOUND": return operation == .requestPasswordReset ? .notFound : .wrongPassword
        case "USER_DISABLED": return .accountDisabled
        case "TOKEN_EXPIRED", "USER_NOT_FOUND", "INVALID_ID_TOKEN", "INVALID_REFRESH_TOKEN":
            return reasonOfSession(code, operation)
        case "CREDENTIAL_TOO_OLD_LOGIN_AGAIN": return .reauthenticationRequired
        case "EMAIL_EXISTS": return .emailTaken
        case "PHONE_NUMBER_EXISTS": return .phoneTaken
        case "FEDERATED_USER_ID_ALREADY_LINKED": return .identityTaken
        case "DUPLICATE_LOCAL_ID": return .conflict
        case "WEAK_PASSWORD", "PASSWORD_DOES_NOT_MEET_REQUIREMENTS": return .weakPassword
        case "INVALID_OOB_CODE", "EXPIRED_OOB_CODE", "INVALID_CODE", "INVALID_SESSION_INFO", "SESSION_EXPIRED",
            "MFA_ENROLLMENT_NOT_FOUND":
            return .wrongCode
        // The link was sent to another address.
        case "INVALID_EMAIL" where operation == .secondFactor: return .wrongCode
        case "INVALID_MFA_PENDING_CREDENTIAL": return .sessionExpired
        case "UNVERIFIED_EMAIL": return .emailUnverified
        case "OPERATION_NOT_ALLOWED":
            return response.hasText("Please verify the new email") ? .emailUnverified : .unsupported
        case "ADMIN_ONLY_OPERATION", "INSUFFICIENT_PERMISSION", "BLOCKING_FUNCTION_ERROR_RESPONSE": return .forbidden
        case "TOO_MANY_ATTEMPTS_TRY_LATER", "QUOTA_EXCEEDED", "RESET_PASSWORD_EXCEED_LIMIT", "RESOURCE_EXHAUSTED":
            return .rateLimited
        case "UNAUTHENTICATED": return .badAppKey
        case _ where refusedProofs.contains(code): return .tokenRefused
        case _ where closed.contains(code) || code.hasSuffix("_RECAPTCHA_TOKEN") || code.hasPrefix("CAPTCHA_CHECK"):
            return .unsupported
        case _ where response.status == 400 && operation != .callAPI: return .invalidFields
        default: return nil
        }
    }

    private static let refusedProofs: Set = [
        "INVALID_IDP_RESPONSE", "INVALID_CREDENTIAL_OR_PROVIDER_ID", "INVALID_CUSTOM_TOKEN", "CREDENTIAL_MISMATCH",
        "REJECTED_CREDENTIAL", "STALE_TOKEN", "MISSING_OR_INVALID_NONCE",
    ]

    private static let closed: Set = [
        "PASSWORD_LOGIN_DISABLED", "PROJECT_DISABLED", "CONFIGURATION_NOT_FOUND", "NOT_IMPLEMENTED",
        "UNSUPPORTED_TENANT_OPERATION", "INVALID_TENANT_ID",
    ]

    /// The reason for a rejected API key or access token. Google's services report it in text, with a status.
    private static func reasonOfKey(_ response: ErrorResponse) -> AuthError.Reason? {
        if response.status == 501 { return .unsupported }
        if response.hasText("Firebase App Check token") { return .unsupported }
        let texts = ["API key not valid", "API key expired", "The request is missing a valid API key", "Requests "]
        return texts.contains(where: response.hasText) ? .badAppKey : nil
    }

    /// The reason for a rejected token. `FirebaseBackend` knows whether the session's token has expired.
    private static func reasonOfSession(_ code: String, _ operation: Operation) -> AuthError.Reason {
        switch operation {
        case .logInWithToken: .tokenRefused
        case _ where operation.usesAdminKey: .notFound
        case .refresh: .sessionRevoked
        default: code == "TOKEN_EXPIRED" ? .sessionExpired : .sessionRevoked
        }
    }

    // MARK: - Messages

    static func message(for reason: AuthError.Reason, _ response: ErrorResponse) -> String? {
        let code = response.code.string ?? ""
        return switch (reason, response.operation) {
        case (.badAppKey, let operation) where operation.usesAdminKey || code == "UNAUTHENTICATED":
            "the server does not accept the access token"
        case (.invalidFields, _) where code.holds("CLAIM"):
            "the server does not accept the claims\(response.quoted(response.texts))"
        case (.badAppKey, _) where response.hasText("Requests "):
            "the API key is restricted\(response.quoted(response.texts))"
        case (.badAppKey, _): "the server does not accept the API key"
        case (.unsupported, _) where code == "OPERATION_NOT_ALLOWED" || code == "PASSWORD_LOGIN_DISABLED":
            "the project does not allow this kind of login"
        case (.unsupported, _) where code == "CONFIGURATION_NOT_FOUND":
            "the project does not use Firebase Authentication"
        case (.unsupported, _) where code == "PROJECT_DISABLED": "the project is disabled"
        case (.unsupported, _) where response.hasText("Firebase App Check"):
            "the project accepts only its apps (App Check)"
        case (.unsupported, _) where code.hasSuffix("TENANT_ID") || code == "UNSUPPORTED_TENANT_OPERATION":
            "authctl does not support tenants"
        case (.unsupported, _) where response.status == 501: "the emulator does not support this"
        case (.unsupported, _): "the project requires reCAPTCHA, which authctl cannot solve"
        case (.forbidden, let operation)
        where code == "ADMIN_ONLY_OPERATION" && [.signUp, .logInAnonymously].contains(operation):
            "the project does not allow signups"
        case (.reauthenticationRequired, _): "the server requires a newer login"
        case (.sessionExpired, .secondFactor): "the login has expired"
        case (.rateLimited, _) where response.meansUsedUpQuota:
            "a quota of Firebase is used up\(response.quoted(response.texts.filter { $0 != code }))"
        case (.rateLimited, _): "too many attempts\(response.quoted(response.texts.filter { $0 != code }))"
        case (.wrongEndpoint, _): "no Firebase Authentication at this URL"
        default: nil
        }
    }

    /// A project with protection against enumeration sends one code for both.
    static func fact(for reason: AuthError.Reason, _ response: ErrorResponse) -> AuthError.Fact? {
        switch response.code {
        case "INVALID_PASSWORD" where reason == .wrongPassword: .accountExists(named: nil)
        case "EMAIL_NOT_FOUND" where reason == .wrongPassword: .accountMissing
        case _ where response.meansUsedUpQuota: .limitIsLong
        default: nil
        }
    }

    static func fields(for reason: AuthError.Reason, _ response: ErrorResponse) -> [FieldFault] {
        switch reason {
        case .emailTaken: return [FieldFault("email", "is already taken")]
        case .phoneTaken: return [FieldFault("phone", "is already taken")]
        case .weakPassword:
            return [FieldFault("password", response.texts.first ?? "is too weak", isServerText: true)]
        case .invalidFields:
            let code = response.code.string ?? ""
            let name = ["EMAIL", "PASSWORD", "PHONE_NUMBER", "DISPLAY_NAME", "PHOTO_URL"].first(where: code.hasSuffix)
            guard let name else { return [] }
            let words = code.hasPrefix("MISSING_") ? "is required" : "is invalid"
            return [FieldFault(names[name] ?? name.lowercased(), words)]
        default: return []
        }
    }

    private static let names = ["PHONE_NUMBER": "phone", "DISPLAY_NAME": "displayName", "PHOTO_URL": "photoUrl"]

    static func steps(for reason: AuthError.Reason, _ response: ErrorResponse) -> [NextStep] {
        switch (reason, response.operation) {
        case (.badAppKey, let operation) where operation.usesAdminKey || response.code == "UNAUTHENTICATED":
            [.accessToken]
        case (.badAppKey, _): [.webAPIKey]
        case (.rateLimited, let operation) where response.meansUsedUpQuota:
            [operation == .signUp ? "try again in an hour" : "try again tomorrow"]
        default: response.steps(for: reason)
        }
    }
}

extension ErrorResponse {
    /// Whether a quota is used up that is not over in minutes: that of new accounts, for each IP address and hour, or that
    /// of e-mails, for each day. Other quotas, such as those of logins and refreshes, count minutes. Sources: Firebase,
    /// "Firebase Authentication Limits"; firebase/firebase-js-sdk, issue 8159.
    fileprivate var meansUsedUpQuota: Bool {
        let sends = [.requestPasswordReset, .sendVerification].contains(operation)
        return code == "QUOTA_EXCEEDED" && (sends || [.signUp, .logInAnonymously].contains(operation))
    }
}

extension NextStep {
    static let accessToken: NextStep = "an access token is printed by 'gcloud auth print-access-token'"
    static let webAPIKey: NextStep = """
        use the Web API key of the project, not restricted to web pages or apps: Project settings, General
        """
}
