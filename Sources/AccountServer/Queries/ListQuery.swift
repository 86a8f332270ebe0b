import JSON

/// The parameters of a list request: `GET /users`, `GET /sessions` or `GET /roles`, or the same list below `/classes`.
///
/// Supports the Parse parameters that are useful for lists of users and sessions, and ignores a few that do not change
/// the result (see `FieldSelection`). All other parameters are rejected with error code 102.
struct ListQuery {
    /// At least 0.
    private(set) var limit: Int64 = 100
    /// At least 0.
    private(set) var skip: Int64 = 0
    private(set) var order: [RowOrder] = []
    private(set) var wantsCount = false
    /// `nil` matches all rows.
    private(set) var filter: RowFilter?
    private(set) var selection = FieldSelection()

    /// The maximum size in bytes of the stored fields that one request loads. Parsing needs ten times that size in
    /// memory.
    private static let mostLoaded: Int64 = 8 << 20
    /// The maximum size in bytes of the objects in one response.
    static let largestResponse = 8 << 20

    /// - Parameter stored: the size in bytes of the fields of all rows that the list must load.
    static func requireSize(_ stored: Int64) throws(RequestError) {
        guard stored <= mostLoaded else {
            throw .refused(102, "the list is too large to be searched: restrict it with objectId in where")
        }
    }

    init(_ options: JSONObject) throws(RequestError) {
        for (name, value) in options.members.map({ ($0.name, $0.value) }) {
            switch name {
            case "limit": limit = try Self.number(name, value)
            case "skip": skip = try Self.number(name, value)
            case "order": order = try RowOrder.list(try FieldSelection.names(name, value))
            case "count": wantsCount = !value.isFalsy
            case "where": filter = try RowFilter(parameter: value)
            default:
                guard try selection.take(name, value) else { throw .refused(.invalidParameter(name)) }
            }
        }
    }

    /// Stricter than Parse, which passes any value to the database and sends status 500 if the database rejects it.
    private static func number(_ name: String, _ value: JSONValue) throws(RequestError) -> Int64 {
        guard let number = value.integer ?? value.string.flatMap({ Int64($0) }), number >= 0 else {
            throw .refused(.invalidParameter(name))
        }
        return number
    }
}

/// The work that one query may still cause.
struct QueryBudget {
    /// The bytes of the values that conditions and sort keys compare. 32 MiB take about a second.
    private var left = 32 << 20
    private let isAbandoned: () -> Bool

    /// - Parameter isAbandoned: whether the client is gone. A query that compares many bytes then ends.
    init(isAbandoned: @escaping () -> Bool = { false }) {
        self.isAbandoned = isAbandoned
    }

    /// - Throws: error code 154 if the budget is spent. Source: Parse's list of error codes, `InefficientQueryError`.
    mutating func spend(on value: JSONValue?, times count: Int = 1) throws(RequestError) {
        // The comparison itself costs as much as that of some bytes.
        let left = left - (16 + (value?.size ?? 0)) * count
        guard left >= 0 else {
            throw .refused(154, "the query is inefficient: use fewer conditions, or restrict it with objectId in where")
        }
        if left >> 20 != self.left >> 20, isAbandoned() { throw .busy }
        self.left = left
    }
}

/// The parameters that select the members of a row: `keys`, `excludeKeys` and `include`.
struct FieldSelection {
    /// Whether each session contains the whole user instead of a pointer to the user.
    private(set) var includesUser = false
    /// The fields named in `keys`; `nil` selects all fields.
    private var wantedKeys: [String]?
    private var excludedKeys: [String] = []

    /// Always included, regardless of `keys` and `excludeKeys`.
    private static let permanentKeys = ["objectId", "createdAt", "updatedAt", "ACL"]

    init() {}

    /// The parameters of a request for one object.
    ///
    /// - Throws: error code 102 for any other parameter, as Parse does.
    init(_ options: JSONObject) throws(RequestError) {
        for member in options.members where try !take(member.name, member.value) {
            throw .refused(102, "Improper encode of parameter")
        }
    }

    /// - Returns: `false` if a parameter of this name is not supported.
    fileprivate mutating func take(_ name: String, _ value: JSONValue) throws(RequestError) -> Bool {
        switch name {
        case "keys": wantedKeys = try Self.names(name, value).map(Self.field)
        case "excludeKeys": excludedKeys = try Self.names(name, value)
        case "include":
            let paths = try Self.names(name, value).map(Self.field)
            includesUser = paths.contains("user") || paths.contains("*")
        // Ignore parameters that choose a server in a database cluster, or describe the query.
        case "readPreference", "includeReadPreference", "subqueryReadPreference", "comment": break
        default: return false
        }
        return true
    }

    /// Parses `a,b`. Some SDKs send an array of names instead, which Parse joins with commas.
    fileprivate static func names(_ name: String, _ value: JSONValue) throws(RequestError) -> [String] {
        let texts = value.string.map { [$0] } ?? value.array?.compactMap(\.string)
        guard let texts, texts.count == value.array?.count ?? 1 else { throw .refused(.invalidParameter(name)) }
        return texts.flatMap { $0.split(separator: ",").map(String.init) }
    }

    /// The field in a path: `prefs` in `prefs.theme`. Only whole fields can be selected.
    private static func field(_ path: String) -> String { String(path.prefix { $0 != "." }) }

    /// The row with only the selected members. The members in `keys` come first, in the order of `keys`, as in Parse.
    func selected(from row: JSONObject) -> JSONObject {
        if wantedKeys == nil, excludedKeys.isEmpty { return row }
        let excluded = Set(excludedKeys).subtracting(Self.permanentKeys)
        guard let wantedKeys else { return JSONObject(row.members.filter { !excluded.contains($0.name) }) }
        // Use a dictionary and sets, because a row and a request can each have many names.
        let members = Dictionary(row.members.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var missing = Set(wantedKeys).subtracting(excluded).subtracting(Self.permanentKeys)
        let names = wantedKeys.filter { missing.remove($0) != nil } + Self.permanentKeys
        return JSONObject(names.compactMap { members[$0] })
    }
}

extension JSONValue {
    /// The approximate size of the value's JSON text in bytes.
    var size: Int {
        switch self {
        case .null, .bool, .integer, .number: 4
        case .string(let text): text.utf8.count
        case .array(let elements): elements.reduce(8) { $0 + $1.size }
        case .object(let object): object.members.reduce(8) { $0 + $1.name.utf8.count + $1.value.size }
        }
    }
}
