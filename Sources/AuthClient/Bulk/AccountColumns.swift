package import AuthModel
import Platform

/// A part of the description of an account, with the name of its CSV column or JSON member. All other columns are fields
/// of the user.
package enum AccountColumn: String, CaseIterable, Sendable {
    case id, username, email, phone, emailVerified, phoneVerified, disabled, password, passwordHash, claims, roles
    case identities, authData, fields

    /// The column whose name differs from `name` at most by case, white space, `-` and `_`.
    init?(almost name: String) {
        let word = Self.plain(name)
        let column = Self.allCases.first { $0.rawValue.lowercased() == (word == "passwd" ? "password" : word) }
        guard let column else { return nil }
        self = column
    }

    fileprivate static func plain(_ name: String) -> String {
        let plain = name.unicodeScalars.filter { !$0.properties.isWhitespace && $0 != "-" && $0 != "_" }
        return String(String.UnicodeScalarView(plain)).lowercased()
    }
}

/// What the names of the CSV columns or JSON members of an account file mean.
package enum AccountColumns: Sendable {
    /// The accounts are created on a server of this kind.
    case creation(BackendDescriptor)
    /// The accounts of a server of this kind are changed by `users set`.
    case changes(BackendDescriptor)
    /// The accounts are created by `serve --seed`, which also sets ids, identities and ACLs.
    case seed
    /// Only names and passwords are read, by `users login` and `users delete`.
    case credentials

    enum Meaning: Equatable {
        case column(AccountColumn)
        case field
        /// A field whose name suggests a secret, although not a password.
        case secret
        /// A member of an export that a signup cannot set.
        case leftOut
        /// Almost the name of the column `right`, or the target's own name for it, or another name with `password` if
        /// `right` is `nil`. It must not become a field: the server would store the password in the clear, and return it.
        case misnamed(right: String?)
    }

    /// The members of a Parse user that only the server sets, beside names that begin with `_`.
    private static let serverFields: Set<String> = [
        "objectId", "createdAt", "updatedAt", "className", "sessionToken", "bcryptPassword",
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
        if let column = AccountColumn(rawValue: name) { return .column(column) }
        if case .seed = self, name == "objectId" { return .column(.id) }
        if isLeftOut(name) { return .leftOut }
        if let right = AccountColumn(almost: name), right != .id || takesID { return .misnamed(right: right.rawValue) }
        if let right = backend?.accounts.otherNames[name] { return .misnamed(right: right) }
        return meaning(ofField: name)
    }

    /// Whether the field would store a password in the clear.
    package static func namesPassword(_ name: String) -> Bool {
        ["password", "passwd"].contains(where: AccountColumn.plain(name).holds)
    }

    /// The meaning of a member of the column `fields`.
    func meaning(ofField name: String) -> Meaning {
        if isLeftOut(name) { return .leftOut }
        if Self.namesPassword(name) { return .misnamed(right: nil) }
        return namesSecret(name) ? .secret : .field
    }

    private func isLeftOut(_ name: String) -> Bool {
        switch self {
        case .creation(let backend), .changes(let backend):
            backend.has(.hasParseUsers) && (Self.isServerField(name) || name == "ACL")
        case .seed, .credentials: Self.isServerField(name)
        }
    }

    private var takesID: Bool {
        switch self {
        case .creation(let backend): !backend.has(.takesServer)
        case .seed, .changes: true
        case .credentials: false
        }
    }

    /// The kind of server that the accounts are sent to; `nil` if they are sent to none.
    var backend: BackendDescriptor? {
        switch self {
        case .creation(let backend), .changes(let backend): backend
        case .seed, .credentials: nil
        }
    }

    /// The names of the identity providers that a row may contain; `nil` for any.
    var providers: [String]? {
        if case .creation(let backend) = self, !backend.has(.takesServer) { ["anonymous", "facebook"] } else { nil }
    }
}
