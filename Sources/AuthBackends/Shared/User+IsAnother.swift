import AuthModel
import Platform

extension User {
    /// Whether a server answers with another user than the one who logs in: that session must not be saved.
    ///
    /// Only an id and a plain user name are compared. Servers need not show the e-mail of the login (an account can have
    /// several), and may write a name with signs or beyond ASCII in another way. Parse Server returns names and e-mails
    /// exactly as saved, so `ParseBackend` has a stricter rule.
    func isAnother(than asked: User) -> Bool {
        if let id, let known = asked.id, id != known { return true }
        guard let name = username, let typed = asked.username, typed.isPlainName else { return false }
        return name.lowercased() != typed.lowercased()
    }
}

extension String {
    /// Letters of ASCII, at least one, and digits.
    fileprivate var isPlainName: Bool {
        utf8.allSatisfy { $0.isASCIILetterOrDigit } && utf8.contains { $0.isASCIILetter }
    }
}
