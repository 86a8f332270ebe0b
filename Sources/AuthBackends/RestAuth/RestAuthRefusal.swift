import AuthModel
import JSON
import Platform
import Transport

/// An answer that is no good one, and how the user is told of it.
struct RestAuthRefusal {
    private let status: Int
    private let isJSON: Bool
    /// With web tokens, why one was refused: `token_not_valid`.
    private let code: String?
    private let faults: RestAuthFaults
    private let waitingTime: Int?
    private let call: RestAuthErrors.Call

    init(
        _ response: HTTPResponse, _ body: JSONValue?, to request: HTTPRequest, _ call: RestAuthErrors.Call,
        now: Instant
    ) {
        status = response.status
        isJSON = body != nil
        code = body?["code"]?.string
        faults = RestAuthFaults(body, masking: request.masking)
        waitingTime = response.retryAfter(now: now)
        self.call = call
    }

    var error: AuthError {
        let reason = reason
        var error = AuthError(reason, message(for: reason), hint: hint(for: reason))
        let text = faults.texts.joined(separator: " ")
        error.server = ServerDetail(status: status, code: JSONValue(code), message: text.isEmpty ? nil : text)
        error.fields = faults.fields
        error.retryAfter = reason == .rateLimited ? waitingTime : nil
        return error
    }

    // MARK: - Why

    private var reason: AuthError.Reason {
        switch status {
        case 400: badRequest
        case 401: isJSON ? unauthenticated : .tokenRefused
        // A site whose first way to log in is a cookie.
        case 403: faults.hasText("Authentication credentials were not provided") ? unauthenticated : .forbidden
        case 404: notFound
        case 405: isMissingView ? .unsupported : .wrongEndpoint
        case 413: .invalidFields
        case 415: .unsupported
        case 429: .rateLimited
        case 503 where waitingTime != nil: .rateLimited
        case 500...: isLost ? .outcomeUnknown : .serverFault
        default: isJSON ? .invalidFields : .brokenAnswer
        }
    }

    /// A gateway lost the answer; or a page came in its place, as when the account is made and its mail fails.
    private var isLost: Bool {
        guard call.doubt != nil else { return false }
        return status == 502 || status == 504 || call == .signUp && !isJSON && status != 503
    }

    private var isMissingView: Bool { call.optionalView != nil }

    /// A page: there is no such view. JSON: there is, and it knows no such thing.
    private var notFound: AuthError.Reason {
        switch (isJSON, call) {
        case (true, .verification), (true, .disconnect): .notFound
        case (false, .refresh): .sessionExpired
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
        case .logIn: return .wrongPassword
        case .token: return .tokenRefused
        case .refresh: return .sessionExpired
        case .signUp, .reset, .resend, .verification, .secondFactor, .facebookLogIn: return .forbidden
        // With web tokens one that has run out is not told from a broken one in a way that is not words.
        case .session, .logOut, .passwordChange, .facebookLink, .socialAccounts, .disconnect: return .sessionRevoked
        }
    }
}

// MARK: - Words

extension RestAuthRefusal {
    private func message(for reason: AuthError.Reason) -> String {
        switch reason {
        case .wrongPassword:
            call == .passwordChange ? "the current password is wrong" : "wrong user name or password\(unusualText)"
        case .wrongCode: "the server does not accept the one-time code"
        case .usernameTaken: "the user name is taken"
        case .emailTaken: "the e-mail is taken"
        case .weakPassword: "the server finds the password too weak\(quoted(faults.fields.map(\.message)))"
        case .emailUnverified: "the e-mail is not verified yet"
        case .accountDisabled: "the account is disabled"
        case .sessionRevoked: "the server does not accept this session any more"
        case .sessionExpired: "the session has run out and cannot be renewed"
        case .tokenRefused: refusedToken
        case .notFound: call == .verification ? "the key is unknown, used, or has run out" : "there is no such identity"
        case .unsupported: unsupported
        case .wrongEndpoint: "there is no rest-auth at this address"
        case .brokenAnswer: "the server's answer makes no sense"
        case .rateLimited: status == 503 ? "the server is too busy" : "too many requests"
        case .serverFault: "the server failed"
        case .outcomeUnknown: "the answer was lost: \(isGateway ? "a gateway" : "a page") with status \(status) came"
        default: refusal
        }
    }

    private var isGateway: Bool { status == 502 || status == 504 }

    private var refusedToken: String {
        if status == 401, !isJSON { return "the server, or a gateway before it, asks for another authentication" }
        if code == "user_not_found" { return "the account does not exist any more" }
        switch call {
        case .facebookLogIn, .facebookLink: return "the server does not accept the Facebook token\(unusualText)"
        case .secondFactor: return "the server does not go on with this log-in\(unusualText)"
        default: return "the server does not accept this session"
        }
    }

    private var unsupported: String {
        if status == 415 { return "the server does not read JSON" }
        if faults.hasText("View is not defined") { return "the server's Facebook views fail: \"View is not defined\"" }
        return "the site has no view that \(call.optionalView?.purpose ?? "does that")"
    }

    /// `Must include "email" and "password".`
    private var wantsEmail: Bool { call == .logIn && faults.hasText("Must include \"email\"") }
    private var wantsUsername: Bool { call == .logIn && faults.hasText("Must include \"username\"") }

    /// A refusal that has no words of ours.
    private var refusal: String {
        if wantsEmail { return "the site knows people by their e-mail" }
        if wantsUsername { return "the site knows people by their user name" }
        let fields = Set(faults.fields.map(\.field)).count
        switch (faults.texts.isEmpty, fields) {
        case (true, 0):
            return status == 403 ? "the server, or a gateway before it, forbids it" : "the server refused it"
        case (true, 1):
            return "the server refused \(Self.name(of: faults.fields[0].field))\(quoted(faults.fields.map(\.message)))"
        case (true, _): return "the server refused \(fields) fields"
        case (false, _): return "the server refused it\(quoted(faults.texts))"
        }
    }

    /// What a server says that knows the person; English words that everybody hears are left out.
    private var unusualText: String {
        let usual = ["Unable to log in with provided credentials.", "Incorrect value", "Invalid username/password."]
        return quoted(faults.texts.filter { !usual.contains($0) })
    }

    private func quoted(_ texts: [String]) -> String {
        let text = String(texts.joined(separator: " ").prefix(300))
        return text.isEmpty ? "" : ": \"\(text)\""
    }

    private static func name(of field: String) -> String {
        switch field {
        case "username": "the user name"
        case "email": "the e-mail"
        case "password": "the password"
        default: "field '\(field)'"
        }
    }

    private func hint(for reason: AuthError.Reason) -> String? {
        switch reason {
        case .rateLimited: waitingTime.map { "try again after \($0) second\($0 == 1 ? "" : "s")" }
        case .outcomeUnknown: call.doubt
        case .unsupported: missingViewHint
        case .tokenRefused where status == 401 && !isJSON: "is that the server that is meant? check its URL"
        case .tokenRefused where call == .facebookLogIn || call == .facebookLink:
            "is it of the Facebook app that the site knows, and still good? can the site reach Facebook?"
        case .invalidFields where wantsEmail: "give the address in the place of the user name"
        case .invalidFields where wantsUsername: "give it in the place of the address"
        case .notFound where call == .verification: "have a new mail sent: authctl verify-email"
        case .emailTaken where call == .facebookLogIn:
            "an account has Facebook's address: log in to it, then link: authctl link-facebook"
        default: nil
        }
    }

    private var missingViewHint: String? {
        guard [404, 405].contains(status), let view = call.optionalView?.view else { return nil }
        return "if it stands elsewhere, name its path: authctl profile set NAME \(view.rawValue) PATH"
    }
}
