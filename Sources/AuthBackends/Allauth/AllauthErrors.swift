import AuthModel
import JSON
import Platform
import Transport

/// Validates the responses from allauth's headless API, and maps its errors.
///
/// `errors` is `[{"message", "code", "param"?}]`; the codes are never translated. 401 is not always an error, see
/// `readsFlows`. For every operation, 410 means that the token is invalid. A body that is not JSON comes from a
/// gateway, or from Django itself. Source: responses recorded from django-allauth 65.21.1,
/// `Tests/Exchanges/allauth/answers.ndjson`.
enum AllauthErrors: ErrorTable {
    static let format: ErrorFormat? = ErrorFormat("allauth's headless API") { object, response in
        object.holds(response.status, in: "status")
            && (object["errors"]?.array != nil || object["meta"]?["is_authenticated"] != nil)
    }
    static let writesErrorPages = true

    /// Returns a successful response, or a 401 that is not an error for the operation.
    static func check(_ response: ServerResponse) throws(BackendError) -> AllauthResponse {
        let (body, operation) = (response.http.json, response.operation)
        let answer = AllauthResponse(status: response.http.status, body, at: response.now, response.masker)
        if let answer, answer.status == 200 || answer.meansFlows && operation.readsFlows {
            if let fault = answer.fault(operation) { throw response.invalid(fault) }
            return answer
        }
        guard response.http.status == 200 else {
            var error = error(for: response)
            if let answer, answer.isAuthenticated { error.replacement = answer.session }
            throw error
        }
        throw response.invalid(body == nil ? nil : "the response is not from allauth's headless API")
    }

    /// Returns the error for a 401 that `check` has returned as a response.
    static func error(for answer: AllauthResponse, _ operation: Operation, _ masker: Masker) -> BackendError {
        error(for: ErrorResponse(status: answer.status, body: answer.body, operation, masker))
    }

    static func read(_ response: inout ErrorResponse) {
        response.isFromServer = AllauthResponse.isEnvelope(response.body, status: response.status)
        guard response.isFromServer || response.operation != .callAPI else { return readOtherView(&response) }
        let faults = faults(response)
        response.code = JSONValue(faults.first?.code)
        response.texts = faults.filter { $0.field == nil }.map(\.message)
        response.fields = faults.compactMap(\.field)
    }

    /// Reads an error from a view outside of allauth. Most such views use Django REST framework.
    private static func readOtherView(_ response: inout ErrorResponse) {
        let faults = DjangoFaults(response.body, response.masker)
        (response.texts, response.fields) = (faults.texts, faults.fields)
    }

    static func serverText(_ response: ErrorResponse) -> String? { faults(response).first?.message }

    private struct Fault {
        let code: String
        let message: String
        /// `nil` if the error concerns the whole request.
        let field: FieldFault?
    }

    private static func faults(_ response: ErrorResponse) -> [Fault] {
        guard response.isFromServer else { return [] }
        // Limit the work that a malicious server can cause.
        return (response.body?["errors"]?.array ?? []).prefix(100).compactMap { value in
            guard let code = value["code"]?.string else { return nil }
            let message = value["message"]?.string ?? code
            let name: String? =
                switch value["param"]?.string {
                case "new_password": "password"
                case "current_password": "currentPassword"
                case let name: name.map { FieldFault.name($0, response.masker) }
                }
            return Fault(
                code: code, message: message, field: name.map { FieldFault($0, message, isServerText: true) })
        }
    }

    // MARK: - Reasons

    static func reason(for response: ErrorResponse) -> AuthError.Reason? {
        let (operation, isFromServer) = (response.operation, response.isFromServer)
        if operation == .callAPI, !isFromServer {
            guard response.status == 403, response.meansInvalidCredentials else { return nil }
            return response.meansExpired ? .sessionExpired : .sessionRevoked
        }
        switch response.status {
        case 400 where isFromServer: return reasonOfBadRequest(response)
        case 401 where isFromServer: return reasonOfUnauthenticated(response)
        // The site limits the rate of e-mails: it sent the last one a short time ago.
        case 403 where isFromServer && operation == .sendVerification: return .rateLimited
        case 404 where isFromServer: return .notFound
        case 404, 405: return operation.isOptional ? .unsupported : nil
        case 409 where operation == .secondFactor: return .sessionRevoked
        case 409:
            return [.verifyEmail, .sendVerification, .listIdentities, .finishPasswordReset].contains(operation)
                ? .notFound : .forbidden
        case 410 where !isFromServer: return .wrongEndpoint
        case 410 where operation == .finishPasswordReset: return .notFound
        case 410: return operation == .logInWithToken ? .tokenRefused : .sessionRevoked
        default: return nil
        }
    }

    private static func reasonOfUnauthenticated(_ response: ErrorResponse) -> AuthError.Reason {
        let body = response.body ?? .null
        if AllauthResponse.isAuthenticated(body) { return .reauthenticationRequired }
        let pending = AllauthResponse.pending(body)
        if pending.contains(.secondFactor) { return .secondFactorRequired }
        if pending.contains(.verifyEmail) { return .emailUnverified }
        if response.operation != .currentUser, pending.contains(where: \.sendsCode) { return .secondFactorRequired }
        switch response.operation {
        // allauth responds to a login with 401 only after it accepts the password or token.
        case .logIn, .logInWithIdentity: return pending.isEmpty ? .accountDisabled : .unsupported
        case .secondFactor: return pending.isEmpty ? .sessionRevoked : .unsupported
        case .logInWithToken: return .tokenRefused
        default: return .sessionRevoked
        }
    }

    private static func reasonOfBadRequest(_ response: ErrorResponse) -> AuthError.Reason {
        // The error response to a failed refresh contains no code.
        if response.operation == .refresh { return .sessionExpired }
        let reasons = faults(response).map { reason(for: $0.code, response.operation) }
        guard let first = reasons.first else { return .invalidFields }
        // If the errors differ in outcome, the reason of one error would be misleading.
        return reasons.allSatisfy { $0.outcome == first.outcome && $0 != .invalidFields } ? first : .invalidFields
    }

    /// Source: `Tests/Exchanges/allauth/answers.ndjson`.
    private static func reason(for code: String, _ operation: Operation) -> AuthError.Reason {
        switch code {
        case "username_taken": .usernameTaken
        case "email_taken": .emailTaken
        case "username_password_mismatch", "email_password_mismatch", "incorrect_password", "enter_current_password":
            .wrongPassword
        case "too_many_login_attempts": .rateLimited
        case "incorrect_code": .wrongCode
        case "invalid_or_expired_key", "invalid_password_reset", "unknown_email", "account_not_found": .notFound
        case "invalid_choice", "invalid_pk_value": operation == .revokeSessions ? .notFound : .invalidFields
        case "invalid_token", "client_id_required", "client_id_mismatch", "token_required": .tokenRefused
        case "connected_other": .identityTaken
        case "no_password", "unverified_email": .forbidden
        case let code where code.hasPrefix("password_"): .weakPassword
        default: .invalidFields
        }
    }

    static func refusal(_ response: ErrorResponse) -> Refusal? {
        guard response.isFromServer else { return response.refusalOfDjango }
        return [401, 403, 404].contains(response.status) ? .denial : .other
    }

    // MARK: - Messages

    static func message(for reason: AuthError.Reason, _ response: ErrorResponse) -> String? {
        let operation = response.operation
        switch (reason, response.status) {
        case (.secondFactorRequired, _)
        where AllauthResponse.pending(response.body ?? .null).contains(where: \.sendsCode):
            return "the site has sent a code, which completes the login"
        case (.emailTaken, _) where operation == .logInWithIdentity:
            return "another account has the e-mail of the identity"
        case (.reauthenticationRequired, _): return "the server requires reauthentication"
        case (.sessionRevoked, _) where operation == .secondFactor:
            return "the pending login has expired"
        case (.tokenRefused, _) where operation.sendsProof:
            return "the site rejects the proof of the identity, or cannot reach the provider"
        case (.notFound, 409) where operation == .verifyEmail: return "no e-mail verification is pending"
        case (.notFound, 409) where operation == .sendVerification:
            return "no e-mail verification is pending, or the site does not resend the e-mail"
        case (.notFound, 409...410) where operation == .finishPasswordReset:
            return "no password reset is pending: the code is used or expired, or was requested elsewhere"
        case (.notFound, _) where operation == .sendVerification: return "the account does not have this e-mail"
        case (.unsupported, let status): return unsupported(operation, status)
        case (.wrongEndpoint, _): return "no allauth headless API at this URL"
        case (.rateLimited, 400) where operation == .sendLogInCode:
            return "the site sends no more codes for now" + response.quoted([serverText(response) ?? ""])
        case (.rateLimited, 400): return "too many wrong \(operation == .secondFactor ? "codes" : "passwords")"
        case (.rateLimited, 403): return "an e-mail was sent a short time ago"
        case (.forbidden, _) where response.code == "no_password":
            return "the identity is the account's last authentication method: it has no password"
        case (.forbidden, 403) where response.isFromServer && [.signUp, .logInWithIdentity].contains(operation):
            return "the site does not allow signups"
        case (.forbidden, 409) where response.isFromServer && response.code == .null:
            return "the session is already authenticated"
        default: return nil
        }
    }

    private static func unsupported(_ operation: Operation, _ status: Int) -> String {
        switch operation {
        case .listSessions, .revokeSessions: "the site does not keep a list of sessions"
        case .logIn, .secondFactor: "the site requires a login step that authctl does not support"
        case .sendLogInCode: "the site does not allow logins by a code"
        case .logInWithIdentity where status == 401: "the site requires a login step that authctl does not support"
        default: "the site does not support identities of other services"
        }
    }

    static func steps(for reason: AuthError.Reason, _ response: ErrorResponse) -> [NextStep] {
        switch (reason, response.operation) {
        case (.rateLimited, .sendLogInCode): ["try again in a minute"]
        case (.rateLimited, _) where response.status == 400: [.waitAfterWrongPasswords]
        case (_, _) where response.code == "no_password": [.resetPassword]
        case (.notFound, .verifyEmail) where response.status == 409,
            (.notFound, .sendVerification) where response.status == 409:
            ["if the e-mail is not verified yet, log in again to get a new e-mail"]
        // allauth accepts each value of the `jti` claim only once. Source: allauth 65.21, `internal/jwtkit.py`.
        case (.tokenRefused, let operation) where operation.sendsProof:
            response.steps(for: reason) + ["sites accept an ID token only once"]
        default: response.steps(for: reason)
        }
    }
}

extension AllauthResponse {
    /// Whether the response is a 401 for a user who is not logged in. allauth also sends 401 if a logged-in user must
    /// reauthenticate.
    fileprivate var meansFlows: Bool { status == 401 && !isAuthenticated }

    /// Describes why a response is invalid although its status is not an error; `nil` if it is valid.
    fileprivate func fault(_ operation: Operation) -> String? {
        switch operation {
        case .listSessions where data.array == nil, .listIdentities where status == 200 && data == .null:
            "the response lacks the requested data"
        case .verifyEmail where pending.contains(.verifyEmail): "the e-mail is still not verified"
        default: nil
        }
    }
}

extension Operation {
    /// Whether a 401 is not an error for the operation: it can confirm a logout, the revocation of the current session,
    /// a password reset or a verification, or list pending steps.
    fileprivate var readsFlows: Bool {
        switch self {
        case .signUp, .logIn, .secondFactor, .sendLogInCode, .logInWithIdentity, .logOut, .revokeSessions,
            .requestPasswordReset, .finishPasswordReset, .verifyEmail:
            true
        default: false
        }
    }

    /// Whether the operation requires an optional part of allauth.
    fileprivate var isOptional: Bool {
        switch self {
        case .listSessions, .revokeSessions, .sendLogInCode, .logInWithIdentity, .linkIdentity, .listIdentities,
            .unlinkIdentity:
            true
        default: false
        }
    }
}
