package import JSON

/// Why a command failed.
package struct AuthError: Error, Sendable, Equatable {
    package var reason: Reason
    /// What failed, its subject in quotes, the cause after a colon; no capital, no full stop, no secret.
    package var message: String
    /// What the user can do next, the best step first.
    package var nextSteps: [NextStep]
    /// A fact that the backend reports in addition to the reason, because it decides the next step.
    package var fact: Fact?
    /// The operation that failed, if a response or its absence is the cause.
    package var operation: Operation?
    package var evidence = Evidence.local
    /// The server's own error, if it sent one.
    package var server: ServerDetail?
    /// Errors in single fields, in the order in which they were found.
    package var fields: [FieldFault]
    /// The session that replaces the session of the request. Some servers issue a new token even in an error response.
    package var replacement: Session?
    /// The server's token of the unfinished login that this error interrupts, if the login can be finished.
    package var pendingToken: Secret?
    /// Whole seconds after which the server accepts another request.
    package var retryAfter: Int?
    /// Whether the operation succeeded and only a later step failed. The message says so.
    package var isAfterSuccess = false

    package init(
        _ reason: Reason, _ message: String, nextSteps: [NextStep], server: ServerDetail? = nil,
        fields: [FieldFault] = [], retryAfter: Int? = nil
    ) {
        self.reason = reason
        self.message = message
        self.nextSteps = nextSteps
        self.server = server
        self.fields = fields
        self.retryAfter = retryAfter
    }

    package init(
        _ reason: Reason, _ message: String, next step: NextStep? = nil, server: ServerDetail? = nil,
        fields: [FieldFault] = [], retryAfter: Int? = nil
    ) {
        self.init(
            reason, message, nextSteps: step.map { [$0] } ?? [], server: server, fields: fields, retryAfter: retryAfter)
    }

    /// The error of a backend, which reports a fact and leaves the advice to its caller.
    package init(
        _ reason: Reason, _ message: String, _ fact: Fact, server: ServerDetail? = nil, fields: [FieldFault] = []
    ) {
        self.init(reason, message, nextSteps: [], server: server, fields: fields)
        self.fact = fact
    }

    package var outcome: Outcome { reason.outcome }

    /// The same error with a prefix that names the operation: `cannot log in as 'ada': wrong username or password`.
    package func explaining(_ failure: String) -> AuthError {
        var error = self
        error.message = "\(failure): \(message)"
        return error
    }

    /// The same error with next steps, unless it has some already.
    package func suggesting(_ steps: NextStep...) -> AuthError { suggesting(steps) }

    /// The same error with next steps, unless it has some already.
    package func suggesting(_ steps: [NextStep]) -> AuthError {
        var error = self
        if error.nextSteps.isEmpty { error.nextSteps = steps }
        return error
    }

    /// The same error with a step to take after its cause is fixed.
    package func suggesting(afterwards step: NextStep) -> AuthError {
        var (error, step) = (self, step)
        step.sentence = (nextSteps.isEmpty ? "after that is fixed, " : "then ") + step.sentence
        error.nextSteps.append(step)
        return error
    }
}

extension AuthError {
    /// Where the reason comes from.
    package enum Evidence: Sendable, Equatable {
        /// A check of authctl, or a request without a response.
        case local
        /// The status of a response, whose body tells nothing.
        case status
        /// The body of a response.
        case body
    }

    /// A fact that calls for a certain next step, whatever the command.
    package enum Fact: Sendable, Equatable {
        /// The account of the session was deleted.
        case accountDeleted
        /// Another identity of the provider is linked already, and the server replaces none.
        case anotherIdentityLinked
        /// The user of a password change has no name to log in with.
        case lacksLoginName
        /// The account has no password, so that its last identity cannot be unlinked.
        case lacksPassword
        /// The server requires the id of the identity in addition to the token.
        case lacksIdentityID
        /// The server requires an access token in addition to the ID token, or the reverse.
        case lacksSecondToken
        /// The site accepts no tokens, as its settings for REST framework say.
        case lacksTokenAuthentication
        /// Minutes until the account accepts a password again; `nil`: the server does not say.
        case locked(minutes: Int?)
        /// A code from an e-mail is not sufficient; its link contains more.
        case needsWholeLink
        /// The code belongs to another account, or to none that is logged in.
        case needsLoginOfCode
        /// The names of the providers that the site accepts.
        case otherProviders([String])
        /// The link in the e-mail is of another application.
        case otherApplication
        /// The link in the e-mail is for another command.
        case otherPurpose([String])
        /// The site issues cookies in place of tokens.
        case issuesNoToken
        /// The path of a request lacks its final slash; with it, the path is this one.
        case missingSlash(path: String)
        /// The site has no view at this path. The key of the setting for another path.
        case missingView(setting: String)
        /// Local accounts accept no identities of this provider.
        case onlyFacebook
        /// The site sends an e-mail only to users who log in.
        case sendsOnlyAtLogin
        /// A username or e-mail of local accounts that differs only in case.
        case similarName(String)
        /// The site identifies users by the other kind of name.
        case wantsEmail, wantsUsername
        /// The site has a redirect URI for codes.
        case wantsNoRedirectURI
    }
}

/// An error as the server reported it: untrusted data, shown sanitised and in quotes.
package struct ServerDetail: Sendable, Equatable {
    /// HTTP status.
    package let status: Int
    /// The server's own code: a number or a word; `null` without one. For decisions; errors show `shownCode`.
    package let code: JSONValue
    /// The code, with secrets masked.
    package let shownCode: JSONValue
    /// The more specific of two codes; Facebook sends it.
    package let subcode: Int64?
    package let message: String?

    package init(
        status: Int, code: JSONValue = .null, shownCode: JSONValue? = nil, subcode: Int64? = nil,
        message: String? = nil
    ) {
        self.status = status
        self.code = code
        self.shownCode = shownCode ?? code
        self.subcode = subcode
        self.message = message
    }
}

/// What is wrong with one field.
package struct FieldFault: Sendable, Equatable {
    /// As in JSON output: `username`, `email`, `password`, `passwordConfirmation`, or the server's own name.
    package let field: String
    package let message: String
    /// Whether the server wrote the message: untrusted data, shown in quotes.
    package let isServerText: Bool

    package init(_ field: String, _ message: String, isServerText: Bool = false) {
        self.field = field
        self.message = message
        self.isServerText = isServerText
    }

    /// "the e-mail is not a valid address".
    package var sentence: String {
        switch field {
        case "email": "the e-mail \(message)"
        case "passwordConfirmation": "the passwords do not match"
        default: "the \(field) \(message)"
        }
    }
}

// MARK: - Reasons

extension AuthError {
    /// The reason, more specific than the outcome. The raw values appear in JSON output.
    package enum Reason: String, Sendable, CaseIterable {
        case `internal`

        case usage
        case unknownProfile = "unknown-profile"
        case plainHTTP = "plain-http"

        case noSession = "no-session"

        case wrongPassword = "wrong-password"
        case wrongCode = "wrong-code"
        case sessionRevoked = "session-revoked"
        case sessionExpired = "session-expired"
        case tokenRefused = "token-refused"
        case cancelled

        case secondFactorRequired = "second-factor-required"
        case emailUnverified = "email-unverified"
        case accountLocked = "account-locked"
        case accountDisabled = "account-disabled"
        case passwordExpired = "password-expired"
        case reauthenticationRequired = "reauthentication-required"
        case forbidden
        case badAppKey = "bad-app-key"

        case usernameTaken = "username-taken"
        case emailTaken = "email-taken"
        case identityTaken = "identity-taken"
        case conflict

        case invalidFields = "invalid-fields"
        case weakPassword = "weak-password"
        case notFound = "not-found"

        case dns, connect, tls, proxy, timeout
        case invalidResponse = "invalid-response"
        case wrongEndpoint = "wrong-endpoint"
        case redirect
        case outcomeUnknown = "outcome-unknown"

        case serverFault = "server-fault"
        case rateLimited = "rate-limited"

        case unsupported

        case unreadable, unsafe, corrupt
        case newerVersion = "newer-version"
        case locked
        case noSpace = "no-space"
        case notWritten = "not-written"
    }
}

extension AuthError.Reason {
    package var outcome: Outcome {
        switch self {
        case .internal: .failure
        case .usage, .unknownProfile, .plainHTTP: .usage
        case .noSession: .notLoggedIn
        case .wrongPassword, .wrongCode, .sessionRevoked, .sessionExpired, .tokenRefused, .cancelled: .rejected
        case .secondFactorRequired, .emailUnverified, .accountLocked, .accountDisabled, .passwordExpired,
            .reauthenticationRequired, .forbidden, .badAppKey:
            .actionNeeded
        case .usernameTaken, .emailTaken, .identityTaken, .conflict: .conflict
        case .invalidFields, .weakPassword, .notFound: .invalid
        case .dns, .connect, .tls, .proxy, .timeout, .invalidResponse, .wrongEndpoint, .redirect, .outcomeUnknown:
            .unreachable
        case .serverFault, .rateLimited: .serverError
        case .unsupported: .unsupported
        case .unreadable, .unsafe, .corrupt, .newerVersion, .locked, .noSpace, .notWritten: .storage
        }
    }

    /// Whether the same command may succeed later with nothing changed here.
    package var isRetryable: Bool {
        switch self {
        case .dns, .connect, .proxy, .timeout, .serverFault, .rateLimited, .locked: true
        default: false
        }
    }

    /// Whether the server reported that the session is invalid. No other error says that.
    package var meansInvalidSession: Bool {
        self == .sessionRevoked || self == .sessionExpired
    }
}
