import JSON

/// The conditions in the parameter `where`. A row matches if all conditions hold.
///
/// Shape: `{"age":30,"prefs.theme":{"$in":["dark",null]},"$or":[{"a":1},{"b":1}]}`. Unsupported operators are
/// rejected, because ignoring them would return wrong results. Source: Parse REST guide, "Queries"; Parse Server,
/// `DatabaseController.validateQuery`.
struct RowFilter {
    private enum Condition {
        case field(FieldPath, [Constraint])
        /// `$or`, `$and` or `$nor`. The first part that matches, or for `$and` does not match, decides.
        case group(String, [RowFilter])
    }

    private let conditions: [Condition]

    /// Fields that queries must not contain, because a client could guess their values by trial and error.
    private static let hiddenFields: Set<String> = ["sessionToken", "password", "authData"]

    /// - Parameter value: an object, or the JSON text of an object. For invalid text, this server sends error code 102,
    ///   and Parse Server sends status 500.
    init(parameter value: JSONValue) throws(RequestError) {
        // `try?`: text that is not JSON is rejected below, because it is not an object.
        let read = value.string.flatMap { try? JSONValue(parsing: $0.utf8) } ?? value
        guard let object = read.object else { throw .refused(.invalidParameter("where")) }
        try self.init(object)
        guard size <= Self.largestSize else { throw .refused(.queryInvalid("too many conditions")) }
    }

    /// The maximum number of conditions. Testing more conditions on every row would block the server for too long.
    private static let largestSize = 1000

    private init(_ object: JSONObject) throws(RequestError) {
        conditions = try object.members.map { member throws(RequestError) in
            switch member.name {
            case "$or", "$and", "$nor": .group(member.name, try Self.parts(member))
            case "ACL": throw .refused(.queryInvalid("Cannot query on ACL."))
            case "$relatedTo", "$text": throw .refused(.queryInvalid("\(member.name) is not supported"))
            case let name:
                .field(
                    try Self.path(name),
                    try Constraint.list(member.value, isDate: name == "createdAt" || name == "updatedAt"))
            }
        }
    }

    private static func parts(_ member: JSONObject.Member) throws(RequestError) -> [RowFilter] {
        try (member.value.array ?? [.null]).map { part throws(RequestError) in
            guard let object = part.object else {
                throw .refused(.queryInvalid("Bad \(member.name) format - use an array value."))
            }
            return try RowFilter(object)
        }
    }

    private static func path(_ name: String) throws(RequestError) -> FieldPath {
        let path = FieldPath(name)
        guard path.names[0].isFieldName, !hiddenFields.contains(path.names[0]), path.names.count <= mostNames,
            path.names.allSatisfy({
                !$0.isEmpty && $0.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") }
            })
        else { throw .refused(105, "Invalid key name: \(name)") }
        return path
    }

    private static let mostNames = 100

    func matches(_ row: JSONObject, _ budget: inout QueryBudget) throws(RequestError) -> Bool {
        for condition in conditions {
            switch condition {
            case .field(let path, let constraints):
                let value = path.value(in: row)
                try budget.spend(on: value, times: constraints.count)
                let comparable = value?.comparable
                guard constraints.allSatisfy({ $0.holds(for: comparable) }) else { return false }
            case .group(let name, let parts):
                var isDecided = false
                for part in parts where try part.matches(row, &budget) == (name != "$and") {
                    isDecided = true
                    break
                }
                guard isDecided == (name == "$or") else { return false }
            }
        }
        return true
    }

    /// The number of conditions at any depth. Each `$or`, `$and` and `$nor` is a condition too.
    var size: Int {
        conditions.reduce(0) { sum, condition in
            switch condition {
            case .field(_, let constraints): sum + constraints.count
            case .group(_, let parts): sum + parts.reduce(1) { $0 + max(1, $1.size) }
            }
        }
    }

    /// Whether any condition, at any depth, tests the field or a member of the field's object.
    func concerns(_ field: String) -> Bool {
        conditions.contains { condition in
            switch condition {
            case .field(let path, _): path.names[0] == field
            case .group(_, let parts): parts.contains { $0.concerns(field) }
            }
        }
    }

    /// The ids to which the conditions limit `objectId`; `nil` if there is no limit. A row with one of these ids may
    /// still violate other conditions.
    var objectIDs: [String]? {
        for case .field(let path, let constraints) in conditions where path.names == ["objectId"] {
            for constraint in constraints {
                if let texts = constraint.possibleTexts { return texts }
            }
        }
        return nil
    }
}
