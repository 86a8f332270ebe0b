package import AuthModel

/// Applies the checks of `signup` to each account in a file, and finds values that repeat those of an earlier row.
package struct AccountRowChecks {
    static let missingPassword = FieldFault("password", "is missing")

    private var usernames: [String: String] = [:]
    private var emails: [String: String] = [:]
    private var ids: [String: String] = [:]

    /// Returns all faults of the next row; empty if the row is valid.
    ///
    /// - Parameter checksValues: whether to apply all checks of `signup`. Otherwise only missing or repeated values,
    ///   NUL characters, invalid ids and passwords that nobody can type are faults.
    package mutating func faults(of row: AccountRow, checksValues: Bool = true) -> [FieldFault] {
        let isNamed = row.username != nil || row.email != nil
        let values =
            checksValues
            ? AccountChecks.faults(username: row.username, email: row.email)
            : isNamed ? [] : [AccountChecks.missingUsername]
        let password =
            if let password = row.password {
                password.passwordFault.map { FieldFault("password", $0) }
                    ?? (checksValues ? AccountChecks.passwordFault(password) : nil)
            } else {
                Self.missingPassword
            }
        let withNUL = [("username", row.username), ("email", row.email), ("password", row.password?.reveal())]
            .filter { $0.1?.utf8.contains(0) == true }.map { FieldFault($0.0, "contains a NUL character") }
        return values + withNUL + [password, row.id.flatMap(Self.idFault)].compactMap(\.self) + repetitions(in: row)
    }

    /// Allows only letters and digits, because ids become parts of URLs.
    private static func idFault(_ id: String) -> FieldFault? {
        let isPlain = id.utf8.allSatisfy { $0.isASCIILetterOrDigit }
        return isPlain && 1...36 ~= id.utf8.count
            ? nil : FieldFault("id", "must have 1 to 36 letters and digits")
    }

    private mutating func repetitions(in row: AccountRow) -> [FieldFault] {
        // Usernames and e-mails are compared in lowercase, as in the embedded server.
        [
            Self.repetition("username", row.username?.lowercased(), row, &usernames),
            Self.repetition("email", row.email?.lowercased(), row, &emails),
            Self.repetition("id", row.id, row, &ids),
        ].compactMap(\.self)
    }

    private static func repetition(
        _ field: String, _ value: String?, _ row: AccountRow, _ earlier: inout [String: String]
    ) -> FieldFault? {
        guard let value else { return nil }
        if let place = earlier[value] { return FieldFault(field, "is the same as in \(place)") }
        // This limit bounds memory use. Beyond it, only the server detects duplicates.
        if earlier.count < 50_000 { earlier[value] = row.place }
        return nil
    }
}
