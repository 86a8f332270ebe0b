package import AuthModel
package import JSON
package import Platform

/// Supplies the accounts of a bulk command one by one, from a file or a pattern.
package struct AccountSource: Sendable {
    /// A row, with an error if the row is invalid.
    package struct Item: Sendable {
        package var row: AccountRow
        package var error: AuthError?
    }

    private enum Rows: Sendable {
        case file(AccountRowReader, name: String)
        case generated(AccountPattern, next: Int)
    }

    private var rows: Rows
    private let columns: AccountColumns
    let shard: Shard?
    /// Finds faults in the rows of a file, such as repeated values. Not used for generated rows.
    private var checks: AccountRowChecks
    /// What the target cannot keep of the rows; `nil` for rows that are not sent.
    private var losses: RowLosses?
    private var tally = RowLosses.Tally()

    /// - Parameter name: the name of the file in messages, such as `'users.csv'`.
    package init(_ source: ByteSource, name: String, shard: Shard? = nil, _ columns: AccountColumns = .credentials) {
        rows = .file(AccountRowReader(source, columns), name: name)
        self.columns = columns
        self.shard = shard
        // The accounts of a credentials file exist: a server with names that differ only by case distinguishes them.
        let isCredentials = if case .credentials = columns { true } else { false }
        checks = AccountRowChecks(comparesCase: columns.backend?.has(.distinguishesCase) ?? isCredentials)
    }

    package init(_ pattern: AccountPattern, shard: Shard?) {
        rows = .generated(pattern, next: 1)
        columns = .credentials
        self.shard = shard
        checks = AccountRowChecks()
    }

    /// Reads the whole file before the first row is used: checks the names of all columns and members, and counts the
    /// rows with values that the target cannot keep.
    ///
    /// - Parameters:
    ///   - isStrict: whether members that a signup cannot set are an error.
    ///   - warn: receives a warning for these members, one for fields that look like secrets, and those of the losses.
    ///   - note: receives what happens to rows without a loss.
    /// - Throws: `AuthError` if the file cannot be read, or if no row can be sent.
    package mutating func survey(
        _ losses: RowLosses, isStrict: Bool = false, warn: (String) -> Void, note: (String) -> Void
    ) throws(AuthError) {
        guard case .file(var reader, let name) = rows else { return }
        self.losses = losses
        while var item = try Self.next(&reader, name) {
            guard item.error == nil, shard?.contains(item.row.number) != false, !losses.skips(item.row, &tally) else {
                continue
            }
            _ = losses.prepare(&item.row, &tally)
        }
        guard reader.restart() else { throw AuthError(.usage, "cannot read \(name) twice") }
        let leftOut = reader.leftOut.quotedList(atMost: 20)
        if !reader.leftOut.isEmpty {
            let text = "\(name) has members that a signup cannot set: \(leftOut)"
            guard !isStrict else { throw AuthError(.invalidFields, text, next: "remove them, or remove --strict") }
            warn("\(text); they are left out")
        }
        let secrets = reader.secrets.filter { !losses.drops(field: $0) }
        if !secrets.isEmpty {
            warn("fields of \(name) look like secrets, but are sent: \(secrets.quotedList(atMost: 20))")
        }
        guard !isStrict || tally.withHashes == 0 else {
            throw AuthError(
                .invalidFields, "the server does not take all password hashes of \(name)",
                next: "add --drop passwordHash, or remove --strict")
        }
        try losses.report(tally, of: name, warn: warn, note: note)
        rows = .file(reader, name: name)
    }

    /// Reads the whole file before the first row is used: the names that differ only by case, in lower case.
    package mutating func namesDifferingByCase() throws(AuthError) -> Set<String> {
        guard case .file(var reader, let name) = rows else { return [] }
        var (spellings, twins) = ([String: String](), Set<String>())
        while let item = try Self.next(&reader, name) {
            let key = item.row.name.lowercased()
            if spellings[key, default: item.row.name] != item.row.name { twins.insert(key) }
            spellings[key] = item.row.name
        }
        guard reader.restart() else { throw AuthError(.usage, "cannot read \(name) twice") }
        rows = .file(reader, name: name)
        return twins
    }

    /// The number of rows in the shard; `nil` for a file, because its number of rows is unknown.
    package var count: Int? {
        guard case .generated(let pattern, _) = rows else { return nil }
        return shard.map { (pattern.count - $0.number + $0.total) / $0.total } ?? pattern.count
    }

    /// Whether all accounts are generated with one password.
    var sharesPassword: Bool {
        guard case .generated(let pattern, _) = rows else { return false }
        return pattern.password != nil
    }

    /// Returns the next row of the shard; `nil` at the end of the input.
    ///
    /// - Throws: `AuthError` if no further row can be read.
    package mutating func next(checksValues: Bool, generatesPasswords: Bool) throws(AuthError) -> Item? {
        while true {
            guard var item = try nextOfAll() else { return nil }
            if losses?.skips(item.row, &tally) == true { continue }
            if item.error == nil {
                item.row.digest = fnv1a(JSONValue.object(item.row.columns()).bytes)
                let written = item.row
                let lost = losses?.prepare(&item.row, &tally) ?? []
                let faults =
                    faults(of: item.row, checksValues, generatesPasswords)
                    + (losses?.faults(of: item.row) ?? [])
                if !lost.isEmpty { item.error = RowLosses.error(lost) }
                let hasOption = if case .changes = columns { false } else { true }
                if !faults.isEmpty { item.error = AuthError(invalid: faults, canSkip: hasOption) }
                // The report names the account as the file does.
                if item.error != nil { item.row = written }
            }
            if shard?.contains(item.row.number) != false { return item }
        }
    }

    /// Returns the result of the next row in a dry run; `nil` at the end of the input.
    package mutating func check(_ checksValues: Bool, generates: Bool) throws(AuthError) -> BulkResult? {
        let item = try next(checksValues: checksValues, generatesPasswords: generates)
        return item.map { BulkResult($0.row, $0.error == nil ? .valid : .failed, $0.error) }
    }

    private mutating func faults(
        of row: AccountRow, _ checksValues: Bool, _ generatesPasswords: Bool
    ) -> [FieldFault] {
        if case .generated = rows {
            guard checksValues else { return [] }
            return AccountChecks.faults(username: row.username, email: row.email)
                + [row.password.flatMap(AccountChecks.passwordFault)].compactMap(\.self)
        }
        let identities = row.authData?.names ?? []
        // Only a seed creates accounts without a password.
        let missingPassword = AccountRowChecks.missingPassword
        var mayLack: [FieldFault] = []
        if case .seed = columns, !identities.isEmpty { mayLack = [AccountChecks.missingUsername, missingPassword] }
        if generatesPasswords { mayLack = [missingPassword] }
        if case .changes = columns {
            mayLack = row.id == nil ? [missingPassword] : [AccountChecks.missingUsername, missingPassword]
        }
        var faults = checks.faults(of: row, checksValues: checksValues).filter { !mayLack.contains($0) }
        if case .creation = columns, let index = faults.firstIndex(of: missingPassword) {
            faults[index] = FieldFault("password", "is missing (to generate one, add --credentials FILE)")
        }
        if let backend = columns.backend, backend.has(.hasParseUsers) {
            faults += row.fields.names.compactMap(AccountColumns.nameFault)
        }
        if let naming = columns.backend?.naming, naming != .username,
            let index = faults.firstIndex(of: AccountChecks.missingUsername)
        {
            if naming == .email { faults.remove(at: index) }
            faults.append(FieldFault("email", "is missing"))
        }
        if case .changes(let backend) = columns, backend.has(.checksNewAccounts),
            !faults.contains(where: { $0.field == "password" })
        {
            faults += [row.password.flatMap(AccountChecks.passwordFault)].compactMap(\.self)
        }
        if let providers = columns.providers, let name = identities.first(where: { !providers.contains($0) }) {
            faults.append(
                FieldFault(
                    "authData",
                    "names '\(name)', but local accounts accept only \(providers.joined(separator: " and "))"))
        }
        return faults
    }

    private mutating func nextOfAll() throws(AuthError) -> Item? {
        switch rows {
        case .generated(let pattern, let number):
            guard number <= pattern.count else { return nil }
            rows = .generated(pattern, next: number + 1)
            return Item(row: pattern.row(number))
        case .file(var reader, let name):
            defer { rows = .file(reader, name: name) }
            return try Self.next(&reader, name)
        }
    }

    private static func next(_ reader: inout AccountRowReader, _ name: String) throws(AuthError) -> Item? {
        do throws(AccountRowError) {
            return try reader.next().map { Item(row: $0) }
        } catch {
            switch error {
            case .invalid(_, let cause):
                return Item(
                    row: reader.invalidRow ?? AccountRow(number: reader.number, line: reader.line),
                    error: AuthError(.invalidFields, "the row \(cause)"))
            case .invalidHeader(let place, let cause):
                throw AuthError(.invalidFields, "\(place) of \(name) \(cause)")
            case .misnamed(let place, let wrong, let right?):
                throw AuthError(
                    .invalidFields, "\(place) of \(name) has '\(wrong)' instead of '\(right)'",
                    next: "rename it to '\(right)'")
            case .misnamed(let place, let wrong, nil):
                throw AuthError(
                    .invalidFields, "\(place) of \(name) has '\(wrong)', but a password cannot be a field of the user",
                    next: "remove it, or rename it to 'password'")
            case .unreadable(let failure): throw failure.error(reading: name)
            }
        }
    }
}

/// Every n-th row of an input, so that several machines can share the work: `2/4` selects the rows 2, 6, 10 …
package struct Shard: Sendable, Equatable {
    /// From 1 to `total`.
    let number: Int
    let total: Int

    /// - Returns: `nil` unless the text is `K/N` with 1 ≤ K ≤ N.
    package init?(_ text: String) {
        let parts = text.split(separator: "/" as Character, omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let number = parts[0], let total = parts[1], number >= 1, number <= total else {
            return nil
        }
        self.number = number
        self.total = total
    }

    var text: String { "\(number)/\(total)" }

    func contains(_ row: Int) -> Bool { (row - number) % total == 0 }
}

/// A pattern for generated accounts. The row number, counted from 1, replaces `{n}` in usernames and e-mails.
package struct AccountPattern: Sendable {
    package let count: Int
    private let username: String?
    private let email: String?
    private let fields: JSONObject
    package var state = AccountState()
    /// The password of all accounts; `nil` if each account gets its own.
    let password: Secret?

    package init(count: Int, username: String?, email: String?, fields: JSONObject, password: Secret? = nil) {
        self.count = count
        self.username = username
        self.email = email
        self.fields = fields
        self.password = password
    }

    func row(_ number: Int) -> AccountRow {
        var row = AccountRow(number: number)
        row.username = username?.replacing("{n}", with: String(number))
        row.email = email?.replacing("{n}", with: String(number))
        row.fields = fields
        row.state = state
        row.password = password
        return row
    }
}

extension AuthError {
    /// - Parameter canSkip: whether the command has the option `--skip-checks`.
    fileprivate init(invalid faults: [FieldFault], canSkip: Bool) {
        let hasHint = canSkip && faults.contains(where: AccountChecks.canSkip)
        let hint = hasHint ? " (to skip such checks, add --skip-checks)" : ""
        let isWeak = faults.allSatisfy { $0.field == "password" && AccountChecks.canSkip($0) }
        self.init(
            isWeak ? .weakPassword : .invalidFields, faults.map(\.sentence).joined(separator: ", ") + hint,
            fields: faults)
    }
}
