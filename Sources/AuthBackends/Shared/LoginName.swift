import JSON

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
