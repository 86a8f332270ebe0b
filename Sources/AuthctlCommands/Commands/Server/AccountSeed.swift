package import AuthClient
package import AuthModel
import Platform

/// The accounts of `serve --seed`, all of them valid.
package struct AccountSeed: Sendable {
    /// For messages: `'users.csv'`.
    private let name: String
    package let rows: [AccountRow]

    /// Reads and checks all rows.
    ///
    /// - Parameter path: the path of `source`, for messages; `-` is standard input.
    /// - Throws: `AuthError` `usage` if the source cannot be read, `invalidFields` or `weakPassword` for invalid rows, all
    ///   of them unless a row cannot be read.
    init(_ path: String, _ source: ByteSource) throws(AuthError) {
        let name = path == "-" ? "standard input" : "'\(path)'"
        var reader = AccountRowReader(source)
        var (rows, checks) = ([AccountRow](), AccountRowChecks())
        var faulty: [(row: AccountRow, faults: [FieldFault])] = []
        do throws(AccountRowError) {
            while let row = try reader.next() {
                let faults = checks.faults(of: row)
                if faults.isEmpty { rows.append(row) } else { faulty.append((row, faults)) }
            }
            if faulty.count == 1 { throw .faulty(faulty[0].row, faulty[0].faults) }
        } catch {
            throw AuthError(error, name)
        }
        guard faulty.isEmpty else {
            throw AuthError(
                .invalidFields, "cannot create the accounts of \(name): \(faulty.count) rows are invalid",
                next: "no account was created; correct the rows, or remove them",
                fields: faulty.flatMap { row, faults in faults.map { FieldFault(row.place, $0.sentence) } })
        }
        self.name = name
        self.rows = rows
    }

    /// The error for a row that the server rejects.
    ///
    /// - Parameter cause: the end of the sentence: "the username is already taken".
    package func error(_ reason: AuthError.Reason, _ index: Int, _ cause: String) -> AuthError {
        AuthError(
            reason, "cannot create the accounts of \(name): \(rows[index].place): \(cause)",
            next: "no account was created; correct the row, or remove it")
    }
}

extension AuthError {
    fileprivate init(_ error: AccountRowError, _ name: String) {
        let failure = "cannot create the accounts of \(name)"
        let step: NextStep = "no account was created; correct the row, or remove it"
        switch error {
        case .invalid(let place, let cause), .invalidHeader(let place, let cause):
            self.init(.invalidFields, "\(failure): \(place) \(cause)", next: step)
        case .faulty(let row, let faults):
            let summary = faults.count == 1 ? faults[0].sentence : "\(faults.count) values are invalid"
            let isPassword = faults.allSatisfy { $0.field == "password" }
            self.init(
                isPassword ? .weakPassword : .invalidFields, "\(failure): \(row.place): \(summary)", next: step,
                fields: faults)
        case .unreadable(.system(let code)): self.init(.usage, "cannot read \(name): \(code.description)")
        case .unreadable(.truncated): self.init(.usage, "cannot read \(name): it became shorter while it was read")
        }
    }
}
