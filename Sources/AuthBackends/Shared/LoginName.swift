import AuthModel
import JSON
import Platform

/// The name of a login. Sites accept a username, an e-mail address, or either.
enum LoginName: Equatable {
    case username(String)
    case email(String)
    /// The kind is unknown. A site that accepts one kind ignores the other field.
    case either(String)

    /// A username may also contain `@`.
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
    /// Whether a login returned another user than the one who logs in: that session must not be saved.
    ///
    /// Only ids and plain usernames are compared. Servers need not return the e-mail address of the login (an account
    /// can have several), and may write a name with punctuation or non-ASCII letters differently. Parse Server returns
    /// names and addresses exactly as saved, so `ParseBackend` has a stricter rule.
    func isAnother(than asked: User) -> Bool {
        if let id, let known = asked.id, id != known { return true }
        guard let name = username, let typed = asked.username, typed.isPlainName else { return false }
        return name.lowercased() != typed.lowercased()
    }
}

extension String {
    /// ASCII letters and digits, with at least one letter.
    fileprivate var isPlainName: Bool {
        utf8.allSatisfy { $0.isASCIILetterOrDigit } && utf8.contains { $0.isASCIILetter }
    }
}
