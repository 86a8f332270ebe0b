import AuthModel
import Platform

extension User {
    /// Whether a login returned a user other than the requested one. A session of the wrong user must not be saved.
    ///
    /// Only ids and plain usernames are compared. A server may return an e-mail address other than the one in the login
    /// (an account can have several), and may return a name with punctuation or non-ASCII letters in a different
    /// spelling. Parse Server returns names and addresses exactly as saved, so `ParseBackend` has a stricter rule.
    func isAnother(than asked: User) -> Bool {
        if let id, let known = asked.id, id != known { return true }
        guard let name = username, let typed = asked.username, typed.isPlainName else { return false }
        return name.lowercased() != typed.lowercased()
    }
}

extension String {
    /// Whether the string consists of ASCII letters and digits, with at least one letter.
    fileprivate var isPlainName: Bool {
        utf8.allSatisfy { $0.isASCIILetterOrDigit } && utf8.contains { $0.isASCIILetter }
    }
}
