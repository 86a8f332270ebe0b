import JSON

/// The query of `GET /sessions`.
///
/// Of Parse's parameters those a list of one's own sessions needs. `where` and `include` are refused like unknown ones:
/// a filter that is not applied would be a wrong answer.
struct SessionQuery {
    private(set) var page = Sessions.Page()
    private(set) var wantsCount = false
    /// Names from `keys`; `nil`: all.
    private var wantedKeys: [String]?
    private var excludedKeys: [String] = []

    /// Always there, whatever `keys` and `excludeKeys` say.
    private static let permanentKeys = ["objectId", "createdAt", "updatedAt"]

    init(_ query: [(name: String, value: String)]) throws(RouteError) {
        for (name, value) in query {
            switch name {
            case "limit": page.limit = try Self.number(name, value)
            case "skip": page.skip = try Self.number(name, value)
            case "order": page.order = Self.order(value)
            case "count": wantsCount = !value.isEmpty
            case "keys": wantedKeys = Self.list(value)
            case "excludeKeys": excludedKeys = Self.list(value)
            default: throw .refused(.invalidParameter(name))
            }
        }
    }

    /// The row with the members that were asked for: those of `keys` first, in their order, as Parse does it.
    func selection(from row: JSONObject) -> JSONObject {
        let names = wantedKeys.map { $0.filter { !Self.permanentKeys.contains($0) } + Self.permanentKeys } ?? row.names
        var selection = JSONObject()
        for name in names where Self.permanentKeys.contains(name) || !excludedKeys.contains(name) {
            if let value = row[name] { selection[name] = value }
        }
        return selection
    }

    /// Parse hands these to its database, and answers what that refuses with a status of 500.
    private static func number(_ name: String, _ value: String) throws(RouteError) -> Int64 {
        guard let number = Int64(value), number >= 0 else { throw .refused(.invalidParameter(name)) }
        return number
    }

    /// `-createdAt,expiresAt`; fields that are not there have no effect, and a field counts where it stands first.
    private static func order(_ value: String) -> [Sessions.Page.Order] {
        var order: [Sessions.Page.Order] = []
        for name in list(value) {
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

    private static func list(_ value: String) -> [String] {
        value.split(separator: ",").map(String.init)
    }
}
