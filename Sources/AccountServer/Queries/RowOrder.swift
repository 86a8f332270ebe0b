import JSON

/// One part of `order`: a field or a member of one, such as `-prefs.age`.
struct RowOrder {
    let path: FieldPath
    let isDescending: Bool

    /// The first occurrence of a field wins. A missing value is greater than any other, as in Parse on PostgreSQL.
    ///
    /// - Throws: 105 for a name that no field can have, such as `_password`. Source: Parse Server, `DatabaseController.find`.
    static func list(_ names: [String]) throws(RouteError) -> [RowOrder] {
        var seen: Set<String> = []
        var orders: [RowOrder] = []
        for name in names {
            let isDescending = name.hasPrefix("-")
            let field = isDescending ? String(name.dropFirst()) : name
            let path = FieldPath(field)
            guard path.names[0].isFieldName else { throw .refused(.fieldNameInvalid(field)) }
            if seen.insert(field).inserted { orders.append(RowOrder(path: path, isDescending: isDescending)) }
        }
        return orders
    }
}

extension [JSONObject] {
    /// The rows in this order. Equal rows keep theirs, or have the reverse order if the last part is descending.
    func sorted(by order: [RowOrder]) -> [JSONObject] {
        guard !order.isEmpty else { return self }
        // Each value is looked up once.
        let rows = enumerated().map { index, row in
            (index: index, row: row, values: order.map { $0.path.value(in: row) })
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

extension JSONValue? {
    /// By type, then by value; missing and null come last.
    fileprivate func precedes(_ other: JSONValue?) -> Bool {
        let (left, right) = ((self ?? .null).comparable, (other ?? .null).comparable)
        return left.rank == right.rank ? left.isLess(than: right) : left.rank < right.rank
    }
}

extension JSONValue {
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

    /// Whether both are numbers, texts or Booleans, and this one is less.
    func isLess(than other: JSONValue) -> Bool {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): left < right
        case (.string(let left), .string(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.bool(let left), .bool(let right)): !left && right
        case (let left, let right): left.double.flatMap { left in right.double.map { left < $0 } } ?? false
        }
    }

    /// A form in which values that Parse considers equal are equal: members sorted by name, whole numbers as integers,
    /// and dates as their text, because `createdAt` is shown as text.
    var comparable: JSONValue {
        switch self {
        case .object(let object) where object["__type"] == "Date": object["iso"] ?? .null
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

/// A field, or a member of the object in it: `prefs.a`.
struct FieldPath: Equatable {
    let names: [String]

    init(_ text: String) {
        names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    func value(in row: JSONObject) -> JSONValue? {
        names.reduce(.object(row)) { (value: JSONValue?, name) in value?[name] }
    }
}
