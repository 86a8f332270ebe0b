package import AuthModel

/// Validates a new account before it is sent, with the rules of the signup screens of apps.
///
/// Lengths count UTF-16 code units, as those screens do.
package enum AccountChecks {
    package static let shortestUsername = 3
    package static let shortestPassword = 8

    /// Returns all faults at once; empty for a valid account.
    package static func faults(of account: NewAccount) -> [FieldFault] {
        var faults: [FieldFault] = []
        if (account.username ?? "").utf16.count < shortestUsername {
            faults.append(FieldFault("username", "must have at least \(shortestUsername) characters"))
        }
        if let email = account.email, !isEmail(email) {
            faults.append(FieldFault("email", "is not an e-mail address"))
        }
        if let fault = passwordFault(account.password) { faults.append(fault) }
        return faults
    }

    static func passwordFault(_ password: Secret) -> FieldFault? {
        guard password.reveal().utf16.count < shortestPassword else { return nil }
        return FieldFault("password", "must have at least \(shortestPassword) characters")
    }

    /// Requires one `@`, something before it, a dotted domain after it, and no spaces or control characters.
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
