import AuthModel
import JSON
import Platform
import Transport

/// An answer that is no good one, and how the user is told of it.
struct RestAuthRefusal {
    let status: Int
    let isJSON: Bool
    /// With web tokens, why one was refused: `token_not_valid`.
    let code: String?
    let faults: RestAuthFaults
    let waitingTime: Int?
    let call: RestAuthErrors.Call

    init(
        _ response: HTTPResponse, _ body: JSONValue?, to request: HTTPRequest, _ call: RestAuthErrors.Call,
        now: Instant
    ) {
        status = response.status
        isJSON = body != nil
        code = body?["code"]?.string.map(request.masking)
        faults = RestAuthFaults(body, masking: request.masking)
        waitingTime = response.retryAfter(now: now)
        self.call = call
    }

    var error: AuthError {
        let reason = reason
        var error = AuthError(reason, message(for: reason), hint: hint(for: reason))
        let text = faults.texts.joined(separator: " ")
        error.server = ServerDetail(status: status, code: JSONValue(code), message: text.isEmpty ? nil : text)
        error.fields = isOfGateway ? [] : faults.fields
        error.retryAfter = reason == .rateLimited ? waitingTime : nil
        return error
    }

    // MARK: - Why

    private var reason: AuthError.Reason {
        switch status {
        case 400: badRequest
        case 401: isOfGateway ? .forbidden : unauthenticated
        // A site whose first way to log in is a cookie.
        case 403: isWithoutCredentials ? unauthenticated : .forbidden
        case 404: notFound
        case 405: isMissingView ? .unsupported : .wrongEndpoint
        case 413: .invalidFields
        case 406, 415: .unsupported
        case 429: .rateLimited
        case 503 where waitingTime != nil: .rateLimited
        case 500...: isLost ? .outcomeUnknown : .serverFault
        default: isJSON ? .invalidFields : .brokenAnswer
        }
    }

    /// The REST framework says why it refuses a session; what does not is no word on one.
    var isOfGateway: Bool { status == 401 && faults.texts.isEmpty }

    /// A gateway lost the answer; or a page came in its place, as when the account is made and its mail fails.
    private var isLost: Bool {
        guard call.doubt != nil else { return false }
        return status == 502 || status == 504 || call == .signUp && !isJSON && status != 503
    }

    private var isWithoutCredentials: Bool { faults.hasText("Authentication credentials were not provided") }

    private var isMissingView: Bool { call.optionalView != nil }

    /// A page: there is no such view. JSON: there is, and it knows no such thing.
    private var notFound: AuthError.Reason {
        switch (isJSON, call) {
        case (true, .verification), (true, .disconnect): .notFound
        case (_, .refresh): .sessionExpired
        default: isMissingView ? .unsupported : .wrongEndpoint
        }
    }

    private var badRequest: AuthError.Reason {
        guard isJSON else { return .brokenAnswer }
        switch call {
        case .signUp: return newAccountFault
        case .logIn: return logInFault
        case .secondFactor: return faults.isOnly("code") ? .wrongCode : .tokenRefused
        case .passwordChange: return passwordFault
        case .facebookLogIn, .facebookLink: return facebookFault
        case .refresh: return .sessionExpired
        // Said where a site takes no log-out without a session that it knows.
        case .logOut: return faults.hasText("You should be logged in") ? .sessionRevoked : .invalidFields
        case .session, .token, .reset, .resend, .verification, .socialAccounts, .disconnect: return .invalidFields
        }
    }

    /// Taken, or too weak, only if nothing else is wrong: then something must be changed in any case.
    private var newAccountFault: AuthError.Reason {
        if !faults.fields.isEmpty, faults.texts.isEmpty, faults.fields.allSatisfy(\.meansTaken) {
            return faults.fields[0].field == "username" ? .usernameTaken : .emailTaken
        }
        let isWeak = faults.isOnly("password") && !faults.fields.contains(where: \.meansMissing)
        return isWeak ? .weakPassword : .invalidFields
    }

    private var logInFault: AuthError.Reason {
        if !faults.fields.isEmpty || faults.hasText("Must include") { return .invalidFields }
        if faults.hasText("E-mail is not verified") || faults.hasText("Email is not verified") {
            return .emailUnverified
        }
        if faults.hasText("User account is disabled") { return .accountDisabled }
        if faults.hasText("Too many failed login attempts") { return .rateLimited }
        return .wrongPassword
    }

    private var passwordFault: AuthError.Reason {
        if faults.fields.contains(where: { $0.field == "currentPassword" }) { return .wrongPassword }
        let isWeak = faults.isOnly("password") && !faults.fields.contains(where: \.meansMissing)
        return isWeak ? .weakPassword : .invalidFields
    }

    private var facebookFault: AuthError.Reason {
        if faults.texts.contains(where: { $0.holds("already registered") }) { return .emailTaken }
        // The older package with a newer REST framework.
        return faults.hasText("View is not defined") ? .unsupported : .tokenRefused
    }

    private var unauthenticated: AuthError.Reason {
        if code == "user_inactive" || faults.hasText("User inactive") || faults.hasText("No active account found") {
            return call == .logIn ? .wrongPassword : .accountDisabled
        }
        // There is nothing to renew then, and these sites fail when they are asked to.
        if code == "user_not_found", call != .logIn { return .tokenRefused }
        switch call {
        // Who must be logged in to log in has not been told that the password is wrong.
        case .logIn: return isWithoutCredentials ? .forbidden : .wrongPassword
        case .token: return .tokenRefused
        case .refresh: return .sessionExpired
        case .signUp, .reset, .resend, .verification, .secondFactor, .facebookLogIn: return .forbidden
        // With web tokens one that has run out is not told from a broken one in a way that is not words.
        case .session, .logOut, .passwordChange, .facebookLink, .socialAccounts, .disconnect: return .sessionRevoked
        }
    }
}
