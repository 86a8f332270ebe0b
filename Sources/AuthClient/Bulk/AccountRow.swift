package import AuthModel
package import JSON
package import Platform

/// An account of an input file.
package struct AccountRow: Sendable, Equatable {
    /// 1 for the first account of the file.
    package let number: Int
    /// The line that the row starts in, 1 for the first one.
    package let line: Int
    /// The id of the new user; `nil`: the server chooses it.
    package var id: String?
    package var username: String?
    package var email: String?
    package var password: Secret?
    /// All other members or columns.
    package var fields: JSONObject = [:]

    package init(number: Int, line: Int) {
        self.number = number
        self.line = line
    }

    /// For messages: `row 2 (line 3)`.
    package var place: String { Self.place(number, line) }

    static func place(_ number: Int, _ line: Int) -> String { "row \(number) (line \(line))" }
}

/// Why the rows of an input file could not be read.
package enum AccountRowError: Error, Equatable {
    /// The row at `place` is invalid: `row 2 (line 3)`. `cause` is the end of a sentence: "is not JSON". It contains
    /// nothing of the row, which may hold a password.
    case invalid(place: String, cause: String)
    /// A row that could be read has invalid values.
    case faulty(AccountRow, [FieldFault])
    case unreadable(ByteSource.Failure)
}
