import AuthModel
import Platform

/// The purpose of the link or code in an e-mail.
package enum MailPurpose: Sendable {
    case verifyEmail, changeEmail, recoverEmail, resetPassword, logIn

    fileprivate var act: String {
        switch self {
        case .verifyEmail: "verifies an e-mail"
        case .changeEmail: "changes the e-mail"
        case .recoverEmail: "restores an earlier e-mail"
        case .resetPassword: "resets a password"
        case .logIn: "logs in"
        }
    }
}

extension MailPurpose? {
    /// - Throws: `BackendError` `usage` for another purpose. A link may not tell its purpose.
    func require(_ wanted: MailPurpose) throws(BackendError) {
        if let self, self != wanted { throw .isFor(self) }
    }
}

extension BackendError {
    /// The error for a link that is for another purpose than the command.
    ///
    /// - Parameter words: what the message says about the link; `nil` for what it does.
    static func isFor(_ purpose: MailPurpose, _ words: String? = nil) -> BackendError {
        let command: [String] =
            switch purpose {
            case .resetPassword: ["password", "reset"]
            case .logIn: ["login", "ADDRESS"]
            case .verifyEmail, .changeEmail, .recoverEmail: ["verify-email"]
            }
        return BackendError(
            .usage, "the link \(words ?? purpose.act)",
            next: NextStep("use the command of this link", run: command + ["--key-stdin"]))
    }
}
