package import AuthModel

/// Applies the checks of `signup` to each account in a file, and finds values that repeat those of an earlier row.
package struct AccountRowChecks {
    static let missingPassword = FieldFault("password", "is missing")

    /// The beginnings of passwords in the forms in which servers store their hashes.
    private static let hashes = [
        "$2a$", "$2b$", "$2y$", "$argon2id$", "$argon2i$", "$fbscrypt$", "pbkdf2_sha256$", "argon2$argon2", "bcrypt$$2",
    ]

    private let comparesCase: Bool
    /// The numbers and lines of the earlier rows by their values, for each column.
    private var earlier: [String: [String: (number: Int, line: Int)]] = [:]

    /// - Parameter comparesCase: whether names that differ by letter case are different.
    package init(comparesCase: Bool = false) {
        self.comparesCase = comparesCase
    }

    /// Returns all faults of the next row; empty if the row is valid.
    ///
    /// - Parameter checksValues: whether to apply all checks of `signup`. Otherwise only missing or repeated values,
    ///   NUL characters and passwords that nobody can type are faults.
    package mutating func faults(of row: AccountRow, checksValues: Bool = true) -> [FieldFault] {
        let values =
            checksValues
            ? AccountChecks.faults(username: row.username, email: row.email)
            : row.name.isEmpty ? [AccountChecks.missingUsername] : []
        let password =
            if let password = row.password {
                (password.passwordFault ?? Self.hashFault(password)).map { FieldFault("password", $0) }
                    ?? (checksValues ? AccountChecks.passwordFault(password) : nil)
            } else {
                row.hasPassword ? nil : Self.missingPassword
            }
        let names = [("username", row.username), ("email", row.email), ("phone", row.phone)]
        let withNUL = (names + [("password", row.password?.reveal())])
            .filter { $0.1?.utf8.contains(0) == true }.map { FieldFault($0.0, "contains a NUL character") }
        let repetitions = names.map { ($0, comparesCase ? $1 : $1?.lowercased()) } + [("id", row.id ?? row.oldID)]
        return values + withNUL + [password].compactMap(\.self) + repetitions.compactMap { repetition($0, $1, row) }
    }

    private static func hashFault(_ password: Secret) -> String? {
        // The shortest hash, a bcrypt one, has 60 bytes.
        let text = password.reveal()
        return text.utf8.count >= 60 && hashes.contains(where: text.hasPrefix)
            ? "has the form of a hash (for a hash, rename the column to passwordHash)" : nil
    }

    private mutating func repetition(_ field: String, _ value: String?, _ row: AccountRow) -> FieldFault? {
        guard let value else { return nil }
        if let (number, line) = earlier[field]?[value] {
            return FieldFault(field, "is the same as in \(AccountRow(number: number, line: line).place)")
        }
        // This limit bounds memory use. Beyond it, only the server detects duplicates.
        if earlier[field, default: [:]].count < 50_000 { earlier[field, default: [:]][value] = (row.number, row.line) }
        return nil
    }
}
