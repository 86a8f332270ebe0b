import AuthModel

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
        var hasLetter = false
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): hasLetter = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): break
            default: return false
            }
        }
        return hasLetter
    }
}
