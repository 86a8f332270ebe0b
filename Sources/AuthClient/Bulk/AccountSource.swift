package import AuthModel
package import JSON
package import Platform

/// Supplies the accounts of a bulk command one by one, from a file or a pattern.
package struct AccountSource: Sendable {
    /// A row, with an error if the row is invalid.
    struct Item: Sendable {
        var row: AccountRow
        var error: AuthError?
    }

    private enum Rows: Sendable {
        case file(AccountRowReader, name: String)
        case generated(AccountPattern, next: Int)
    }

    private var rows: Rows
    private let shard: Shard?
    /// Finds faults in the rows of a file, such as repeated values. Not used for generated rows.
    private var checks = AccountRowChecks()

    /// - Parameter name: the name of the file in messages, such as `'users.csv'`.
    package init(_ source: ByteSource, name: String, shard: Shard?) {
        rows = .file(AccountRowReader(source), name: name)
        self.shard = shard
    }

    package init(_ pattern: AccountPattern, shard: Shard?) {
        rows = .generated(pattern, next: 1)
        self.shard = shard
    }

    /// The number of rows in the shard; `nil` for a file, because its number of rows is unknown.
    package var count: Int? {
        guard case .generated(let pattern, _) = rows else { return nil }
        return shard.map { (pattern.count - $0.number + $0.total) / $0.total } ?? pattern.count
    }

    /// Returns the next row of the shard; `nil` at the end of the input.
    ///
    /// - Throws: `AuthError` if no further row can be read.
    mutating func next(checksValues: Bool, generatesPasswords: Bool) throws(AuthError) -> Item? {
        while true {
            guard var item = try nextOfAll() else { return nil }
            if item.error == nil {
                let faults = faults(of: item.row, checksValues, generatesPasswords)
                if !faults.isEmpty { item.error = AuthError(invalid: faults) }
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
            return checksValues ? AccountChecks.faults(username: row.username, email: row.email) : []
        }
        return checks.faults(of: row, checksValues: checksValues).compactMap { fault in
            guard fault.field == "password", row.password == nil else { return fault }
            return generatesPasswords
                ? nil : FieldFault("password", "is missing (to generate one, add --credentials FILE)")
        }
    }

    private mutating func nextOfAll() throws(AuthError) -> Item? {
        switch rows {
        case .generated(let pattern, let number):
            guard number <= pattern.count else { return nil }
            rows = .generated(pattern, next: number + 1)
            return Item(row: pattern.row(number))
        case .file(var reader, let name):
            defer { rows = .file(reader, name: name) }
            do throws(AccountRowError) {
                return try reader.next().map { Item(row: $0) }
            } catch {
                switch error {
                case .invalid(_, let cause):
                    return Item(
                        row: AccountRow(number: reader.number, line: reader.line),
                        error: AuthError(.invalidFields, "the row \(cause)"))
                case .invalidHeader(let place, let cause):
                    throw AuthError(.invalidFields, "\(place) of \(name) \(cause)")
                case .unreadable(let failure): throw failure.error(reading: name)
                }
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

    package init(count: Int, username: String?, email: String?, fields: JSONObject) {
        self.count = count
        self.username = username
        self.email = email
        self.fields = fields
    }

    func row(_ number: Int) -> AccountRow {
        var row = AccountRow(number: number)
        row.username = username?.replacing("{n}", with: String(number))
        row.email = email?.replacing("{n}", with: String(number))
        row.fields = fields
        return row
    }
}

extension AuthError {
    fileprivate init(invalid faults: [FieldFault]) {
        let isPassword = faults.allSatisfy { $0.field == "password" }
        self.init(
            isPassword ? .weakPassword : .invalidFields, faults.map(\.sentence).joined(separator: ", "), fields: faults)
    }
}
