import AuthModel
import JSON
import Platform
import Transport

/// Validates the responses from Supabase Auth and its gateway, and maps errors to `BackendError`.
///
/// An error is `{"code", "message"}`, without the header field for the version `{"code": STATUS, "error_code", "msg"}`.
/// The login of older versions, and that with ID tokens, sends `{"error", "error_description"}`. The gateway sends
/// `{"message", "hint"}`. Source: `Tests/Exchanges/supabase/answers.ndjson`; the gateway: Supabase's documentation.
enum SupabaseErrors: ErrorTable {
    static let format: ErrorFormat? = ErrorFormat("Supabase Auth") { object, response in
        object.holds(response.status, in: "code") && object["error_code"]?.string != nil
            && object["msg"]?.string != nil
    }

    static func required(for operation: Operation) -> Required {
        switch operation {
        case .logIn, .logInAnonymously, .secondFactor, .impersonate, .logInWithIdentity, .linkIdentity, .refresh,
            .verifyPassword:
            session
        case .signUp: Required { ($0["access_token"] == nil ? .account() : session).fault($0) }
        // A notice says that another address must be confirmed, too.
        case .verifyEmail: Required { $0["msg"] == nil ? session.fault($0) : nil }
        case .currentUser, .logInWithToken, .updateUser, .changePassword, .finishPasswordReset, .listIdentities,
            .readUser, .changeUser:
            .account()
        case .listUsers: .list("users")
        default: .nothing
        }
    }

    static let session = Required.session("access_token", of: "user")

    static func read(_ response: inout ErrorResponse) {
        let body = response.body
        let code = body?["error_code"]?.filledText ?? body?["code"]?.filledText ?? body?["error"]?.filledText
        let text = body?["message"]?.string ?? body?["msg"]?.string ?? body?["error_description"]?.string
        response.code = code.map(JSONValue.string) ?? .null
        response.texts = [text].compactMap(\.self)
        response.isFromServer = code != nil && text != nil || response.meansBadKey || response.meansStoppedProject
        // There is no `Retry-After`: "…you can only request this after 2 seconds."
        if response.status == 429, response.retryAfter == nil, let text {
            let words = text.split(separator: " ")
            let place = words.firstIndex { $0.hasPrefix("second") } ?? 0
            response.retryAfter = place > 0 ? Int(words[place - 1]) : nil
        }
    }

    // MARK: - Reasons

    static func reason(for response: ErrorResponse) -> AuthError.Reason? {
        let operation = response.operation
        if response.meansBadKey { return .badAppKey }
        if response.meansStoppedProject { return .serverFault }
        guard response.isFromServer, let code = response.code.string else { return nil }
        let isOfToken = operation == .logInWithToken
        if response.isOfStorageToken {
            return response.holds("expired") || response.holds("\"exp\"") ? .sessionExpired : .tokenRefused
        }
        switch code {
        case "invalid_credentials": return .wrongPassword
        case "invalid_grant": return reasonOfGrant(response)
        case "email_not_confirmed", "phone_not_confirmed", "provider_email_needs_verification": return .emailUnverified
        case "user_banned": return .accountDisabled
        case "session_not_found", "refresh_token_not_found", "refresh_token_already_used":
            return isOfToken ? .tokenRefused : .sessionRevoked
        case "user_not_found": return operation.usesKey ? .notFound : isOfToken ? .tokenRefused : .sessionRevoked
        case "session_expired": return response.holds("Newer Login") ? .sessionRevoked : .sessionExpired
        case "bad_jwt":
            if operation.usesKey { return .badAppKey }
            // Also if the signing key was rotated: then the refresh token still works.
            return isOfToken ? .tokenRefused : response.holds("is expired") ? .sessionExpired : .sessionRevoked
        case "PGRST301", "PGRST303": return response.holds("JWT expired") ? .sessionExpired : .sessionRevoked
        case "no_authorization":
            return operation.usesKey ? .badAppKey : response.status == 401 ? .tokenRefused : .forbidden
        case "not_admin": return operation.usesKey ? .badAppKey : .forbidden
        case "user_already_exists", "email_exists": return .emailTaken
        case "phone_exists": return .phoneTaken
        // PostgreSQL's code for a duplicate key. Source: the exchange `admin/set-email-taken`.
        case "23505" where operation == .changeUser: return .emailTaken
        // The addresses were free, so it is the id, or a value in a table that a trigger fills. Nothing was created.
        // Source: Supabase Auth, `adminUserCreate` and `NewPostgresError`.
        case "23505" where operation == .signUp: return .conflict
        case "sms_send_failed" where response.holds("frequency limit"): return .rateLimited
        case "identity_already_exists": return .identityTaken
        case "weak_password": return .weakPassword
        case "validation_failed" where operation == .refresh: return .tokenRefused
        case "validation_failed" where operation.sendsProof: return .unsupported
        case "validation_failed" where response.status == 404: return .notFound
        case "same_password", "validation_failed", "bad_json", "single_identity_not_deletable", "email_address_invalid",
            "email_address_not_authorized":
            return .invalidFields
        case "otp_expired", "reauthentication_not_valid", "mfa_verification_failed", "mfa_challenge_expired",
            "mfa_ip_address_mismatch":
            return .wrongCode
        case "reauthentication_needed", "current_password_required": return .reauthenticationRequired
        case "current_password_invalid": return .wrongPassword
        case "insufficient_aal": return .secondFactorRequired
        case "mfa_factor_not_found", "identity_not_found": return .notFound
        // A login creates no account. Source: the exchange `otp/send-unknown`.
        case "otp_disabled" where operation == .sendLogInCode: return .notFound
        case "flow_state_not_found", "flow_state_expired", "bad_code_verifier", "invalid request", "invalid nonce":
            return .tokenRefused
        case "captcha_failed", "user_sso_managed": return .unsupported
        case "unexpected_failure": return response.hasText("captcha") ? .unsupported : nil
        case "request_timeout", "conflict": return operation == .callAPI ? nil : .serverFault
        default:
            if code.hasPrefix("hook_") { return .forbidden }
            return code.hasSuffix("_disabled") || code.hasSuffix("_not_enabled") ? .unsupported : nil
        }
    }

    /// The code of Supabase Auth 2.151 for all failures of a login and of a refresh. Only the text tells.
    private static func reasonOfGrant(_ response: ErrorResponse) -> AuthError.Reason {
        if response.holds("not confirmed") { return .emailUnverified }
        if response.holds("User Banned") { return .accountDisabled }
        if response.holds("Session Expired"), !response.holds("Newer Login") { return .sessionExpired }
        return response.operation == .refresh ? .sessionRevoked : .wrongPassword
    }

    /// The codes of denials: of PostgreSQL and PostgREST, also those that a function of the project raises, and of
    /// Supabase Auth. Source: PostgREST, "Errors"; `Tests/Exchanges/supabase/answers.ndjson`.
    private static let denials: Set = [
        "42501", "PT401", "PT403", "PT404", "PGRST302", "no_authorization", "not_admin", "insufficient_aal",
    ]

    static func refusal(_ response: ErrorResponse) -> Refusal? {
        if let status = response.statusOfStorage {
            return [403, 404].contains(status) && !response.isOfStorageToken ? .denial : .other
        }
        guard response.isFromServer, let code = response.code.string else { return nil }
        switch code {
        case _ where denials.contains(code): return .denial
        // The gateway has no such function. Source: Supabase, "Edge Function 404 error response".
        case "PGRST301", "NOT_FOUND", "NOT_FOUND_FUNCTION_BLOB": return .unclear
        case "PGRST303": return .tokenTooEarly
        default: return .other
        }
    }

    // MARK: - Messages

    static func message(for reason: AuthError.Reason, _ response: ErrorResponse) -> String? {
        switch reason {
        case .badAppKey:
            (response.isAboutSecretKey
                ? "the server does not accept the secret key"
                : "the gateway does not accept the publishable key, or requires one")
                + (response.meansBadKey ? response.quoted(response.texts) : "")
        case .serverFault where response.meansStoppedProject:
            "the project is \(response.status == 540 ? "paused" : "restricted") (HTTP \(response.status))"
                + response.quoted(response.texts)
        case .emailUnverified where response.code == "phone_not_confirmed" || response.holds("Phone not confirmed"):
            "the phone number is not verified yet"
        case .rateLimited where response.meansSendLimit:
            "the project sends no more e-mails or text messages for now" + response.quoted(response.texts)
        case .wrongEndpoint: "no Supabase Auth at this URL"
        case .wrongCode where response.code == "otp_expired": "the code or link is wrong, used or expired"
        case .weakPassword: "the password is too weak" + response.quoted(response.texts)
        case .secondFactorRequired: "the account has a second factor, and the session has the first level only"
        case .reauthenticationRequired where response.code == "current_password_required":
            "the project requires the current password"
        case .invalidFields where response.code == "single_identity_not_deletable":
            "it is the only identity of the account"
        case .conflict where response.code == "23505":
            "the id, or another value of the account, is already taken" + response.quoted(response.texts)
        case .invalidFields where !response.isReasonOfStatus:
            "the request was rejected" + response.quoted(response.texts)
        case .unsupported: messageOfDisabled(response)
        case .notFound where response.code == "otp_disabled": messageOfDisabled(response)
        case .invalidFields, .forbidden, .notFound, .conflict:
            // A code that this table does not know.
            response.isReasonOfStatus && response.code != .null && response.operation != .callAPI
                ? "the request was rejected (code \(response.codeText.start(80)))" + response.quoted(response.texts)
                : nil
        default: nil
        }
    }

    private static func messageOfDisabled(_ response: ErrorResponse) -> String {
        switch response.code.string {
        case "signup_disabled": "the project does not allow signups"
        case "anonymous_provider_disabled": "the project does not allow anonymous users"
        case "captcha_failed", "unexpected_failure": "the project requires a captcha, which authctl cannot solve"
        case "provider_disabled", "validation_failed": "the project does not accept identities of this provider"
        case "otp_disabled": "no account has this address, or the project does not allow codes"
        default: "the project does not allow this" + response.quoted(response.texts)
        }
    }

    static func fact(for reason: AuthError.Reason, _ response: ErrorResponse) -> AuthError.Fact? {
        reason == .rateLimited && response.meansSendLimit ? .limitIsLong : nil
    }

    static func fields(for reason: AuthError.Reason, _ response: ErrorResponse) -> [FieldFault] {
        switch reason {
        case .emailTaken: [FieldFault("email", "is already taken")]
        case .phoneTaken: [FieldFault("phone", "is already taken")]
        case .weakPassword:
            (response.body?["weak_password"]?["reasons"]?.array ?? []).prefix(5).compactMap { reason in
                weaknesses[reason.string ?? ""].map { FieldFault("password", $0) }
            }
        default: []
        }
    }

    private static let weaknesses = [
        "length": "is too short", "characters": "lacks a required kind of character",
        "pwned": "is in a list of leaked passwords",
    ]

    static func steps(for reason: AuthError.Reason, _ response: ErrorResponse) -> [NextStep] {
        switch reason {
        case .badAppKey where response.isAboutSecretKey:
            ["use the secret key (sb_secret_…)\(response.orLegacy("service_role")), from Project Settings, API Keys"]
        case .badAppKey: NextStep.publishableKey(response.orLegacy("anon"))
        case .serverFault where response.meansStoppedProject:
            [response.status == 540 ? "restore the project in the dashboard" : "see the dashboard of the project"]
        case .invalidFields where response.code == "single_identity_not_deletable": [.linkAnother]
        case .wrongEndpoint:
            [
                "check the URL of the project, such as https://REF.supabase.co",
                NextStep("for a bare Auth server", run: ["profile", "set", NextStep.profile, "authPath", "/"]),
            ]
        case .secondFactorRequired:
            [NextStep("log in with the code of the factor", run: ["login", NextStep.account, "--otp", "CODE"])]
        case .unsupported where ["captcha_failed", "unexpected_failure"].contains(response.code):
            [.createWithKey("create accounts with the secret key")]
        case .rateLimited where response.meansSendLimit:
            (response.operation == .signUp
                ? [.createWithKey("create accounts with the secret key, which sends no e-mail")] : [])
                + ["try again in an hour, or set a higher limit in the project"]
        default: response.steps(for: reason)
        }
    }
}

extension NextStep {
    fileprivate static func createWithKey(_ sentence: String) -> NextStep {
        NextStep(sentence, run: ["users", "create", "FILE", "--journal", "FILE", "--admin-key-file", "FILE"])
    }

    static func publishableKey(_ orLegacy: String = " or the legacy anon key") -> [NextStep] {
        [
            NextStep(
                "set the publishable key (sb_publishable_…)\(orLegacy), from Project Settings, API Keys",
                run: ["profile", "set", NextStep.profile, "clientKeyFile", "FILE"]),
            "or add --client-key-file FILE",
        ]
    }
}

extension ErrorResponse {
    /// Whether the gateway rejects the `apikey`, or misses it. Its errors have no code. Envoy sends the text `Unauthorized`.
    /// Source: supabase/supabase, `docker/volumes/api/envoy/lds.template.yaml`.
    var meansBadKey: Bool {
        guard status == 401, body?["code"] == nil else { return false }
        // A function of the project can send such a text, too, and a proxy asks for its own credentials.
        if body == nil { return operation != .callAPI && !plainText.isEmpty && !isPage && !isChallenge }
        guard let text = body?["message"]?.string?.lowercased() else { return false }
        return text.holds("api key") || text == "invalid authentication credentials"
    }

    /// The legacy key, unless the gateway's text says that the project takes only the new ones.
    fileprivate func orLegacy(_ name: String) -> String {
        holds("egacy API keys are disabled") ? "" : " or the legacy \(name) key"
    }

    /// Whether the platform answers for a restricted (402) or paused (540) project. Nothing was done. Source: Supabase,
    /// "HTTP status codes".
    fileprivate var meansStoppedProject: Bool {
        status == 540 || status == 402 && operation != .callAPI && body?["code"] == nil
    }

    /// Whether the project has sent its e-mails or text messages of the hour: the limit of one address names its seconds.
    /// Source: the exchanges `maillimit/…`; Supabase, "Rate limits".
    fileprivate var meansSendLimit: Bool {
        retryAfter == nil && ["over_email_send_rate_limit", "over_sms_send_rate_limit"].contains(code)
    }

    /// For a signup, the gateway can reject only the publishable key: the secret key was checked before.
    fileprivate var isAboutSecretKey: Bool { operation.usesKey && !(operation == .signUp && meansBadKey) }

    fileprivate func holds(_ phrase: String) -> Bool { texts.contains { $0.holds(phrase) } }

    /// The status in an error of Supabase Storage, which has HTTP status 400 even if a policy denies the request.
    /// Source: supabase/storage, `src/http/error-handler.ts`.
    fileprivate var statusOfStorage: Int? { body?["statusCode"]?.string.flatMap { Int($0) } }

    /// Whether Supabase Storage rejects the token: a message of its JWT library, with the code that a denial has, too.
    /// Source: supabase/storage, `src/http/plugins/jwt.ts`; the library `jose`.
    fileprivate var isOfStorageToken: Bool {
        statusOfStorage != nil
            && ["jwt", "jws", "\"exp\" claim", "signature"].contains { phrase in
                texts.contains { $0.lowercased().holds(phrase) }
            }
    }
}

extension Operation {
    /// A signup without the secret key meets none of its errors.
    fileprivate var usesKey: Bool { usesAdminKey || self == .signUp }
}
