package import AuthModel

/// What the names of the CSV columns or JSON members of an account file mean.
package enum AccountColumns: Sendable {
    /// The accounts are created on a server of this kind.
    case creation(BackendDescriptor)
    /// The accounts are created by `serve --seed`, which also sets ids, identities, ACLs and `emailVerified`.
    case seed
    /// Only names and passwords are read, by `users login` and `users delete`.
    case credentials

    enum Meaning: Equatable {
        /// A column with this name: `id`, `username`, `email`, `password` or `authData`.
        case column(String)
        case field
        /// A field whose name suggests a secret, although not a password.
        case secret
        /// A member of an export that a signup cannot set.
        case leftOut
        /// Almost the name of the column `right`, or another name with `password` if `right` is `nil`. It must not become
        /// a field: the server would store the password in the clear, and return it.
        case misnamed(right: String?)
    }

    private static let columns = ["id", "username", "email", "password", "authData"]

    /// The members of a Parse user that only the server sets, beside names that begin with `_`.
    private static let serverFields: Set<String> = [
        "objectId", "createdAt", "updatedAt", "className", "emailVerified", "sessionToken", "bcryptPassword",
    ]

    /// Whether only a Parse server can set the field, so that no request for a new account may contain it.
    package static func isServerField(_ name: String) -> Bool { serverFields.contains(name) || name.hasPrefix("_") }

    /// The fault of a field whose name is not a Parse name. A Parse Server drops such a field of a new user without an
    /// error. Source: the exchange `signup.invalid-field-name`.
    package static func nameFault(_ name: String) -> FieldFault? {
        let isParseName =
            name.utf8.first?.isASCIILetter == true
            && name.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") }
        return isParseName
            ? nil : FieldFault(name, "has an invalid name (use letters, digits and '_', beginning with a letter)")
    }

    func meaning(of name: String) -> Meaning {
        if Self.columns.contains(name) { return .column(name) }
        if case .seed = self, name == "objectId" { return .column("id") }
        if isLeftOut(name) { return .leftOut }
        let word = String(String.UnicodeScalarView(name.trimmed.filter { $0 != "-" && $0 != "_" })).lowercased()
        let right =
            word == "passwd" ? "password" : Self.columns.first { $0.lowercased() == word && ($0 != "id" || takesID) }
        if right != nil || ["password", "passwd"].contains(where: word.contains) { return .misnamed(right: right) }
        return namesSecret(name) ? .secret : .field
    }

    private func isLeftOut(_ name: String) -> Bool {
        switch self {
        case .creation(let backend):
            backend.has(.hasParseUsers) && (Self.isServerField(name) || name == "ACL")
        case .seed: Self.isServerField(name) && name != "emailVerified"
        case .credentials: Self.isServerField(name)
        }
    }

    private var takesID: Bool {
        switch self {
        case .creation(let backend): !backend.has(.takesServer)
        case .seed: true
        case .credentials: false
        }
    }

    /// The names of the identity providers that a row may contain; `nil` for any.
    var providers: [String]? {
        if case .creation(let backend) = self, !backend.has(.takesServer) { ["anonymous", "facebook"] } else { nil }
    }
}

extension String {
    /// The text without white space at its ends.
    fileprivate var trimmed: Substring.UnicodeScalarView {
        let start = unicodeScalars.drop { $0.properties.isWhitespace }
        let end = start.lastIndex { !$0.properties.isWhitespace }
        return end.map { start[...$0] } ?? start[..<start.startIndex]
    }
}
