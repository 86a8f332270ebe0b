package import AuthClient
package import AuthModel
import Platform

/// The accounts in the `serve --seed` file. All of them are valid.
package struct AccountSeed: Sendable {
    /// The name of the source in messages, such as `'users.csv'`.
    private let name: String
    package let rows: [AccountRow]

    /// Reads and checks all rows.
    ///
    /// - Parameter path: the path of `source`, for messages; `-` is standard input.
    /// - Throws: `AuthError` `usage` if the source cannot be read, `invalidFields` or `weakPassword` for invalid rows.
    ///   The error lists all invalid rows, unless a row cannot be parsed.
    init(_ path: String, _ source: ByteSource) throws(AuthError) {
        let name = path == "-" ? "standard input" : "'\(path)'"
        var reader = AccountRowReader(source)
        var (rows, checks) = ([AccountRow](), AccountRowChecks())
        var faulty: [(row: AccountRow, faults: [FieldFault])] = []
        let failure = "cannot create the accounts of \(name)"
        do throws(AccountRowError) {
            while let row = try reader.next() {
                let faults = checks.faults(of: row)
                if faults.isEmpty { rows.append(row) } else { faulty.append((row, faults)) }
            }
        } catch {
            switch error {
            case .invalid(let place, let cause), .invalidHeader(let place, let cause):
                throw AuthError(.invalidFields, "\(failure): \(place) \(cause)", next: Self.step)
            case .unreadable(let failure): throw failure.error(reading: name)
            }
        }
        guard faulty.count < 2 else {
            throw AuthError(
                .invalidFields, "\(failure): \(faulty.count) rows are invalid",
                next: "no account was created; correct the rows, or remove them",
                fields: faulty.flatMap { row, faults in faults.map { FieldFault(row.place, $0.sentence) } })
        }
        if let (row, faults) = faulty.first {
            let summary = faults.count == 1 ? faults[0].sentence : "\(faults.count) values are invalid"
            let isPassword = faults.allSatisfy { $0.field == "password" }
            throw AuthError(
                isPassword ? .weakPassword : .invalidFields, "\(failure): \(row.place): \(summary)", next: Self.step,
                fields: faults)
        }
        self.name = name
        self.rows = rows
    }

    private static let step: NextStep = "no account was created; correct the row, or remove it"

    /// The error for a row that the server rejects.
    ///
    /// - Parameter cause: the end of the message, such as "the username is already taken".
    package func error(_ reason: AuthError.Reason, _ index: Int, _ cause: String) -> AuthError {
        AuthError(reason, "cannot create the accounts of \(name): \(rows[index].place): \(cause)", next: Self.step)
    }
}
