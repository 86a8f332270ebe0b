import AuthModel
import JSON
import Platform
import Transport

/// An error response. The backend's `ErrorTable` reads the code, messages and fields from the body.
struct ErrorResponse {
    let operation: Operation
    var method = HTTPRequest.Method.get
    let status: Int
    /// `nil` if the body is not JSON.
    let body: JSONValue?
    /// Whether the body is an HTML page, which no API sends to say why it rejects a session.
    let isPage: Bool
    /// Whether the request must not be retried. If its response is lost, the outcome is unknown.
    var isSentOnce: Bool
    /// Whether the body has the format of the backend's server. Any other body may come from a gateway and is no
    /// evidence about accounts or sessions.
    var isFromServer: Bool
    /// Whether the reason is derived from the status, because it cannot be derived from the body.
    var isReasonOfStatus = false
    /// The error code in the body, a number or a word; `null` if there is none.
    var code: JSONValue = .null
    /// A second, more specific error code. Only Facebook sends it.
    var subcode: Int64?
    /// The server's error messages that concern the whole request.
    var texts: [String] = []
    /// The server's error messages that concern single fields.
    var fields: [FieldFault] = []
    /// The error codes of fields, if the server sends them.
    var fieldCodes: [String: String] = [:]
    /// Whether `WWW-Authenticate` names the scheme of a token: `Token`, `Bearer`, or that of the request.
    var asksForToken = false
    /// Whether there is a field `WWW-Authenticate`.
    var isChallenge = false
    /// The beginning of a body that is not JSON.
    var plainText = ""
    /// The whole body.
    var bytes: [UInt8] = []
    /// The URL of the request.
    var url = ""
    /// The time to wait before another attempt, in whole seconds.
    var retryAfter: Int?
    /// Masks the response text that an error shows. Reasons are read from the unmasked text.
    let masker: Masker

    init(_ response: ServerResponse) {
        operation = response.operation
        (method, url) = (response.request.method, response.request.url)
        status = response.http.status
        body = response.http.json
        isFromServer = body != nil
        isPage = response.http.body.first { $0 > UInt8(ascii: " ") } == UInt8(ascii: "<")
        // An error from `authctl api` reports the response status, never an unknown outcome.
        isSentOnce = operation.hasEffect && !response.request.isIdempotent && operation != .callAPI
        let sent = response.request.headers["Authorization"].map { $0.prefix { $0 != " " }.lowercased() }
        asksForToken = response.http.schemes.contains { ["token", "bearer", sent].contains($0.lowercased()) }
        isChallenge = response.http.headers["WWW-Authenticate"] != nil
        if body == nil { plainText = String(decoding: response.http.body.prefix(1000), as: UTF8.self) }
        bytes = response.http.body
        retryAfter = response.http.retryAfter(now: response.now)
        masker = response.masker
    }

    /// A 401 response from the account server: the user is not logged in, or a step of the login is pending.
    init(status: Int, body: JSONValue, _ operation: Operation, _ masker: Masker) {
        self.operation = operation
        self.status = status
        self.body = body
        isFromServer = true
        isPage = false
        isSentOnce = false
        self.masker = masker
    }

    /// Whether an error message for the whole request begins with this phrase, ignoring case.
    func hasText(_ start: String) -> Bool {
        let start = start.lowercased()
        return texts.contains { $0.lowercased().hasPrefix(start) }
    }

    // MARK: - The status

    /// The reason that the status implies, used if no reason can be derived from the body. Source: RFC 9110, section
    /// 15; RFC 6585, section 4.
    var reasonOfStatus: AuthError.Reason {
        switch status {
        case 401 where operation == .callAPI: .tokenRefused
        case 404 where operation == .callAPI, 410 where operation == .callAPI: .notFound
        case 409 where operation == .callAPI: .conflict
        case 400..<500 where operation == .callAPI && ![403, 429].contains(status): .invalidFields
        // Not `sessionRevoked`: an account server states in the body why it rejects a session, but a gateway does not.
        case 401, 403: .forbidden
        case 404, 405: .wrongEndpoint
        // Plain web servers know only some methods.
        case 501 where operation != .callAPI && !isFromServer: .wrongEndpoint
        case 413, 415: .invalidFields
        case 429: .rateLimited
        case 503 where retryAfter != nil: .rateLimited
        // Not the server, but a captive portal. Source: RFC 6585, section 6.
        case 511 where operation != .callAPI: .proxy
        case 500...: .serverFault
        case 400..<500 where isFromServer: .invalidFields
        default: .invalidResponse
        }
    }

    /// Whether the request may have succeeded: a gateway received no response, or the server sent an error page, for
    /// example because it created an account but could not send the verification e-mail.
    ///
    /// - Parameter writesErrorPages: whether the server itself reports internal errors as an HTML page. If so, an
    ///   error page makes only the outcome of a signup unknown.
    func meansLostResponse(writesErrorPages: Bool) -> Bool {
        guard isSentOnce, status >= 500, status != 503 else { return false }
        return status == 502 || status == 504 || !isFromServer && (operation == .signUp || !writesErrorPages)
    }
}

// MARK: - Messages

extension ErrorResponse {
    /// The default message for a reason. An `ErrorTable` can override it.
    func words(for reason: AuthError.Reason) -> String {
        if status == 511 { return "the network requires a login (HTTP 511)" }
        if operation == .callAPI, isReasonOfStatus { return "the server responded with HTTP \(status)\(quoted(texts))" }
        return switch reason {
        case .wrongPassword:
            [.verifyPassword, .changePassword].contains(operation)
                ? "the current password is wrong" : "wrong username or password"
        case .wrongCode:
            [.verifyEmail, .finishPasswordReset].contains(operation)
                ? "wrong or expired code" : "wrong or expired one-time code"
        case .usernameTaken: "the username is already taken"
        case .emailTaken: "the e-mail is already taken"
        case .phoneTaken: "the phone number is already taken"
        case .identityTaken: "the identity belongs to another account"
        case .emailUnverified: "the e-mail is not verified yet"
        case .secondFactorRequired: "the account requires a second factor"
        case .accountDisabled: "the account is disabled"
        case .passwordExpired: "the password is correct, but it has expired"
        case .accountLocked: "the account is locked after too many wrong passwords"
        case .sessionRevoked: AuthError.sessionRevoked.message
        case .sessionExpired: AuthError.sessionExpired.message
        case .tokenRefused:
            operation.sendsProof
                ? "the server rejects the proof of the identity" : "the session was rejected"
        case .weakPassword: "the password is too weak" + quotedField
        case .notFound: missing
        case .badAppKey: "the server rejects the application id or key"
        case .rateLimited:
            (status == 503 ? "the server is too busy" : "too many requests")
                + ([.sendLogInCode, .secondFactor].contains(operation) ? quoted(texts) : "")
        case .serverFault: "the server failed"
        case .outcomeUnknown:
            "the \([502, 504].contains(status) ? "gateway returned an error" : "server returned an error page") (HTTP \(status)); the outcome is unknown"
        case .invalidResponse:
            refusedHost.map { "the server rejects the host '\($0)' (HTTP 400)" } ?? "invalid response"
        default: rejection
        }
    }

    /// The next steps that follow from the reason and the operation alone.
    func steps(for reason: AuthError.Reason) -> [NextStep] {
        switch (status, reason) {
        case (511, _): ["log in to the network, for example in a browser"]
        case (401, _) where operation == .callAPI && isPage:
            ["the response is a page, possibly from a proxy or gateway that requires authentication"]
        case (401, .forbidden) where isReasonOfStatus: ["check the server URL"]
        case (403, .forbidden) where meansForgery:
            [
                "add the origin of the server URL to CSRF_TRUSTED_ORIGINS in the site's settings",
                "if the site is behind a proxy with https, set SECURE_PROXY_SSL_HEADER, too",
            ]
        case (400, .invalidResponse) where refusedHost != nil:
            ["add the host to ALLOWED_HOSTS in the site's settings, or use a server URL with a host that it allows"]
        case (_, .outcomeUnknown): operation.stepsToCheck
        case (_, .rateLimited): retryAfter.map { ["try again after \($0) second\($0 == 1 ? "" : "s")"] } ?? []
        case (_, .tokenRefused) where operation.sendsProof: [.newProof]
        default: []
        }
    }

    private var missing: String {
        switch operation {
        case .verifyEmail, .finishPasswordReset: "the key is unknown, used or expired"
        case .impersonate: "no user has that username"
        case .revokeSession, .revokeSessions: "unknown session"
        case .unlinkIdentity: "the identity is not linked"
        case .requestPasswordReset, .sendVerification: "no account has that address"
        case .callAPI: "not found on the server" + quoted(texts)
        default: "not found on the server"
        }
    }

    /// The message for a rejection without a specific reason. Some of these messages quote the server.
    var rejection: String {
        let names = Set(fields.map(\.field))
        switch (status, texts.isEmpty, names.count) {
        case (401, _, _) where isReasonOfStatus:
            return "a proxy or gateway requires authentication"
        case (403, _, 0) where meansForgery: return "the site rejects the origin or the CSRF token of the request"
        case (403, true, 0): return "the server or a gateway forbids the request"
        case (413, _, _): return "the request is too large for the server"
        case (415, _, _): return "the server does not accept JSON"
        case (_, _, 2...): return "\(names.count) fields were rejected"
        case (_, true, 1): return "\(fields[0].spokenField) was rejected\(quotedField)"
        default: return "the request was rejected\(quoted(texts))"
        }
    }

    /// The message of `rejection` without the quote from the server.
    var unquotedRejection: String {
        var response = self
        (response.texts, response.fields) = ([], [])
        return response.rejection
    }

    /// The server's message about a field; empty if there is no such message, or more than one. Several messages are
    /// listed below authctl's message.
    private var quotedField: String { fields.count == 1 ? quoted(fields.map(\.message)) : "" }

    /// The joined strings in quotes, after a colon; empty if there is no text. They are masked before truncation, which
    /// could split a secret.
    func quoted(_ texts: [String], atMost count: Int = 300) -> String {
        let text = masker.mask(texts.joined(separator: " ")).start(count)
        return text.isEmpty ? "" : ": \"\(text)\""
    }

    /// The masked error code. Even a number can be a secret, such as a one-time code.
    var shownCode: JSONValue { codeText == code.plainText ? code : .string(codeText) }
    var codeText: String { masker.mask(code.plainText) }

    /// Returns the fault with its server text masked. `ErrorTable.read` has already masked the field name.
    func masked(_ fault: FieldFault) -> FieldFault {
        fault.isServerText ? FieldFault(fault.field, masker.mask(fault.message), isServerText: true) : fault
    }
}

extension NextStep {
    static let newProof: NextStep = "get a new token or code, issued for the app that the server is configured for"
    static let resetPassword = NextStep("set a password first", run: ["password", "reset", "ADDRESS"])
    static let firstPassword: NextStep =
        "to set one, use --new-password-file FILE alone, without the current password"
    static let firstEmail = NextStep(
        "give it an e-mail and a password", run: ["account", "update", "--email", "ADDRESS", "--password-file", "FILE"])
    /// A code from an e-mail is not sufficient.
    static let wholeLink: NextStep = "give the whole link from the e-mail: use --key-stdin"

    /// - Parameter setting: the key of the setting for the path of a view.
    static func setPath(_ setting: String) -> NextStep {
        NextStep("if the view has another path, set it", run: ["profile", "set", Self.profile, setting, "PATH"])
    }
}

extension HTTPResponse {
    /// The words in `WWW-Authenticate` that a token can follow, such as `Token`. Source: RFC 9110, section 11.6.1.
    var schemes: [String] {
        headers.values("WWW-Authenticate").flatMap { $0.split(separator: ",") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
            .filter { word in
                word.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_".utf8.contains($0) }
                    && !["basic", "digest", "negotiate", "ntlm"].contains(word.lowercased())
            }
    }
}

extension JSONValue {
    fileprivate var plainText: String { string ?? text }
}

extension FieldFault {
    /// Returns a field name from the server, masked and truncated. Common names such as `email` are not masked.
    static func name(_ name: String, _ masker: Masker) -> String {
        knownNames.contains(name) ? name : masker.mask(name).start(200)
    }

    private static let knownNames: Set = [
        "username", "email", "password", "password1", "password2", "new_password1", "new_password2", "old_password",
    ]

    var spokenField: String {
        switch field {
        case "username": "the username"
        case "email": "the e-mail"
        case "password": "the password"
        default: "field '\(field)'"
        }
    }
}

extension Operation {
    /// The next steps after a request with an unknown outcome: check the outcome, or repeat the request.
    var stepsToCheck: [NextStep] {
        switch self {
        case .signUp: ["the account may exist; to check, log in with the same name and password"]
        case .logInAnonymously: ["run the login again to get another anonymous user"]
        case .refresh: ["if the next command fails with exit code 4, log in again"]
        case .changePassword:
            ["the password may be changed and the session revoked; to check, log in with the new password"]
        case .requestPasswordReset, .sendVerification, .sendLogInCode:
            ["the e-mail may have been sent: check the inbox before you try again"]
        case .finishPasswordReset: ["the password may be changed; to check, log in with the new one"]
        case .verifyEmail: ["the e-mail may be verified; to check, log in"]
        case .updateUser: ["check the account before you try again"]
        case .deleteAccount: ["the account may be deleted; to check, log in"]
        case .callAPI: ["the request may have had its effect: check before you send it again"]
        case .logInWithIdentity, .linkIdentity: ["get a new token or code, then run the command again"]
        case .revokeSessions, .unlinkIdentity, .changeUser: ["run the command again: repeating it is safe"]
        case .revokePermissions: ["to check, see 'Apps and websites' in the settings on Facebook"]
        default: []
        }
    }
}
