package import JSON
package import Platform

/// Why a command failed.
package struct AuthError: Error, Sendable, Equatable {
    package var reason: Reason
    /// `OPERATION: CAUSE`, or only the cause before `explaining` adds the operation. Begins in lower case unless a name
    /// is first, and contains no final period and no secret.
    package var message: String
    /// What the user can do next, the best step first.
    package var nextSteps: [NextStep]
    package var fact: Fact?
    /// The status of the response that caused this error, and the server's own error if the response contains one.
    package var server: ServerDetail?
    /// Errors in individual fields, in the order in which they are shown.
    package var fields: [FieldFault]
    /// Whole seconds after which the server accepts another request.
    package var retryAfter: Int?
    /// Whether the operation succeeded and only a later step failed. `message` then describes the later step.
    package var isAfterSuccess = false
    /// Whether the request contained a proof of an identity, which the provider accepts only once.
    package var usedProof = false

    /// - Parameter step: a single next step; replaces `nextSteps`.
    package init(
        _ reason: Reason, _ message: String, fact: Fact? = nil, next step: NextStep? = nil,
        nextSteps: [NextStep] = [], server: ServerDetail? = nil, fields: [FieldFault] = [], retryAfter: Int? = nil
    ) {
        self.reason = reason
        self.message = message
        self.nextSteps = step.map { [$0] } ?? nextSteps
        self.fact = fact
        self.server = server
        self.fields = fields
        self.retryAfter = retryAfter
    }

    package static let sessionExpired = AuthError(.sessionExpired, "the session has expired")
    package static let sessionRevoked = AuthError(.sessionRevoked, "the session is no longer valid")

    package var outcome: Outcome { reason.outcome }

    /// Whether the same command may succeed later, without a change by the user. A proof of an identity that the server
    /// received is sent only once.
    /// A project that its platform has restricted or paused (402, 540) needs its owner first. Source: Supabase, "HTTP
    /// status codes".
    package var isRetryable: Bool {
        reason.isRetryable && !(reason == .serverFault && (usedProof || [402, 540].contains(server?.status)))
    }

    /// This error with a prefix that names the operation: `cannot log in as 'ada': wrong username or password`.
    package func explaining(_ failure: String) -> AuthError {
        var error = self
        error.message = "\(failure): \(message)"
        return error
    }

    package func suggesting(_ steps: NextStep...) -> AuthError { suggesting(steps) }

    /// This error with `steps` as its next steps, unless it already has next steps.
    package func suggesting(_ steps: [NextStep]) -> AuthError {
        var error = self
        if error.nextSteps.isEmpty { error.nextSteps = steps }
        return error
    }

    /// This error with one more next step, to take after the user has fixed the cause.
    package func suggesting(afterwards step: NextStep) -> AuthError {
        var (error, step) = (self, step)
        step.sentence = (nextSteps.isEmpty ? "after that is fixed, " : "then ") + step.sentence
        error.nextSteps.append(step)
        return error
    }
}

extension AuthError {
    /// A fact from the backend on which code decides.
    package enum Fact: Sendable, Equatable {
        /// An account has the entered name: only the password is wrong. `named` is its name if that differs in case.
        case accountExists(named: String?)
        /// No account has the entered name.
        case accountMissing
        /// The site identifies users by e-mail.
        case wantsEmail
        /// A signup is rejected only because of the username or e-mail, in words that may mean that it is taken.
        case nameMayBeTaken
        /// A login is rejected in words that may mean an unverified e-mail.
        case emailMayBeUnverified
        /// A login is denied although the password is right.
        case passwordIsRight
        /// The rate limit is not over in minutes.
        case limitIsLong
        /// The request needs the password of the account, or a first one. A login before it does not help.
        case wantsPassword
    }
}

/// The status and the error of a server's response. The strings are untrusted: output sanitizes and quotes them.
package struct ServerDetail: Sendable, Equatable {
    /// The HTTP status.
    package let status: Int
    /// The server's error code, a number or a word; `null` if there is none. For output, use `shownCode`.
    package let code: JSONValue
    /// The error code for output, with secrets masked.
    package let shownCode: JSONValue
    /// Facebook's second, more specific error code.
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
    /// The field's name in JSON output: authctl's name, such as `username` or `phone`, or the server's name.
    package let field: String
    package let message: String
    /// Whether the server wrote the message. Such a message is untrusted and shown in quotes.
    package let isServerText: Bool

    package init(_ field: String, _ message: String, isServerText: Bool = false) {
        self.field = field
        self.message = message
        self.isServerText = isServerText
    }

    /// The fault as a clause: "the e-mail is not a valid address".
    package var sentence: String {
        switch field {
        case "email": "the e-mail \(message)"
        case "passwordConfirmation": "the passwords do not match"
        default: "the \(field) \(message)"
        }
    }
}

/// A next step that helps the user: a short sentence and, if there is one, the command to run.
///
///     NextStep("reset the password", run: ["password", "reset", "ada@example.org"])
///
/// The command is a list of words without the program's name and without global options, because only the command layer
/// knows the global options in force. Words in capitals are placeholders for values.
package struct NextStep: Sendable, Equatable {
    /// Lowercase, without a period at the end.
    package var sentence: String
    /// The words of the command to run; empty if no command helps.
    package var command: [String]

    package init(_ sentence: String, run command: [String] = []) {
        self.sentence = sentence
        self.command = command
    }

    /// In a command, the name of the profile in use.
    package static let profile = "PROFILE"
    /// In a command after a request with a session, the login name of its account.
    package static let account = "ADDRESS"
    package static let linkAnother = NextStep("link another identity first", run: ["link", "PROVIDER"])
}

extension [String] {
    /// Returns a value as a positional argument, after `--` if the value begins with `-`.
    package static func argument(_ value: String) -> [String] { value.hasPrefix("-") ? ["--", value] : [value] }

    package static func option(_ name: String, _ value: String) -> [String] {
        value.hasPrefix("-") ? ["\(name)=\(value)"] : [name, value]
    }
}

extension NextStep: ExpressibleByStringInterpolation {
    package init(stringLiteral sentence: String) {
        self.init(sentence)
    }
}

extension AuthError {
    /// Converts a file error to the error that the user sees.
    package init(_ error: FileError) {
        self.init(Reason(error.kind), error.message, nextSteps: error.hints.map { NextStep($0) })
    }
}

extension AuthError.Reason {
    package init(_ kind: FileError.Kind) {
        switch kind {
        case .unreadable: self = .unreadable
        case .unsafe: self = .unsafe
        case .corrupt: self = .corrupt
        case .newerVersion: self = .newerVersion
        case .locked: self = .locked
        case .noSpace: self = .noSpace
        case .notWritten: self = .notWritten
        }
    }
}

/// Runs file operations and converts their errors to `AuthError`.
package func mappingFileErrors<Result: ~Copyable>(
    _ body: () throws(FileError) -> Result
) throws(AuthError) -> Result {
    do throws(FileError) {
        return try body()
    } catch {
        throw AuthError(error)
    }
}
