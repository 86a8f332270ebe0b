import AuthModel
import JSON
package import Platform

/// Reads accounts one by one from NDJSON or CSV, in constant memory.
///
/// In NDJSON, each line is an object such as `{"username":"ada","password":"…","email":"…","plan":"pro"}`, and values
/// keep their types. CSV has a header such as `username,email,password,plan`. Its values are strings, and an empty cell
/// is a missing value. Members and columns other than `id`, `username`, `email` and `password` become fields of the
/// user. Source: RFC 4180, but lines may end with LF or CRLF.
package struct AccountRowReader {
    private enum Format {
        case objects
        case table(columns: [String])
    }

    private var lines: LineReader
    private var format: Format?
    /// The number of the row that was read last, even if it was invalid.
    package private(set) var number = 0
    var line: Int { lines.number }

    package init(_ source: ByteSource) {
        lines = LineReader(source)
    }

    /// Returns the next account; `nil` at the end of the file. Skips empty lines. After an error in a row, the next
    /// call returns the following row.
    package mutating func next() throws(AccountRowError) -> AccountRow? {
        number += 1
        guard var line = try nextLine() else { return nil }
        if format == nil {
            format = line.first == UInt8(ascii: "{") ? .objects : .table(columns: try columns(line))
            if case .table = format {
                guard let next = try nextLine() else { return nil }
                line = next
            }
        }
        var row = AccountRow(number: number, line: lines.number)
        switch format {
        case .table(let columns): try fill(&row, columns, try cells(line, at: row.place))
        case .objects, nil: try fill(&row, from: line)
        }
        return row
    }

    /// Returns the next line that is not empty; `nil` at the end of the file.
    private mutating func nextLine() throws(AccountRowError) -> [UInt8]? {
        while let line = try lines.next() {
            if !line.isEmpty { return line }
        }
        return nil
    }

    // MARK: - NDJSON

    private func fill(_ row: inout AccountRow, from line: [UInt8]) throws(AccountRowError) {
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try JSONValue(parsing: line)
        } catch {
            throw .invalid(place: row.place, cause: "is not JSON: \(error.description) (byte \(error.offset))")
        }
        guard let object = value.object else { throw .invalid(place: row.place, cause: "is not a JSON object") }
        for member in object.members {
            if Self.accountMembers.contains(member.name) {
                if member.value == .null { continue }
                guard let text = member.value.string else {
                    throw .invalid(place: row.place, cause: "has a \(member.name) that is not a string")
                }
                row.set(member.name, to: text)
            } else {
                row.fields[member.name] = member.value
            }
        }
    }

    private static let accountMembers: Set<String> = ["id", "username", "email", "password"]

    // MARK: - CSV

    private mutating func columns(_ line: [UInt8]) throws(AccountRowError) -> [String] {
        let place = "the header (line \(lines.number))"
        let columns: [String]
        do throws(AccountRowError) {
            columns = try cells(line, at: place)
        } catch {
            guard case .invalid(_, let cause) = error else { throw error }
            throw .invalidHeader(place: place, cause: cause)
        }
        guard columns.contains("username") || columns.contains("email") else {
            throw .invalidHeader(place: place, cause: "has no column 'username', and the file is not NDJSON")
        }
        guard !columns.contains(""), Set(columns).count == columns.count else {
            throw .invalidHeader(place: place, cause: "has a column without a name, or two with the same name")
        }
        return columns
    }

    private func fill(_ row: inout AccountRow, _ columns: [String], _ cells: [String]) throws(AccountRowError) {
        guard cells.count == columns.count else {
            throw .invalid(place: row.place, cause: "has \(cells.count) values, but the header has \(columns.count)")
        }
        for (name, text) in zip(columns, cells) where !text.isEmpty {
            if Self.accountMembers.contains(name) {
                row.set(name, to: text)
            } else {
                row.fields[name] = .string(text)
            }
        }
    }

    /// Returns the values of a record. A quoted value with line breaks continues on the next lines.
    private mutating func cells(_ line: [UInt8], at place: String) throws(AccountRowError) -> [String] {
        var record = CSVRecord()
        record.add(line)
        while record.isOpen {
            guard let next = try lines.next() else {
                throw .invalid(place: place, cause: "has a quoted value without a closing quote")
            }
            record.add(next)
        }
        guard record.isValid else {
            throw .invalid(place: place, cause: "has a quote inside of a value that is not quoted")
        }
        var cells: [String] = []
        for cell in record.cells {
            guard let text = String(validating: cell, as: UTF8.self) else {
                throw .invalid(place: place, cause: "is not UTF-8")
            }
            cells.append(text)
        }
        return cells
    }
}

extension AccountRow {
    fileprivate mutating func set(_ name: String, to text: String) {
        switch name {
        case "id": id = text
        case "username": username = text
        case "email": email = text
        default: password = Secret(text)
        }
    }
}
