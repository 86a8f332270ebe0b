import AuthModel
import JSON
import Platform
import Transport

/// An answer that is no good one, and how the user is told of it.
struct ParseRefusal {
    let status: Int
    let code: Int64?
    /// The server's words, without what was sent in secret.
    let text: String?
    let call: ParseErrors.Call
    private let isJSON: Bool
    private let waitingTime: Int?

    init(
        _ response: HTTPResponse, _ body: JSONObject?, to request: HTTPRequest, _ call: ParseErrors.Call, now: Instant
    ) {
        status = response.status
        code = body?["code"]?.integer
        text = (body?["error"]?.string ?? body?["message"]?.string).map(request.masking)
        isJSON = body != nil
        waitingTime = response.retryAfter(now: now)
        self.call = call
    }

    var error: AuthError {
        let reason = reason
        var error = AuthError(reason, message(for: reason), hint: hint(for: reason))
        error.server = ServerDetail(status: status, code: code.map(JSONValue.integer) ?? .null, message: text)
        error.fields = fields(for: reason)
        error.retryAfter = retryAfter(for: reason)
        return error
    }

    private var reason: AuthError.Reason {
        if isLocked { return .accountLocked }
        let reason = code.flatMap { ParseErrors.reason(for: $0, call) } ?? statusReason
        let isLost = status == 502 || status == 504 || status >= 500 && status != 503 && !isJSON
        return reason == .serverFault && isLost && call.doubt != nil ? .outcomeUnknown : reason
    }

    private var statusReason: AuthError.Reason {
        ParseErrors.reason(forStatus: status, hasCode: code != nil, isJSON: isJSON, retryAfter: waitingTime)
    }

    // MARK: - A locked account

    /// Only the text tells it from wrong credentials; the same in all versions.
    private var isLocked: Bool {
        guard code == 101, call == .logIn || call == .secondFactor else { return false }
        return text?.hasPrefix("Your account is locked due to multiple failed login attempts.") ?? false
    }

    /// From `… Please try again after 5 minute(s)`.
    private var lockedMinutes: Int? {
        let words = (text ?? "").split(separator: " ")
        guard let unit = words.lastIndex(where: { $0.hasPrefix("minute") }), unit > 0,
            words[unit - 1].utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int(words[unit - 1])
    }

    private func retryAfter(for reason: AuthError.Reason) -> Int? {
        switch reason {
        case .accountLocked: lockedMinutes.map { min($0, RetryAfter.longest / 60) * 60 }
        case .rateLimited: waitingTime
        default: nil
        }
    }
}

// MARK: - Words

extension ParseRefusal {
    private func message(for reason: AuthError.Reason) -> String {
        switch reason {
        case .accountLocked: "the account is locked after too many wrong passwords"
        case .wrongCode: reason.words(status: status) + quotedText
        case .identityTaken: "the identity belongs to another account"
        case .tokenRefused where call == .identity: "the server does not accept the other service's token"
        case .serverFault: reason.words(status: status) + quotedText
        case .wrongEndpoint: "there is no Parse server at this address"
        case .forbidden, .invalidFields, .unsupported: refusal
        default: reason.words(status: status)
        }
    }

    /// A refusal that has no words of ours, such as one of a site's own hooks.
    private var refusal: String {
        switch (code, status) {
        case (nil, 401), (nil, 403): AuthError.Reason.forbidden.words(status: status)
        case (nil, 413): "the request is too large for the server"
        case (nil, 415): "the server does not read this kind of text"
        case (nil, _): "the server refused it"
        case (let code?, _): "the server refused it" + (quotedText.isEmpty ? " (code \(code))" : quotedText)
        }
    }

    /// Without a code, or with one of the server's own faults, the text may quote what was sent, or SQL.
    private var quotedText: String {
        guard let code, code > 1, let text else { return "" }
        return ": \"\(text.start(200))\" (code \(code))"
    }

    private func hint(for reason: AuthError.Reason) -> String? {
        switch reason {
        case .accountLocked:
            "try again \(lockedMinutes.map { "in \($0) minute\($0 == 1 ? "" : "s")" } ?? "later"): "
                + "until then the right password is refused, too"
        case .rateLimited: waitingTime.map { "try again after \($0) second\($0 == 1 ? "" : "s")" }
        case .emailUnverified: call == .signUp ? "the account is made: follow the link in its mail" : nil
        case .forbidden where status == 401:
            "is that the server that is meant? Parse Server itself does not ask in this way; check its URL"
        case .wrongEndpoint: "check the URL of the server and its mount path, such as /parse"
        case .outcomeUnknown: call.doubt
        default: nil
        }
    }

    private func fields(for reason: AuthError.Reason) -> [FieldFault] {
        switch reason {
        case .usernameTaken: [FieldFault("username", "is taken")]
        case .emailTaken: [FieldFault("email", "is taken")]
        case .weakPassword: [FieldFault("password", "is too weak")]
        default: []
        }
    }
}
