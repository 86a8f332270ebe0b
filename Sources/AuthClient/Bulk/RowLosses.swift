package import AuthModel
import JSON
import Platform

/// What the target of account rows cannot keep. No value is lost in silence: its row fails, unless `--drop` names it, or
/// a new password takes the place of a hash.
package struct RowLosses: Sendable {
    /// The options about columns: `--drop`, `--skip`, `--keep-ids` and `--ids`.
    package struct Choice: Sendable, Equatable {
        /// The names of columns, and of fields as `fields.NAME`, to leave out of all rows.
        package var dropped: [String] = []
        package var skipsDisabled = false
        /// Whether new accounts get the ids of the rows, also where only the administrator can give them.
        package var keepsIDs = false
        /// Whether the old and new ids are written to a file.
        package var mapsIDs = false
        /// Whether rows without a password get one, which is written to a file.
        package var generatesPasswords = false

        package init() {}
    }

    /// The numbers of rows with a loss, by the name of the column or field, and of others to tell about.
    struct Tally {
        var lost: [String: Int] = [:]
        /// The columns that the target keeps only with the administrator's key.
        var restricted: Set<String> = []
        var (renamed, skipped, withIdentities, withIDs, unverified, withHashes) = (0, 0, 0, 0, 0, 0)
    }

    /// What a loss does to a number of accounts, which `%` stands for.
    private static let effects: [(column: AccountColumn, text: String)] = [
        (.disabled, "% would not be disabled: their users could log in"),
        (.emailVerified, "the server would decide whether the e-mails of % are verified"),
        (.claims, "% would lose their claims, and the rights that depend on them"),
        (.roles, "% would lose their roles, and the rights that depend on them"),
    ]

    private let backend: BackendDescriptor
    private var kept: AccountParts
    /// The parts that the target keeps only with the administrator's key.
    private let restricted: AccountParts
    /// The names of the fields that accounts can have; `nil` for any name.
    private let fields: [String]?
    private let choice: Choice
    /// Whether the e-mail is verified in rows that do not say it.
    private let isVerified: Bool?
    /// Whether the names of rows become those of new accounts. Otherwise they only find accounts.
    private let names: Bool

    /// The losses of new accounts.
    ///
    /// - Parameters:
    ///   - isAdministrator: whether the administrator creates the accounts.
    ///   - fields: the names of the fields that accounts can have, if the server has told them.
    ///   - isVerified: the value of `--verified` or `--unverified`.
    /// - Throws: `AuthError` `usage` if an option names neither a column nor a field.
    package init(
        creatingOn backend: BackendDescriptor, isAdministrator: Bool = false, fields: [String]? = nil,
        _ choice: Choice = Choice(), isVerified: Bool? = nil
    ) throws(AuthError) {
        try choice.check()
        let all = backend.accounts.bySignUp.union(backend.accounts.byAdministrator)
        (kept, restricted) = isAdministrator ? (all, []) : (backend.accounts.bySignUp, all)
        if !choice.keepsIDs, !backend.accounts.bySignUp.contains(.id) { kept.remove(.id) }
        if let fields, !fields.contains("username") { kept.remove(.username) }
        // A new account cannot set what the server adds to all accounts.
        self.fields = fields ?? backend.accounts.fields?.filter { !backend.systemFields.contains($0) }
        (self.backend, self.choice, self.isVerified, names) = (backend, choice, isVerified, true)
    }

    /// The losses of changes of accounts by the administrator.
    package init(
        changing backend: BackendDescriptor, fields: [String]?, _ choice: Choice
    ) throws(AuthError) {
        try choice.check()
        let all = backend.accounts.bySignUp.union(backend.accounts.byAdministrator)
        kept = backend.accounts.changes.union(all.intersection([.username, .email, .phone]))
        // An account may show that nothing is to change.
        let shown: AccountParts = [.verified, .unverified, .phoneVerified, .disabled, .claims, .roles]
        kept.formUnion(all.intersection(shown).union([.id, .emailAndPhone]))
        if let fields, !fields.contains("username") { kept.remove(.username) }
        self.fields = fields ?? backend.accounts.fields
        (self.backend, self.choice, restricted, isVerified, names) = (backend, choice, [], nil, false)
    }

    /// Whether an option leaves out the field.
    func drops(field: String) -> Bool { [field, "fields.\(field)"].contains { choice.dropped.contains($0) } }

    /// The options that leave out these columns and fields.
    static func options(_ names: [String]) -> String {
        names.prefix(20).map { "--drop \($0.shellQuoted)" }.joined(separator: " ")
    }

    /// The error of a row with losses.
    static func error(_ lost: [String]) -> AuthError {
        AuthError(
            .invalidFields,
            "the server cannot keep \(lost.quotedList(atMost: 20)) (to accept that, add \(options(lost)))",
            fields: lost.map { FieldFault($0, "cannot be kept by the server") })
    }

    // MARK: - Rows

    /// Why the target cannot take the id, the password hash and the claims of the row.
    func faults(of row: AccountRow) -> [FieldFault] {
        [idFault(of: row), hashFault(of: row), backend.accounts.fault(of: row.state.claims)].compactMap(\.self)
    }

    private func idFault(of row: AccountRow) -> FieldFault? {
        guard names, let id = row.id, let form = backend.accounts.ids, !form.matches(id) else { return nil }
        let other = backend.accounts.bySignUp.contains(.id) ? "--drop id" : "--ids FILE"
        let step = choice.keepsIDs ? "replace --keep-ids with \(other)" : "add \(other)"
        return FieldFault("id", "must \(form.rule) (to get another one, \(step))")
    }

    private func hashFault(of row: AccountRow) -> FieldFault? {
        guard let hash = row.passwordHash else { return nil }
        guard row.password == nil else { return FieldFault("passwordHash", "stands beside a password") }
        return backend.accounts.fault(ofHash: hash).map { FieldFault("passwordHash", $0) }
    }

    /// Whether this is a password hash, but none that the target takes.
    private func isForeign(_ hash: Secret) -> Bool {
        HashedPassword(hash) != nil && backend.accounts.fault(ofHash: hash) != nil
    }

    /// Whether an option leaves out the row.
    func skips(_ row: AccountRow, _ tally: inout Tally) -> Bool {
        guard choice.skipsDisabled, row.state.disabled == true else { return false }
        tally.skipped += 1
        return true
    }

    /// Applies the options, names the account as the target does, and removes what the target cannot keep.
    ///
    /// - Returns: the columns and fields with a loss: `username`, `fields.plan`.
    func prepare(_ row: inout AccountRow, _ tally: inout Tally) -> [String] {
        // A phone number that becomes the username is not left out: it is the only name.
        let isNamedByPhone =
            names && backend.naming == .username && row.username == nil && row.email == nil && row.phone != nil
        row.oldID = choice.mapsIDs && row.id?.isEmpty == false ? row.id : nil
        for name in choice.dropped where name != "phone" || !isNamedByPhone { row.remove(name) }
        let losesHash = choice.generatesPasswords && row.password == nil && row.passwordHash.map(isForeign) == true
        if losesHash {
            row.passwordHash = nil
            tally.withHashes += 1
        }
        if row.state.emailVerified == false { tally.unverified += 1 }
        if names, rename(&row) { tally.renamed += 1 }
        // A site may take a username with `@` as the e-mail.
        if row.email != nil || row.username?.utf8.contains(UInt8(ascii: "@")) == true {
            row.state.emailVerified = row.state.emailVerified ?? isVerified
        }
        if !kept.contains(.id) {
            if row.id?.isEmpty == false { tally.withIDs += 1 }
            row.id = nil
        }
        if !row.identities.isEmpty {
            tally.withIdentities += 1
            row.isWithoutPassword = kept.contains(.noPassword) && !row.hasPassword && !losesHash
        }
        row.identities = []
        var lost: [String] = []
        for (column, part) in row.parts where !kept.isSuperset(of: part) {
            row.remove(column.rawValue)
            if restricted.isSuperset(of: part) {
                tally.restricted.insert(column.rawValue)
            } else {
                lost.append(column.rawValue)
            }
        }
        for field in row.fields.members
        where fields?.contains(field.name) == false || backend.accounts.ownMembers.contains(field.name) {
            row.fields[field.name] = nil
            if ![.null, "", [], [:]].contains(field.value) { lost.append("fields.\(field.name)") }
        }
        for name in lost where tally.lost[name] != nil || tally.lost.count < 1000 { tally.lost[name, default: 0] += 1 }
        return lost
    }

    /// - Returns: whether the username is now the e-mail or phone number, or a field.
    private func rename(_ row: inout AccountRow) -> Bool {
        guard let username = row.username else {
            guard backend.naming == .username, let name = row.email ?? row.phone else { return false }
            row.username = name
            if row.email == nil { row.phone = nil }
            return true
        }
        guard !kept.contains(.username) else { return false }
        if row.email == nil, username.utf8.contains(UInt8(ascii: "@")) { row.email = username }
        let field = backend.accounts.usernameField.flatMap { row.fields[$0] == nil ? $0 : nil }
        // Without another name, the row lacks the name that the target wants.
        let isName = row.email != username && row.email ?? row.phone != nil
        if isName, let field { row.fields[field] = .string(username) }
        if !isName || field != nil { row.username = nil }
        return isName && field != nil
    }

    /// Tells what all rows of the input lose.
    ///
    /// - Parameter name: the name of the input in messages, such as `'users.csv'`.
    /// - Throws: `AuthError` `usage` if the options contradict the rows, or if only the administrator's key is missing.
    func report(
        _ tally: Tally, of name: String, warn: (String) -> Void, note: (String) -> Void
    ) throws(AuthError) {
        if isVerified == true, tally.unverified > 0 {
            throw AuthError(
                .usage,
                "option --verified contradicts \(tally.unverified.rows) of \(name), where emailVerified is false",
                next: "to ignore that column, add --drop emailVerified")
        }
        let restricted = tally.restricted.sorted()
        guard restricted.isEmpty else {
            throw AuthError(
                .usage, "only the administrator can set \(restricted.quotedList(atMost: 20)) of \(name)",
                nextSteps: [
                    backend.stepToAdminKey, NextStep("or leave them out: add \(Self.options(restricted))"),
                ])
        }
        let others = Set(tally.lost.keys).subtracting(Self.effects.map(\.column.rawValue)).sorted()
        if !others.isEmpty {
            let list = others.map { "\($0) (\((tally.lost[$0] ?? 0).rows))" }.list(atMost: 20)
            warn("the server cannot keep all of \(name): \(list); to leave them out, add \(Self.options(others))")
        }
        for (column, text) in Self.effects {
            guard let count = tally.lost[column.rawValue] else { continue }
            let accounts = "\(count) \(count == 1 ? "account" : "accounts") of \(name)"
            let skip = column == .disabled ? "; to leave out these rows, add --skip disabled" : ""
            warn("\(text.replacing("%", with: accounts)); to accept that, add --drop \(column.rawValue)\(skip)")
        }
        let renamed =
            backend.accounts.usernameField.map { "becomes the field '\($0)'" } ?? "is the e-mail or phone number"
        if tally.renamed > 0 { note("the username of \(tally.renamed.rows) \(renamed)") }
        if tally.withIDs > 0, !choice.mapsIDs {
            note(
                "the server gives new ids to \(tally.withIDs.rows); to write old and new ids to a file, add --ids FILE")
        }
        if tally.withHashes > 0 {
            note("new passwords for \(tally.withHashes.rows): the server does not take hashes of this kind")
        }
        if tally.withIdentities > 0 { note("the identities of \(tally.withIdentities.rows) are left out") }
        if tally.skipped > 0 { note("left out \(tally.skipped.rows) of disabled accounts") }
    }

    // MARK: - Generated accounts

    /// - Throws: `AuthError` `usage` if only the administrator can give new accounts this state; `unsupported` if nobody
    ///   can.
    package func require(_ state: AccountState, fields names: [String]) throws(AuthError) {
        if let name = names.first(where: { fields?.contains($0) == false }) {
            throw AuthError(
                .invalidFields, "the accounts have no field '\(name)'", fields: [FieldFault(name, "is unknown")])
        }
        if let fault = backend.accounts.fault(of: state.claims) {
            throw AuthError(.invalidFields, fault.sentence, fields: [fault])
        }
        var row = AccountRow(number: 0)
        row.state = state
        guard let (column, part) = row.parts.first(where: { !kept.isSuperset(of: $0.part) }) else { return }
        let subject = "set '\(column.rawValue)' of new accounts"
        guard !restricted.isSuperset(of: part) else {
            throw AuthError(.usage, "only the administrator can \(subject)", next: backend.stepToAdminKey)
        }
        // Another kind of value has a similar use.
        let other: NextStep? = column == .roles ? "use a claim: --claim NAME=TEXT" : "use a field: --field NAME=TEXT"
        let hasOther = column == .claims || column == .roles && backend.accounts.byAdministrator.contains(.claims)
        throw AuthError(
            .unsupported, "backend '\(backend.kind)' cannot \(subject)", next: hasOther ? other : nil)
    }
}

extension RowLosses.Choice {
    /// - Parameter isAdministrator: whether the administrator creates the accounts.
    /// - Throws: `AuthError` `unsupported` if no new account can get the ids of the rows; `usage` if only the
    ///   administrator's key is missing, or if the options contradict each other.
    package func requireIDs(on backend: BackendDescriptor, isAdministrator: Bool) throws(AuthError) {
        guard keepsIDs else { return }
        guard backend.accounts.ids != nil else {
            throw AuthError(
                .unsupported, "backend '\(backend.kind)' cannot keep the ids of new accounts",
                next: "to write old and new ids to a file, replace --keep-ids with --ids FILE")
        }
        guard isAdministrator || backend.accounts.bySignUp.contains(.id) else {
            throw AuthError(.usage, "only the administrator can keep ids", next: backend.stepToAdminKey)
        }
        guard !dropped.contains("id") else {
            throw AuthError(.usage, "options --keep-ids and --drop id are mutually exclusive")
        }
    }

    /// - Throws: `AuthError` `usage` if an option names neither a column nor a field.
    fileprivate func check() throws(AuthError) {
        let isName = { (name: String) in AccountColumn(rawValue: name) != nil || name.hasPrefix("fields.") }
        guard let name = dropped.first(where: { !isName($0) }) else { return }
        throw AuthError(
            .usage, "'\(name)' is not a column (option '--drop')",
            next: NextStep("for a field, use \(RowLosses.options(["fields.\(name)"]))"))
    }
}

extension Int {
    fileprivate var rows: String { self == 1 ? "1 row" : "\(self) rows" }
}

extension BackendDescriptor {
    fileprivate var stepToAdminKey: NextStep {
        adminKey?.collection == nil ? "add --admin-key-file FILE" : "add --admin PROFILE or --admin-key-file FILE"
    }
}
