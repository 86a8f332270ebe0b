/// A step that the server requires before it creates a session.
package struct Pending: Sendable, Equatable {
    package enum Step: String, Sendable {
        /// The user must follow the link in an e-mail, or enter the code from the e-mail.
        case emailVerification = "email-verification"
        /// The user must enter the code from a text message.
        case phoneVerification = "phone-verification"
        /// The user must enter the code, or paste the link, that the server sends for each login.
        case logInCode = "login-code"
        /// The user must enter the code of the second factor.
        case secondFactor = "second-factor"
        /// The user must choose another password: the key of the reset is used up, but the token is not.
        case newPassword = "new-password"
    }

    package let step: Step
    /// The server's token for the unfinished signup, login or reset, if it can be resumed.
    package var token: Secret?
    /// `false` if the response does not show whether the address already belonged to an account.
    package let isCertain: Bool
    /// Whether an account with this address, not verified, may have existed before the signup. Its password stays.
    package let mayHaveExisted: Bool
    /// The error for a command that cannot go on without the step, with the server's detail.
    package let error: AuthError

    package init(
        _ step: Step, token: Secret? = nil, isCertain: Bool = true, mayHaveExisted: Bool = false,
        error: BackendError? = nil
    ) {
        self.step = step
        self.token = token
        self.isCertain = isCertain
        self.mayHaveExisted = mayHaveExisted
        let isAddress = step == .emailVerification || step == .phoneVerification
        self.error =
            error?.shown
            ?? (isAddress
                ? AuthError(.emailUnverified, "the account's e-mail is not verified")
                : AuthError(.secondFactorRequired, "the account requires a second factor"))
    }

    /// Whether the signup created the account; `nil` if the response does not show it.
    package var createdAccount: Bool? { isCertain ? !mayHaveExisted : nil }

    package static let emailVerification = Pending(.emailVerification)
}

package enum SignUpOutcome: Sendable, Equatable {
    case session(NewSession)
    case waits(Pending, User)
    /// The account exists, but the response contained no usable session. A login may create a session.
    case created(User)

    package var user: User {
        switch self {
        case .session(let new): new.user
        case .waits(_, let user), .created(let user): user
        }
    }
}

package enum LogInOutcome: Sendable, Equatable {
    case session(NewSession)
    /// The user is `nil` if the response does not show it.
    case waits(Pending, User?)

    /// The outcome of a login whose error may show that it waits.
    package init(_ logIn: @autoclosure () throws(BackendError) -> NewSession) throws(BackendError) {
        do throws(BackendError) {
            self = .session(try logIn())
        } catch {
            self = try error.waiting()
        }
    }

    /// - Throws: the error of the step that the login waits for.
    package func session() throws(AuthError) -> NewSession {
        switch self {
        case .session(let new): new
        case .waits(let pending, _): throw pending.error
        }
    }

    /// - Parameter created: whether the request created the account; `nil` if the server does not report it.
    package func created(_ created: Bool?) -> LogInOutcome {
        guard case .session(var new) = self else { return self }
        new.createdAccount = created
        return .session(new)
    }
}

extension BackendError {
    /// The answer of a login that this error shows to wait for a step.
    ///
    /// - Parameters:
    ///   - step: the step that needs a code, if it is not a second factor.
    ///   - token: the server's token for the login.
    /// - Throws: this error if the login has failed.
    package func waiting(for step: Pending.Step? = nil, token: Secret? = nil) throws(BackendError) -> LogInOutcome {
        switch shown.reason {
        case .secondFactorRequired: .waits(Pending(step ?? .secondFactor, token: token, error: self), nil)
        case .emailUnverified: .waits(Pending(.emailVerification, token: token, error: self), nil)
        default: throw self
        }
    }
}
