package import JSON

/// Why a command could not do what was asked.
package struct AuthError: Error, Sendable, Equatable {
    package var reason: Reason
    /// What failed, its subject in quotes, the cause after a colon; no capital, no full stop, no secret.
    package var message: String
    /// What the user can do next, the best step first.
    package var nextSteps: [NextStep]
    /// What the server said, where it said anything.
    package var server: ServerDetail?
    /// Faults of single fields, in the order in which they were found.
    package var fields: [FieldFault]
    /// The session that takes the place of the one the request was made with: some servers give one in a refusal, too.
    package var replacement: Session?
    /// What the server knows an unfinished log-in by that this refusal interrupts, where it can be gone on with.
    package var pendingToken: Secret?
    /// Whole seconds after which the server allows another try.
    package var retryAfter: Int?
    /// Whether what was asked for is done, and only what has to follow it failed. The message says so.
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

    package var outcome: Outcome { reason.outcome }

    /// The same error, saying first what could not be done: `cannot log in as 'ada': wrong user name or password`.
    package func explaining(_ failure: String) -> AuthError {
        var error = self
        error.message = "\(failure): \(message)"
        return error
    }

    /// The same error with next steps, unless it has some already.
    package func suggesting(_ steps: NextStep...) -> AuthError {
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

/// What a server said when it refused: data, shown sanitised and in quotes.
package struct ServerDetail: Sendable, Equatable {
    /// HTTP status.
    package let status: Int
    /// The server's own code: a number or a word; `null` without one.
    package let code: JSONValue
    /// What tells more exactly, where a server has two of them, as Facebook.
    package let subcode: Int64?
    package let message: String?

    package init(status: Int, code: JSONValue = .null, subcode: Int64? = nil, message: String? = nil) {
        self.status = status
        self.code = code
        self.subcode = subcode
        self.message = message
    }
}

/// What is wrong with one field.
package struct FieldFault: Sendable, Equatable {
    /// As in the documents: `username`, `email`, `password`, `passwordConfirmation`, or the server's own word.
    package let field: String
    package let message: String
    /// Whether the message is the server's: data, shown in quotes.
    package let isServerText: Bool

    package init(_ field: String, _ message: String, isServerText: Bool = false) {
        self.field = field
        self.message = message
        self.isServerText = isServerText
    }
}

// MARK: - Reasons

extension AuthError {
    /// Why, more exactly than the outcome; the words stand in JSON.
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
        case reauthenticationRequired = "reauthentication-required"
        case forbidden
        case badAppKey = "bad-app-key"

        case usernameTaken = "username-taken"
        case emailTaken = "email-taken"
        case identityTaken = "identity-taken"

        case invalidFields = "invalid-fields"
        case weakPassword = "weak-password"
        case notFound = "not-found"

        case dns, connect, tls, proxy, timeout
        case brokenAnswer = "broken-answer"
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
        case .secondFactorRequired, .emailUnverified, .accountLocked, .accountDisabled, .reauthenticationRequired,
            .forbidden, .badAppKey:
            .actionNeeded
        case .usernameTaken, .emailTaken, .identityTaken: .conflict
        case .invalidFields, .weakPassword, .notFound: .invalid
        case .dns, .connect, .tls, .proxy, .timeout, .brokenAnswer, .wrongEndpoint, .redirect, .outcomeUnknown:
            .unreachable
        case .serverFault, .rateLimited: .serverError
        case .unsupported: .unsupported
        case .unreadable, .unsafe, .corrupt, .newerVersion, .locked, .noSpace, .notWritten: .storage
        }
    }

    /// Whether the same command may work later with nothing changed here.
    package var isRetryable: Bool {
        switch self {
        case .dns, .connect, .proxy, .timeout, .serverFault, .rateLimited, .locked: true
        default: false
        }
    }

    /// Whether the server said that this session is none: only then it is dead.
    package var meansDeadSession: Bool {
        self == .sessionRevoked || self == .sessionExpired
    }
}
