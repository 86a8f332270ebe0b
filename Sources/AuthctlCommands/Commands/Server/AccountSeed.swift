package import AuthClient
package import AuthModel

/// The accounts in the `serve --seed` file. All of them are valid.
package struct AccountSeed: Sendable {
    /// The name of the source in messages, such as `'users.csv'`.
    private let name: String
    package let rows: [AccountRow]

    /// Reads and checks all rows, with the rules of the server and not with those of `signup`.
    ///
    /// - Parameters:
    ///   - path: the path of the file; `-` is standard input.
    ///   - losses: what local accounts cannot keep.
    /// - Throws: `AuthError` `usage` if the file cannot be read, `invalidFields` with all invalid rows.
    init(_ path: String, _ losses: RowLosses, _ context: Context) throws(AuthError) {
        name = path == "-" ? "standard input" : "'\(path)'"
        var source = AccountSource(try context.repeatableSource(path, of: "accounts"), name: name, .seed)
        var (rows, faulty) = ([AccountRow](), [(row: AccountRow, error: AuthError)]())
        do throws(AuthError) {
            try context.survey(&source, losses)
            while let item = try source.next(checksValues: false, generatesPasswords: false) {
                if let error = item.error { faulty.append((item.row, error)) } else { rows.append(item.row) }
            }
        } catch {
            throw error.outcome == .invalid ? error.suggesting([Self.step]) : error
        }
        self.rows = rows
        guard let (row, error) = faulty.first else { return }
        guard faulty.count == 1 else {
            throw AuthError(
                .invalidFields, "cannot create the accounts of \(name): \(faulty.count) rows are invalid",
                next: "no account was created; correct the rows, or remove them",
                fields: faulty.map { FieldFault($0.place, $1.message) })
        }
        throw self.error(error.reason, row, error.message)
    }

    private static let step: NextStep = "no account was created; correct the row, or remove it"

    /// The error for a row that the server rejects.
    ///
    /// - Parameter cause: the end of the message, such as "the username is already taken".
    package func error(_ reason: AuthError.Reason, _ index: Int, _ cause: String) -> AuthError {
        error(reason, rows[index], cause)
    }

    private func error(_ reason: AuthError.Reason, _ row: AccountRow, _ cause: String) -> AuthError {
        AuthError(reason, "cannot create the accounts of \(name): \(row.place): \(cause)", next: Self.step)
    }
}
