import AuthModel
import JSON
import Platform
import Transport

/// An answer that is no good one, and how the user is told of it.
struct AllauthRefusal {
    private let status: Int
    private let answer: AllauthAnswer?
    private let faults: [AllauthAnswer.Fault]
    private let waitingTime: Int?
    private let call: AllauthErrors.Call

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
        case 401: answer.map(unauthenticated) ?? .tokenRefused
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

// MARK: - Words

extension AllauthRefusal {
    private func message(for reason: AuthError.Reason) -> String {
        switch reason {
        case .wrongPassword:
            call == .passwordChange ? "the current password is wrong" : "wrong user name or password"
        case .wrongCode: "the server does not accept the code"
        case .usernameTaken: "the user name is taken"
        case .emailTaken: "the e-mail is taken"
        case .identityTaken: "that Facebook identity belongs to another account"
        case .weakPassword: "the server finds the password too weak\(quoted)"
        case .emailUnverified: "the e-mail is not verified yet"
        case .secondFactorRequired: "the account has a second factor"
        case .accountDisabled: "the account is disabled"
        case .reauthenticationRequired: "the server wants a fresh proof of who this is"
        case .sessionRevoked where call == .secondFactor: "the log-in that waits for the code is gone"
        case .sessionRevoked: "the server does not accept this session any more"
        case .sessionExpired: "the session has run out and cannot be renewed"
        case .tokenRefused: refusedToken
        case .notFound: notFound
        case .unsupported: unsupported
        case .wrongEndpoint: "there is no headless allauth at this address"
        case .brokenAnswer: "the server's answer makes no sense"
        case .rateLimited: tooMany
        case .serverFault: "the server failed"
        case .outcomeUnknown: "the answer was lost: \(isGateway ? "a gateway" : "a page") with status \(status) came"
        case .forbidden: forbidden
        default: refusal
        }
    }

    private var isGateway: Bool { status == 502 || status == 504 }

    private var tooMany: String {
        switch (status, call) {
        case (503, _): "the server is too busy"
        case (400, .secondFactor): "too many wrong codes"
        case (400, _): "too many wrong passwords"
        case (403, .resend): "a mail was sent a short while ago"
        default: "too many requests"
        }
    }

    private var refusedToken: String {
        if status == 401, answer == nil { return "the server, or a gateway before it, asks for another authentication" }
        return call == .facebookLogIn || call == .facebookLink
            ? "the Facebook token is not accepted, or Facebook cannot be reached by the site"
            : "the server does not accept this session"
    }

    private var unsupported: String {
        switch call {
        case .sessions, .endSession: "the site does not keep a list of sessions"
        case .logIn, .secondFactor: "the site wants a step at the log-in that is not known here"
        case .facebookLogIn where status == 401: "the site wants a step at the log-in that is not known here"
        default: "the site does not take identities of other services"
        }
    }

    private var notFound: String {
        switch (status, call) {
        case (409, .verification): "nothing waits for a code"
        case (409, .resend): "nothing waits for a mail, or the site does not send it again"
        case (_, .verification): "the key is unknown, used, or has run out"
        case (_, .resend): "the account has no such address"
        case (_, .endSession): "there is no such session"
        default: "the server knows no such thing"
        }
    }

    private var forbidden: String {
        if faults.contains(where: { $0.code == "no_password" }) {
            return "the identity is the last way to log in: the account has no password"
        }
        switch (status, call) {
        case (403, .signUp) where answer != nil: return "the site is closed for sign-up"
        case (409, _) where faults.isEmpty: return "somebody is logged in already"
        case (403, _): return "the server, or a gateway before it, forbids it"
        default: return refusal
        }
    }

    /// A refusal that has no words of ours.
    private var refusal: String {
        let fields = Set(faults.compactMap { $0.field?.field })
        guard fields.count <= 1 else { return "the server refused \(fields.count) fields" }
        return fields.first.map { "the server refused \(FieldFault.spoken($0))\(quoted)" }
            ?? "the server refused it\(quoted)"
    }

    private var quoted: String {
        let text = String(faults.map(\.message).joined(separator: " ").prefix(300))
        return text.isEmpty ? "" : ": \"\(text)\""
    }

    private func hint(for reason: AuthError.Reason) -> String? {
        switch reason {
        case .rateLimited:
            waitingTime.map { "try again after \($0) second\($0 == 1 ? "" : "s")" }
                ?? (status == 400 ? "the right password is refused, too, for some minutes" : nil)
        case .outcomeUnknown: call.doubt
        case .tokenRefused where status == 401 && answer == nil: "is that the server that is meant? check its URL"
        case .tokenRefused where call == .facebookLogIn || call == .facebookLink:
            "is it of the Facebook app that the site knows, and still good?"
        case .secondFactorRequired where call == .facebookLogIn:
            "log in with the password and the code: authctl login --otp CODE USERNAME"
        case .forbidden where faults.contains(where: { $0.code == "no_password" }):
            "choose a password first: authctl password reset ADDRESS"
        case .notFound where status == 409:
            "log in again: authctl login; with the right password a new mail is sent"
        default: nil
        }
    }
}

extension AllauthAnswer.Fault {
    /// `nil`: it is about the request as a whole.
    fileprivate var field: FieldFault? {
        let name: String? =
            switch parameter {
            case "new_password": "password"
            case "current_password": "currentPassword"
            default: parameter
            }
        return name.map { FieldFault($0, message, isServerText: true) }
    }
}
