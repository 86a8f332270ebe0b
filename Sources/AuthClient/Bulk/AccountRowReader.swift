import AuthModel
import JSON
package import Platform

/// Reads accounts one by one from NDJSON or CSV in constant memory, or from a JSON document.
///
/// In NDJSON, each line is an object such as `{"username":"ada","password":"…","email":"…","plan":"pro"}`, and values
/// keep their types. A JSON array and `{"results":[…]}`, as Parse's tools export them, have such objects as elements. CSV
/// has a header such as `username,email,password,plan`. Its values are strings, and an empty cell is a missing value.
/// `AccountColumns` says which members and columns become fields of the user. Source: RFC 4180, but lines may end with
/// LF or CRLF.
package struct AccountRowReader {
    private enum Format {
        case objects
        case document(Document)
        case table(columns: [String])
    }

    /// A JSON document whose elements are the rows.
    private struct Document {
        let bytes: [UInt8]
        var elements: ArraySlice<Range<Int>>
        /// The bytes before this index were searched for line ends.
        var counted = 0
    }

    private let columns: AccountColumns
    private var lines: LineReader
    private var format: Format?
    /// The meanings of the names that were found, at most 1,000.
    private var meanings: [String: AccountColumns.Meaning] = [:]
    /// The names of members that were left out.
    private(set) var leftOut: [String] = []
    /// The names of fields that suggest a secret.
    private(set) var secrets: [String] = []
    /// The number of the row that was read last, even if it was invalid.
    package private(set) var number = 0
    /// The names of the account in the row that was read last, if one of its values is invalid.
    private(set) var invalidRow: AccountRow?
    /// The line on which that row starts.
    private(set) var line = 0

    package init(_ source: ByteSource, _ columns: AccountColumns = .credentials) {
        lines = LineReader(source)
        self.columns = columns
    }

    /// Returns to the first row, but remembers the names that were found.
    ///
    /// - Returns: `false` if the source cannot be read again.
    mutating func restart() -> Bool {
        guard lines.source.rewind() else { return false }
        lines = LineReader(lines.source)
        (format, number, line) = (nil, 0, 0)
        return true
    }

    /// Returns the next account; `nil` at the end of the file. Skips empty lines. After an error in a row, the next
    /// call returns the following row.
    package mutating func next() throws(AccountRowError) -> AccountRow? {
        number += 1
        invalidRow = nil
        if format == nil, try !readFormat() { return nil }
        if case .document(var document) = format {
            guard let element = document.elements.popFirst() else { return nil }
            line += document.bytes[document.counted..<element.lowerBound].count { $0 == UInt8(ascii: "\n") }
            document.counted = element.lowerBound
            format = .document(document)
            return try row(from: Array(document.bytes[element]))
        }
        guard let text = try nextLine() else { return nil }
        line = lines.number
        guard case .table(let columns) = format else { return try row(from: text) }
        return try row(columns, try cells(text, at: AccountRow(number: number, line: line).place))
    }

    /// - Returns: `false` if the file has no rows.
    private mutating func readFormat() throws(AccountRowError) -> Bool {
        let beginning = try lines.beginning()
        if beginning.first == UInt8(ascii: "[") || beginning.elementsEqual(#"{"results":"#.utf8) {
            let bytes = try lines.rest()
            do throws(JSONSyntaxError) {
                format = .document(Document(bytes: bytes, elements: try JSONList(parsing: bytes).elements[...]))
            } catch {
                throw .invalidHeader(
                    place: "the JSON document", cause: "is not valid: \(error.description) (byte \(error.offset))")
            }
            line = 1
        } else if beginning.first == UInt8(ascii: "{") {
            format = .objects
        } else {
            guard let header = try nextLine() else { return false }
            format = .table(columns: try names(header))
        }
        return true
    }

    /// Returns the next line that is not blank; `nil` at the end of the file.
    private mutating func nextLine() throws(AccountRowError) -> [UInt8]? {
        while let line = try lines.next() {
            if line.contains(where: { !" \t".utf8.contains($0) }) { return line }
        }
        return nil
    }

    /// - Parameter isField: whether the name stands in the column `fields`.
    private mutating func meaning(
        of name: String, isField: Bool = false, at place: String
    ) throws(AccountRowError) -> AccountColumns.Meaning {
        let path = isField ? "fields.\(name)" : name
        if let known = meanings[path] { return known }
        let meaning = isField ? columns.meaning(ofField: name) : columns.meaning(of: name)
        if case .misnamed(let right) = meaning { throw .misnamed(place: place, name: path, right: right) }
        guard meanings.count < 1000 else { return meaning }
        meanings[path] = meaning
        if meaning == .leftOut { leftOut.append(path) }
        if meaning == .secret { secrets.append(path) }
        return meaning
    }

    // MARK: - JSON

    private mutating func row(from text: [UInt8]) throws(AccountRowError) -> AccountRow {
        var row = AccountRow(number: number, line: line)
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try JSONValue(parsing: text)
        } catch {
            throw .invalid(place: row.place, cause: "is not JSON: \(error.description) (byte \(error.offset))")
        }
        guard let object = value.object else { throw .invalid(place: row.place, cause: "is not a JSON object") }
        try add(object.members.lazy.map { ($0.name, $0.value) }, to: &row)
        return row
    }

    /// Adds all values, even if one is invalid, because another one may be the name of the account.
    private mutating func add(
        _ values: some Sequence<(name: String, value: JSONValue)>, to row: inout AccountRow
    ) throws(AccountRowError) {
        var fault: AccountRowError?
        for (name, value) in values {
            do throws(AccountRowError) {
                try add(value, as: name, to: &row)
            } catch {
                guard case .invalid = error else { throw error }
                fault = fault ?? error
            }
        }
        guard let fault else { return }
        var names = AccountRow(number: number, line: line)
        (names.id, names.username, names.email, names.phone) = (row.id, row.username, row.email, row.phone)
        invalidRow = names
        throw fault
    }

    private mutating func add(
        _ value: JSONValue, as name: String, to row: inout AccountRow
    ) throws(AccountRowError) {
        switch try meaning(of: name, at: row.place) {
        case .leftOut: break
        case .column(.fields):
            var own = AccountRow(number: row.number, line: row.line)
            try own.set(.fields, to: value)
            for field in own.fields.members
            where try meaning(of: field.name, isField: true, at: row.place) != .leftOut {
                try add(field.value, asField: field.name, to: &row)
            }
        case .column(let column): try row.set(column, to: value)
        default: try add(value, asField: name, to: &row)
        }
    }

    private func add(_ value: JSONValue, asField name: String, to row: inout AccountRow) throws(AccountRowError) {
        guard row.fields[name] == nil else {
            throw .invalid(place: row.place, cause: "has the field '\(name)' both in 'fields' and beside it")
        }
        row.fields[name] = value
    }

    // MARK: - CSV

    private mutating func names(_ header: [UInt8]) throws(AccountRowError) -> [String] {
        let place = "the header (line \(lines.number))"
        if !header.contains(UInt8(ascii: ",")), let separator = header.first(where: ";\t|".utf8.contains) {
            let name = separator == UInt8(ascii: "\t") ? "a tab" : "'\(Character(Unicode.Scalar(separator)))'"
            throw .invalidHeader(place: place, cause: "has \(name) between its columns instead of ','")
        }
        let names: [String]
        do throws(AccountRowError) {
            names = try cells(header, at: place)
        } catch {
            guard case .invalid(_, let cause) = error else { throw error }
            throw .invalidHeader(place: place, cause: cause)
        }
        guard !header.contains(UInt8(ascii: "\r")) else {
            throw .invalidHeader(place: place, cause: "has a carriage return; lines must end with LF or CRLF")
        }
        for name in names { _ = try meaning(of: name, at: place) }
        guard names.contains(where: ["id", "username", "email", "phone", "authData"].contains) else {
            throw .invalidHeader(place: place, cause: "has no column 'username', and the file is not JSON")
        }
        guard !names.contains(""), Set(names).count == names.count else {
            throw .invalidHeader(place: place, cause: "has a column without a name, or two with the same name")
        }
        return names
    }

    private mutating func row(_ names: [String], _ cells: [String]) throws(AccountRowError) -> AccountRow {
        var row = AccountRow(number: number, line: line)
        guard cells.count == names.count else {
            throw .invalid(place: row.place, cause: "has \(cells.count) values, but the header has \(names.count)")
        }
        let values = zip(names, cells).lazy.filter { !$0.1.isEmpty }
        try add(values.map { ($0, Self.value(of: $1, in: AccountColumn(rawValue: $0))) }, to: &row)
        return row
    }

    /// - Parameter column: `nil` for a field.
    private static func value(of cell: String, in column: AccountColumn?) -> JSONValue {
        switch column {
        case .emailVerified, .phoneVerified, .disabled: cell == "true" ? true : cell == "false" ? false : .string(cell)
        // `try?`: a text that is not JSON is rejected like JSON of another type, without quoting what may be a secret.
        case .claims, .roles, .identities, .authData, .fields:
            (try? JSONValue(parsing: cell.utf8)) ?? .string(cell)
        default: .string(cell)
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
