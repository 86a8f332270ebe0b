import AuthModel
import JSON
import Platform
import Transport

/// A response that is not a good one, as the error reader of its backend understood it.
struct ErrorResponse {
    let operation: Operation
    let status: Int
    /// `nil`: not JSON.
    let body: JSONValue?
    /// Whether the request must not be sent a second time, so that a lost response leaves its outcome unknown.
    var isSentOnce: Bool
    /// Whether the body has the form that this kind of server writes. Anything else may come from a gateway in front of
    /// it, and says nothing of accounts and sessions.
    var isFromServer: Bool
    /// Whether the body told no reason.
    var isReasonOfStatus = false
    /// The server's own code: a number or a word.
    var code: JSONValue = .null
    /// A second, more exact code, as Facebook has one.
    var subcode: Int64?
    /// The server's words for the request as a whole.
    var texts: [String] = []
    /// The server's words for single fields.
    var fields: [FieldFault] = []
    /// Whole seconds.
    var retryAfter: Int?
    /// Masks what is masked in the response.
    private let redactor: SecretRedactor

    /// - Parameter now: the time that an HTTP date in `Retry-After` is compared with.
    init(_ response: HTTPResponse, to request: HTTPRequest, _ operation: Operation, now: Instant) {
        self.operation = operation
        status = response.status
        body = response.json
        isFromServer = response.json != nil
        isSentOnce = operation.uncertainOutcome != nil && !request.isRepeatable
        retryAfter = response.retryAfter(now: now)
        redactor = SecretRedactor(request)
    }

    /// A response that the server wrote to say that the user is not, or not quite, logged in.
    init(status: Int, body: JSONValue, _ operation: Operation) {
        self.operation = operation
        self.status = status
        self.body = body
        isFromServer = true
        isSentOnce = false
        redactor = SecretRedactor([])
    }

    /// A phrase of the server as this response has it: a password such as `verified` is masked in it.
    func masked(_ phrase: String) -> String { redactor.redact(phrase) }

    /// Whether a text begins so, in any case.
    func hasText(_ start: String) -> Bool {
        let start = masked(start).lowercased()
        return texts.contains { $0.lowercased().hasPrefix(start) }
    }

    // MARK: - The status

    /// The reason where the body does not tell one. Source: RFC 9110, section 15; RFC 6585, section 4.
    var reasonOfStatus: AuthError.Reason {
        switch status {
        // Servers name the reason of a rejected session; a gateway does not.
        case 401, 403: .forbidden
        case 404, 405: .wrongEndpoint
        case 413, 415: .invalidFields
        case 429: .rateLimited
        case 503 where retryAfter != nil: .rateLimited
        case 500...: .serverFault
        case 400..<500 where isFromServer: .invalidFields
        default: .brokenAnswer
        }
    }

    /// Whether the request may have had its effect: a gateway lost the response of the server, or a page came in its place,
    /// as when an account is made and its e-mail cannot be sent.
    ///
    /// - Parameter writesErrorPages: whether the server itself answers its own faults with a page.
    func meansLostResponse(writesErrorPages: Bool) -> Bool {
        guard isSentOnce, status >= 500, status != 503 else { return false }
        return status == 502 || status == 504 || !isFromServer && (operation == .signUp || !writesErrorPages)
    }
}

// MARK: - Words

extension ErrorResponse {
    /// What the user is told of a reason, unless the backend has words of its own.
    func words(for reason: AuthError.Reason) -> String {
        switch reason {
        case .wrongPassword:
            operation == .changePassword ? "the current password is wrong" : "wrong username or password"
        case .wrongCode:
            operation == .verifyEmail
                ? "wrong or expired code" : "wrong or expired one-time code"
        case .usernameTaken: "the username is already taken"
        case .emailTaken: "the e-mail is already taken"
        case .identityTaken: "the Facebook identity belongs to another account"
        case .emailUnverified: "the e-mail is not verified yet"
        case .secondFactorRequired: "the account requires a second factor"
        case .accountDisabled: "the account is disabled"
        case .accountLocked: "the account is locked after too many wrong passwords"
        case .sessionRevoked: "the server no longer accepts this session"
        case .sessionExpired: "the session has expired and cannot be refreshed"
        case .tokenRefused:
            operation.sendsFacebookToken
                ? "the server rejects the Facebook token" : "the server rejects this session"
        case .weakPassword: "the server rejects the password as too weak" + quotedField
        case .notFound: missing
        case .badAppKey: "the server rejects the application id or key"
        case .rateLimited: status == 503 ? "the server is too busy" : "too many requests"
        case .serverFault: "the server failed"
        case .outcomeUnknown:
            "\([502, 504].contains(status) ? "a gateway" : "an error page") responded with status \(status); the outcome is unknown"
        case .brokenAnswer: "invalid response"
        default: rejection
        }
    }

    private var missing: String {
        switch operation {
        case .verifyEmail: "the key is unknown, used or expired"
        case .revokeSession, .revokeSessions: "unknown session"
        case .unlinkFacebook: "the identity is not linked"
        case .requestPasswordReset, .sendVerification: "no account has this e-mail"
        default: "not found on the server"
        }
    }

    /// A rejection without a reason of ours, in the server's words.
    var rejection: String {
        let names = Set(fields.map(\.field))
        switch (status, texts.isEmpty, names.count) {
        case (401, _, _) where isReasonOfStatus:
            return "a proxy or gateway requires authentication"
        case (403, true, 0): return "the server or a gateway forbids the request"
        case (413, _, _): return "the request is too large for the server"
        case (415, _, _): return "the server does not accept JSON"
        case (_, _, 2...): return "the server rejects \(names.count) fields"
        case (_, true, 1): return "the server rejects \(fields[0].spokenField)\(quotedField)"
        default: return "the server rejects the request\(quoted(texts))"
        }
    }

    /// The same without the server's words.
    var unquotedRejection: String {
        var response = self
        (response.texts, response.fields) = ([], [])
        return response.rejection
    }

    /// The server's words for the only field at fault. Several are listed below the message.
    private var quotedField: String { fields.count == 1 ? quoted(fields.map(\.message)) : "" }

    func quoted(_ texts: [String]) -> String {
        let text = texts.joined(separator: " ").start(300)
        return text.isEmpty ? "" : ": \"\(text)\""
    }

    /// What to do next, unless the backend knows better.
    func nextSteps(for reason: AuthError.Reason) -> [NextStep] {
        switch reason {
        case .rateLimited: retryAfter.map { ["try again after \($0) second\($0 == 1 ? "" : "s")"] } ?? []
        case .outcomeUnknown: operation.uncertainOutcome.map { [$0] } ?? []
        case .forbidden where status == 401 && isReasonOfStatus: ["check the server URL"]
        case .tokenRefused where operation.sendsFacebookToken:
            ["use a current token of the server's Facebook app"]
        default: []
        }
    }
}

extension FieldFault {
    /// The field in a sentence.
    fileprivate var spokenField: String {
        switch field {
        case "username": "the username"
        case "email": "the e-mail"
        case "password": "the password"
        default: "field '\(field)'"
        }
    }
}
