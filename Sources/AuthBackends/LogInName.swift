import JSON

/// What somebody who logs in is called. Sites take a user name, an e-mail, or either.
enum LogInName: Equatable {
    case username(String)
    case email(String)
    /// Where it is not known which: a site that takes one of them does not look at the other.
    case either(String)

    /// A user name may hold the sign, too.
    init(_ login: String) {
        self = login.utf8.contains(UInt8(ascii: "@")) ? .either(login) : .username(login)
    }

    var fields: JSONObject {
        switch self {
        case .username(let name): ["username": .string(name)]
        case .email(let address): ["email": .string(address)]
        case .either(let login): ["username": .string(login), "email": .string(login)]
        }
    }
}
