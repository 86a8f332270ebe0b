package import JSON
package import Platform

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

    /// - Parameters:
    ///   - fact: for an error of a backend, which leaves the advice to its caller.
    ///   - step: the only next step; instead of `nextSteps`.
    package init(
        _ reason: Reason, _ message: String, _ fact: Fact? = nil, next step: NextStep? = nil,
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

    package var outcome: Outcome { reason.outcome }

    /// The same error with a prefix that names the operation: `cannot log in as 'ada': wrong username or password`.
    package func explaining(_ failure: String) -> AuthError {
        var error = self
        error.message = "\(failure): \(message)"
        return error
    }

    /// See `suggesting(_:)` with an array.
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
        /// Another identity of the provider is linked already, and the server does not replace it.
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
        /// The code is valid only for the session of its account.
        case needsLoginOfCode
        /// The names of the providers that the site accepts.
        case otherProviders([String])
        /// The link in the e-mail belongs to another application.
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

/// A next step that helps the user: a short sentence and, if there is one, the command to run.
///
///     NextStep("reset the password", run: ["password", "reset", "ada@example.org"])
///
/// The command is a list of words without the program's name and without global options: only the command layer knows
/// how a command line is written and which options are in force. Words in capitals stand for values to fill in.
package struct NextStep: Sendable, Equatable {
    /// Lower case, no full stop.
    package var sentence: String
    /// Empty if no command helps.
    package var command: [String]

    package init(_ sentence: String, run command: [String] = []) {
        self.sentence = sentence
        self.command = command
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
