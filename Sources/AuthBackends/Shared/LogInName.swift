import JSON

/// The name of a login. Sites take a user name, an e-mail, or either.
enum LogInName: Equatable {
    case username(String)
    case email(String)
    /// It is not known which: a site that takes one of them ignores the other.
    case either(String)

    /// A user name may hold an at sign, too.
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
