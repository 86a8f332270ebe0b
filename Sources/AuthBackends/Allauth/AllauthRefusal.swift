import AuthModel
import JSON
import Platform
import Transport

/// An answer that is no good one, and how the user is told of it.
struct AllauthRefusal {
    let status: Int
    let answer: AllauthAnswer?
    let faults: [AllauthAnswer.Fault]
    let waitingTime: Int?
    let call: AllauthErrors.Call

    init(_ response: HTTPResponse, _ answer: AllauthAnswer?, _ call: AllauthErrors.Call, now: Instant) {
        status = response.status
        self.answer = answer
        faults = answer?.errors ?? []
        waitingTime = response.retryAfter(now: now)
        self.call = call
    }

    /// The refusal of a 401 that its call reads, too: somebody is not, or not quite, logged in.
    init(_ answer: AllauthAnswer, _ call: AllauthErrors.Call) {
        status = answer.status
        self.answer = answer
        faults = answer.errors
        waitingTime = nil
        self.call = call
    }

    var error: AuthError {
        let reason = reason
        var error = AuthError(reason, message(for: reason), hint: hint(for: reason))
        let code = faults.first.map { JSONValue.string($0.code) } ?? .null
        error.server = ServerDetail(status: status, code: code, message: faults.first?.message)
        error.fields = faults.compactMap(\.field)
        if let answer, answer.isAuthenticated { error.replacement = answer.session }
        error.retryAfter = reason == .rateLimited ? waitingTime : nil
        return error
    }

    // MARK: - Why

    private var reason: AuthError.Reason {
        switch status {
        case 400: badRequest
        // What is no answer of allauth is a gateway's: it says nothing of a session.
        case 401: answer.map(unauthenticated) ?? .forbidden
        case 403: call == .resend && answer != nil ? .rateLimited : .forbidden
        case 404 where answer != nil: .notFound
        case 404, 405: call.isOfExtra ? .unsupported : .wrongEndpoint
        case 409: conflict
        case 410 where answer == nil: .wrongEndpoint
        case 410: call == .token ? .tokenRefused : .sessionRevoked
        case 413: .invalidFields
        case 429: .rateLimited
        case 503 where waitingTime != nil: .rateLimited
        case 500...: isLost ? .outcomeUnknown : .serverFault
        default: answer == nil ? .brokenAnswer : .invalidFields
        }
    }

    /// A gateway lost the answer; or a page came in its place, as when the account is made and its mail fails.
    private var isLost: Bool {
        guard call.doubt != nil else { return false }
        return status == 502 || status == 504 || call == .signUp && answer == nil && status != 503
    }

    private func unauthenticated(_ answer: AllauthAnswer) -> AuthError.Reason {
        if answer.isAuthenticated { return .reauthenticationRequired }
        if answer.pending.contains(.secondFactor) { return .secondFactorRequired }
        if answer.pending.contains(.verifyEmail) { return .emailUnverified }
        switch call {
        // Said after the right password, or token.
        case .logIn, .facebookLogIn: return answer.pending.isEmpty ? .accountDisabled : .unsupported
        case .secondFactor: return answer.pending.isEmpty ? .sessionRevoked : .unsupported
        case .token: return .tokenRefused
        default: return .sessionRevoked
        }
    }

    private var conflict: AuthError.Reason {
        switch call {
        case .verification, .resend, .providers: .notFound
        default: .forbidden
        }
    }

    private var badRequest: AuthError.Reason {
        guard answer != nil else { return .brokenAnswer }
        // Without any reason: only this call is refused so.
        if call == .refresh { return .sessionExpired }
        let reasons = faults.map { Self.reason(of: $0, call) }
        guard let first = reasons.first else { return .invalidFields }
        // Something else must be changed, too.
        return reasons.allSatisfy { $0.outcome == first.outcome && $0 != .invalidFields } ? first : .invalidFields
    }

    /// Source: README of the recorded exchanges, section 3, "Errors".
    private static func reason(of fault: AllauthAnswer.Fault, _ call: AllauthErrors.Call) -> AuthError.Reason {
        switch fault.code {
        case "username_taken": .usernameTaken
        case "email_taken": .emailTaken
        case "username_password_mismatch", "email_password_mismatch", "incorrect_password", "enter_current_password":
            .wrongPassword
        case "too_many_login_attempts": .rateLimited
        case "incorrect_code": .wrongCode
        case "invalid_or_expired_key", "invalid_password_reset", "unknown_email", "account_not_found": .notFound
        case "invalid_choice", "invalid_pk_value": call == .endSession ? .notFound : .invalidFields
        case "invalid_token", "client_id_required", "token_required": .tokenRefused
        case "connected_other": .identityTaken
        case "no_password", "unverified_email": .forbidden
        case let code where code.hasPrefix("password_"): .weakPassword
        default: .invalidFields
        }
    }
}

extension AllauthAnswer.Fault {
    /// `nil`: it is about the request as a whole.
    var field: FieldFault? {
        let name: String? =
            switch parameter {
            case "new_password": "password"
            case "current_password": "currentPassword"
            default: parameter
            }
        return name.map { FieldFault($0, message, isServerText: true) }
    }
}
