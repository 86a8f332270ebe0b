package import AuthModel
package import JSON
package import Platform

/// An account from an input file, or a generated account.
package struct AccountRow: Sendable, Equatable {
    /// The row number; 1 for the first account.
    package let number: Int
    /// The line on which the row starts, counted from 1; 0 if the account is not from a file.
    package var line = 0
    /// The id of the new user; `nil` if the server chooses it.
    package var id: String?
    /// The id in the input, if the account's new id is to be written beside it.
    var oldID: String?
    package var username: String?
    package var email: String?
    package var phone: String?
    package var password: Secret?
    package var passwordHash: Secret?
    /// Whether the account is to have no password, because its users log in by their identities alone.
    var isWithoutPassword = false
    package var state = AccountState()
    /// Identities with their proofs, by provider, as Parse servers take them.
    package var authData: JSONObject?
    /// Linked identities, each with the members `provider` and `id`. No target takes them.
    var identities: [JSONValue] = []
    /// The values of the JSON members or CSV columns that are no part of the account otherwise, and of the column
    /// `fields`.
    package var fields: JSONObject = [:]
    /// A hash of the row in the input, but not of its password.
    var digest = ""

    /// The name of the account in messages and at login.
    package var name: String { username ?? email ?? phone ?? "" }

    /// The row with the username as the server stores it, if that differs only by case.
    func named(as user: User) -> AccountRow {
        guard let name = user.username, name.lowercased() == username?.lowercased() else { return self }
        var row = self
        row.username = name
        return row
    }

    /// Whether the user has the id that the row wants. Servers show UUIDs in lower case.
    func wantsID(of user: User) -> Bool { id == nil || id?.lowercased() == user.id?.lowercased() }

    /// The name of the JSON member that contains `name` in credentials, tokens and ids files.
    var nameMember: String { username != nil ? "username" : email != nil ? "email" : "phone" }

    /// Whether the row says how its users log in.
    var hasPassword: Bool { password != nil || passwordHash != nil || isWithoutPassword }

    var newAccount: NewAccount {
        var fields = fields
        if let authData { fields["authData"] = .object(authData) }
        return NewAccount(
            id: id, username: username, email: email, phone: phone, password: password,
            passwordHash: passwordHash.flatMap(HashedPassword.init), fields: fields, state: state)
    }

    /// The columns of the row, without the password.
    ///
    /// - Parameters:
    ///   - otherNames: names of columns of other targets, which no field may have beside the columns.
    ///   - showsHash: whether to include the password hash, which is a secret.
    package func columns(apartFrom otherNames: [String] = [], showsHash: Bool = false) -> JSONObject {
        var row: JSONObject = [:]
        row["id"] = id.map(JSONValue.string)
        (row["username"], row["email"], row["phone"]) = (
            JSONValue(username), JSONValue(email), phone.map { .string($0) }
        )
        row["emailVerified"] = state.emailVerified.map(JSONValue.bool)
        row["phoneVerified"] = state.phoneVerified.map(JSONValue.bool)
        row["disabled"] = state.disabled.map(JSONValue.bool)
        if showsHash { row["passwordHash"] = passwordHash.map { .string($0.reveal()) } }
        if !state.claims.isEmpty { row["claims"] = .object(state.claims) }
        if !state.roles.isEmpty { row["roles"] = JSONValue(state.roles) }
        if !identities.isEmpty { row["identities"] = .array(identities) }
        row["authData"] = authData.map(JSONValue.object)
        let isApart = { AccountColumn(almost: $0) != nil || otherNames.contains($0) }
        row.members += fields.members.filter { !isApart($0.name) }
        let rest = JSONObject(fields.members.filter { isApart($0.name) })
        if !rest.isEmpty { row["fields"] = .object(rest) }
        return row
    }

    /// What the target must be able to keep, for each column that has a value: nothing where the value says no more than
    /// its absence.
    var parts: [(column: AccountColumn, part: AccountParts)] {
        [
            (.id, id == nil ? [] : .id), (.username, username == nil ? [] : .username),
            (.email, email == nil ? [] : .email),
            (.phone, phone == nil ? [] : email == nil ? .phone : [.phone, .emailAndPhone]),
            (.emailVerified, state.emailVerified.map { $0 ? .verified : .unverified } ?? []),
            (.phoneVerified, state.phoneVerified == true ? .phoneVerified : []),
            (.disabled, state.disabled == true ? .disabled : []),
            (.passwordHash, passwordHash == nil ? [] : .passwordHash),
            (.claims, state.claims.isEmpty ? [] : .claims), (.roles, state.roles.isEmpty ? [] : .roles),
            (.identities, isWithoutPassword ? .noPassword : []),
            (.authData, authData?.isEmpty == false ? .authData : []),
        ]
    }

    /// The position of the row in messages, such as `row 2 (line 3)`.
    package var place: String { line == 0 ? "row \(number)" : "row \(number) (line \(line))" }
}

extension AccountRow {
    /// An account of a server, as `users export` writes it.
    ///
    package init(exporting user: User, of backend: BackendDescriptor) {
        self.init(number: 0)
        (id, username, email, phone) = (user.id, user.username, user.email, user.phone)
        state.emailVerified = email.map { _ in user.emailVerified ?? false }
        state.phoneVerified = phone.flatMap { _ in user.phoneVerified }
        state.disabled = user.disabled == true ? true : nil
        passwordHash = user.passwordHash
        (state.claims, state.roles) = (user.claims ?? [:], user.roles ?? [])
        identities = (user.identities ?? []).map { ["provider": .string($0.provider), "id": JSONValue($0.id)] }
        fields = JSONObject(
            user.fields.members.filter { field in
                !backend.systemFields.contains(field.name)
                    && !(backend.has(.hasParseUsers) && field.name.hasPrefix("_"))
            })
    }

    /// - Parameter value: of any type; `null` removes the value of the column.
    mutating func set(_ column: AccountColumn, to value: JSONValue) throws(AccountRowError) {
        func read<Value>(
            as type: String, _ convert: (JSONValue) -> Value?
        ) throws(AccountRowError) -> Value? {
            if value == .null { return nil }
            if let result = convert(value) { return result }
            throw .invalid(place: place, cause: "has a value of '\(column.rawValue)' that is not \(type)")
        }
        func text() throws(AccountRowError) -> String? { try read(as: "a string") { $0.string } }
        func name() throws(AccountRowError) -> String? { try text().flatMap { $0.isEmpty ? nil : $0 } }
        func truth() throws(AccountRowError) -> Bool? { try read(as: "true or false") { $0.bool } }
        func object() throws(AccountRowError) -> JSONObject? { try read(as: "a JSON object") { $0.object } }
        switch column {
        case .id: id = try text()
        case .username: username = try name()
        case .email: email = try name()
        case .phone: phone = try name()
        case .emailVerified: state.emailVerified = try truth()
        case .phoneVerified: state.phoneVerified = try truth()
        case .disabled: state.disabled = try truth()
        case .password: password = try text().map(Secret.init)
        case .passwordHash: passwordHash = try name().map(Secret.init)
        case .claims: state.claims = try object() ?? [:]
        case .roles:
            let isList = { (list: [JSONValue]) in list.allSatisfy { $0.string?.isEmpty == false } }
            let list = try read(as: "a JSON array of names") { $0.array.flatMap { isList($0) ? $0 : nil } }
            state.roles = (list ?? []).compactMap(\.string)
        case .identities: identities = try read(as: "a JSON array") { $0.array } ?? []
        case .authData: authData = try object()
        case .fields: fields = try object() ?? [:]
        }
    }

    /// - Parameter name: a column, or a field as `fields.NAME`.
    mutating func remove(_ name: String) {
        if let column = AccountColumn(rawValue: name) {
            // `try?`: every column can be without a value.
            try? set(column, to: .null)
        } else {
            fields[String(name.dropFirst("fields.".count))] = nil
        }
    }
}

/// Why the rows of an input file cannot be read.
package enum AccountRowError: Error, Equatable {
    /// `place` is a phrase such as `row 2 (line 3)`, and `cause` a predicate such as `is not JSON`. `cause` never
    /// quotes the row, which may contain a password.
    case invalid(place: String, cause: String)
    /// The header is invalid, so no row can be read.
    case invalidHeader(place: String, cause: String)
    /// A column or member has almost the name `right`, or it is a field for a password if `right` is `nil`.
    case misnamed(place: String, name: String, right: String?)
    case unreadable(ByteSource.Failure)
}

extension ByteSource.Failure {
    /// - Parameter name: the name of the file in the message, such as `'users.csv'`.
    package func error(reading name: String) -> AuthError {
        switch self {
        case .system(let code): AuthError(.usage, "cannot read \(name): \(code.description)")
        case .truncated: AuthError(.usage, "cannot read \(name): it became shorter while it was read")
        }
    }
}
