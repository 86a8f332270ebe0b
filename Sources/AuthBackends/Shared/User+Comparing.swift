import AuthModel
import JSON
import Platform

/// The name that a user logs in with. A site accepts usernames, e-mail addresses, or both.
enum LoginName: Equatable {
    case username(String)
    case email(String)
    /// A username or an e-mail address, sent in both the username and the e-mail field. A site ignores the field that
    /// it does not use, but may reject an e-mail field that is not an address.
    case either(String)

    /// Treats a login with `@` as ambiguous, because a username may also contain `@`.
    init(_ login: String) {
        self = login.utf8.contains(UInt8(ascii: "@")) ? .either(login) : .username(login)
    }

    var text: String {
        switch self {
        case .username(let name), .email(let name), .either(let name): name
        }
    }

    var fields: JSONObject {
        switch self {
        case .username(let name): ["username": .string(name)]
        case .email(let address): ["email": .string(address)]
        case .either(let login): ["username": .string(login), "email": .string(login)]
        }
    }
}

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
