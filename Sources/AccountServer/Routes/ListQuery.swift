import JSON

/// The query parameters of `GET /sessions` and `GET /users`.
///
/// Supports the Parse parameters that are useful for lists of the caller's own objects; others are rejected with 102.
struct ListQuery {
    private(set) var page = Sessions.Page()
    private(set) var wantsCount = false
    /// `nil` matches all rows.
    private(set) var filter: ListFilter?
    /// Whether a session contains the whole user instead of a pointer.
    private(set) var includesUser = false
    /// The names in `keys`; `nil` selects all.
    private var wantedKeys: [String]?
    private var excludedKeys: [String] = []

    /// Always included, regardless of `keys` and `excludeKeys`.
    private static let permanentKeys = ["objectId", "createdAt", "updatedAt"]

    init(_ options: JSONObject) throws(RouteError) {
        for (name, value) in options.members.map({ ($0.name, $0.value) }) {
            switch name {
            case "limit": page.limit = try Self.number(name, value)
            case "skip": page.skip = try Self.number(name, value)
            case "order": page.order = Self.order(try Self.list(name, value))
            case "count": wantsCount = !value.isFalsy
            case "keys": wantedKeys = try Self.list(name, value)
            case "excludeKeys": excludedKeys = try Self.list(name, value)
            case "include": includesUser = try Self.list(name, value).contains("user")
            case "where": filter = try ListFilter(value)
            default: throw .refused(.invalidParameter(name))
            }
        }
    }

    /// The row with the selected members. Those of `keys` come first and in their order, as in Parse.
    func selection(from row: JSONObject) -> JSONObject {
        let names = wantedKeys.map { $0.filter { !Self.permanentKeys.contains($0) } + Self.permanentKeys } ?? row.names
        var selection = JSONObject()
        for name in names where Self.permanentKeys.contains(name) || !excludedKeys.contains(name) {
            if let value = row[name] { selection[name] = value }
        }
        return selection
    }

    /// Parse passes these values to its database, and responds with 500 if the database rejects them.
    private static func number(_ name: String, _ value: JSONValue) throws(RouteError) -> Int64 {
        guard let number = value.integer ?? value.string.flatMap({ Int64($0) }), number >= 0 else {
            throw .refused(.invalidParameter(name))
        }
        return number
    }

    /// Parses `-createdAt,expiresAt`. Unknown fields are ignored; the first occurrence of a field wins.
    private static func order(_ names: [String]) -> [Sessions.Page.Order] {
        var order: [Sessions.Page.Order] = []
        for name in names {
            let isDescending = name.hasPrefix("-")
            guard let column = columns[isDescending ? String(name.dropFirst()) : name] else { continue }
            if order.contains(where: { $0.column == column }) { continue }
            order.append(Sessions.Page.Order(column: column, isDescending: isDescending))
        }
        return order
    }

    private static let columns: [String: Sessions.Page.Column] = [
        "createdAt": .createdAt, "updatedAt": .updatedAt, "expiresAt": .expiresAt,
    ]

    private static func list(_ name: String, _ value: JSONValue) throws(RouteError) -> [String] {
        guard let text = value.string else { throw .refused(.invalidParameter(name)) }
        return text.split(separator: ",").map(String.init)
    }
}

/// `where`: fields and their required values.
///
/// Operators such as `$gt` are rejected, because ignoring them would return wrong results.
struct ListFilter {
    /// The required values by field name, in comparable form.
    let conditions: [(name: String, value: JSONValue)]

    /// Fields that must not be discovered by trying values.
    private static let hiddenFields: Set<String> = ["sessionToken", "password", "authData"]

    /// - Parameter value: an object, or an object as JSON text. Parse responds with 500 to an invalid text.
    init(_ value: JSONValue) throws(RouteError) {
        // `try?`: a text that is not JSON is not an object either.
        let read = value.string.flatMap { try? JSONValue(parsing: $0.utf8) } ?? value
        guard let object = read.object else { throw .refused(.invalidParameter("where")) }
        for name in object.names where !name.isFieldName || Self.hiddenFields.contains(name) {
            throw .refused(.invalidKeyName(name))
        }
        let hasOperator = object.members.contains { $0.value.object?.names.contains { $0.hasPrefix("$") } == true }
        if hasOperator { throw .refused(.invalidParameter("where")) }
        conditions = object.members.map { ($0.name, $0.value.comparable) }
    }

    func matches(_ row: JSONObject) -> Bool {
        conditions.allSatisfy { (row[$0.name] ?? .null).comparable == $0.value }
    }
}

extension JSONValue {
    /// A form in which values that Parse considers equal are equal: members sorted by name, and dates as their text,
    /// because `createdAt` is shown as text.
    fileprivate var comparable: JSONValue {
        switch self {
        case .object(let object) where object["__type"] == "Date": object["iso"] ?? .null
        case .object(let object):
            .object(
                JSONObject(
                    object.members.sorted { $0.name < $1.name }
                        .map { JSONObject.Member(name: $0.name, value: $0.value.comparable) }))
        case .array(let elements): .array(elements.map(\.comparable))
        default: self
        }
    }
}
