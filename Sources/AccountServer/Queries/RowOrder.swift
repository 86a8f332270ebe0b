import JSON
internal import Platform

/// One sort key of `order`: a field or a member of a field's object, such as `-prefs.age`.
struct RowOrder {
    let path: FieldPath
    let isDescending: Bool

    /// If a field is repeated, the first occurrence wins. Missing values sort as greatest, as in Parse on PostgreSQL.
    ///
    /// - Throws: error code 105 for an invalid name such as `_password`. Source: Parse Server, `DatabaseController`.
    static func list(_ names: [String]) throws(RequestError) -> [RowOrder] {
        var seen: Set<String> = []
        var orders: [RowOrder] = []
        for name in names {
            let isDescending = name.hasPrefix("-")
            let field = isDescending ? String(name.dropFirst()) : name
            // Parse also accepts the names of the columns in MongoDB, which old SDKs send.
            let path = FieldPath(["_created_at": "createdAt", "_updated_at": "updatedAt"][field] ?? field)
            guard path.names[0].isFieldName else { throw .refused(.fieldNameInvalid(field)) }
            if seen.insert(field).inserted { orders.append(RowOrder(path: path, isDescending: isDescending)) }
        }
        return orders
    }
}

extension [JSONObject] {
    /// The rows sorted by `order`. Equal rows keep their order, or are reversed if the last sort key is descending.
    func sorted(by order: [RowOrder], _ budget: inout QueryBudget) throws(RequestError) -> [JSONObject] {
        guard !order.isEmpty else { return self }
        // Look up each value only once, before sorting.
        let rows = try enumerated().map { index, row throws(RequestError) in
            let values = try order.map { part throws(RequestError) in
                let value = part.path.value(in: row)
                try budget.spend(on: value)
                return (value ?? .null).comparable
            }
            return (index: index, row: row, values: values)
        }
        return rows.sorted { left, right in
            for (part, values) in zip(order, zip(left.values, right.values)) where values.0 != values.1 {
                let precedes = values.0.precedes(values.1)
                if precedes != values.1.precedes(values.0) { return precedes != part.isDescending }
            }
            return (left.index > right.index) == order[order.count - 1].isDescending
        }.map(\.row)
    }
}

extension JSONValue {
    /// Whether this value sorts before the other: by type, then by value. Missing values and null come last. Both are in
    /// the form of `comparable`.
    fileprivate func precedes(_ other: JSONValue) -> Bool {
        rank == other.rank ? isLess(than: other) : rank < other.rank
    }

    fileprivate var rank: Int {
        switch self {
        case .bool: 0
        case .integer, .number: 1
        case .string: 2
        case .array: 3
        case .object: 4
        case .null: 5
        }
    }

    /// Whether both values are numbers, both are strings or both are Booleans, and this value is less than the other.
    func isLess(than other: JSONValue) -> Bool {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): left < right
        case (.string(let left), .string(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.bool(let left), .bool(let right)): !left && right
        case (let left, let right): left.double.flatMap { left in right.double.map { left < $0 } } ?? false
        }
    }

    /// A canonical form, in which values that Parse treats as equal are equal. Members are sorted by name, whole
    /// numbers are integers, and dates are strings in UTC with milliseconds, like the values of `createdAt`.
    var comparable: JSONValue {
        switch self {
        case .object(let object) where object["__type"] == "Date": dateInUTC ?? object["iso"] ?? .null
        case .object(let object):
            .object(
                JSONObject(
                    object.members.sorted { $0.name < $1.name }
                        .map { JSONObject.Member(name: $0.name, value: $0.value.comparable) }))
        case .array(let elements): .array(elements.map(\.comparable))
        case .number(let number): Int64(exactly: number.value).map(JSONValue.integer) ?? JSONValue(number.value)
        case .null, .bool, .integer, .string: self
        }
    }
}

extension JSONValue {
    /// The time of a `Date` as Parse returns it, in UTC with milliseconds; `nil` if the time is not RFC 3339.
    private var dateInUTC: JSONValue? {
        self["iso"]?.string.flatMap { Instant($0) }.map { .string($0.textWithMilliseconds) }
    }

    /// The value with each `Date` in UTC with milliseconds.
    ///
    /// - Throws: error code 107 for a `Date` that is not RFC 3339.
    func withUTCDates() throws(RequestError) -> JSONValue {
        switch self {
        case .object(var object) where object["__type"] == "Date":
            guard let time = dateInUTC else { throw .refused(.operationInvalid("a Date must be RFC 3339")) }
            object["iso"] = time
            return .object(object)
        case .object(let object):
            return .object(
                JSONObject(
                    try object.members.map { member throws(RequestError) in
                        JSONObject.Member(name: member.name, value: try member.value.withUTCDates())
                    }))
        case .array(let elements):
            return .array(try elements.map { element throws(RequestError) in try element.withUTCDates() })
        case .null, .bool, .integer, .number, .string: return self
        }
    }
}

/// The path of a field, or of a member of a field's object, such as `prefs.a`.
struct FieldPath: Equatable {
    let names: [String]

    init(_ text: String) {
        names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    func value(in row: JSONObject) -> JSONValue? {
        names.reduce(.object(row)) { (value: JSONValue?, name) in value?[name] }
    }
}
