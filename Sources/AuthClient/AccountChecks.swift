package import AuthModel

/// Validates a new account before the signup request, with the rules of common signup screens.
///
/// Lengths are counted in UTF-16 code units, as signup screens count them.
package enum AccountChecks {
    package static let shortestUsername = 3
    package static let shortestPassword = 8

    static let missingUsername = FieldFault("username", "is missing")
    private static let shortUsername = FieldFault("username", "must have at least \(shortestUsername) characters")
    private static let malformedEmail = FieldFault("email", "is not a valid address")
    private static let shortPassword = FieldFault("password", "must have at least \(shortestPassword) characters")

    /// Whether only authctl, and not every server, rejects the value, so that `--skip-checks` helps.
    static func canSkip(_ fault: FieldFault) -> Bool { [shortUsername, malformedEmail, shortPassword].contains(fault) }

    /// Returns every fault in the fields of a new account; empty if the account is valid.
    package static func faults(of account: NewAccount) -> [FieldFault] {
        faults(username: account.username, email: account.email)
            + [account.password.flatMap(passwordFault)].compactMap(\.self)
    }

    /// Returns the faults in the username and e-mail. May be called before the user enters a password.
    package static func faults(username: String?, email: String?) -> [FieldFault] {
        [usernameFault(username ?? ""), email.flatMap(emailFault)].compactMap(\.self)
    }

    package static func usernameFault(_ username: String) -> FieldFault? {
        if username.isEmpty { return missingUsername }
        return username.utf16.count < shortestUsername ? shortUsername : nil
    }

    package static func emailFault(_ email: String) -> FieldFault? {
        isEmail(email) ? nil : malformedEmail
    }

    package static func passwordFault(_ password: Secret) -> FieldFault? {
        password.reveal().utf16.count < shortestPassword ? shortPassword : nil
    }

    /// Requires at least one character, one `@` and a dotted domain, without white space or control characters.
    static func isEmail(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return false }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.allSatisfy({ !$0.isEmpty }) else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            !scalar.properties.isWhitespace && scalar.properties.generalCategory != .control
        }
    }
}

extension [FieldFault] {
    var summary: String { count == 1 ? self[0].sentence : "\(count) fields are invalid" }
}
