import JSON
import Platform

/// The changes that a client requests for custom fields, which have no meaning for the server.
///
/// A value of any type replaces the old one. An object with `__op` is an operation on it: `Delete`; `Increment` by
/// `amount`; `Add`, `AddUnique` or `Remove` the elements of `objects`; `SetOnInsert`, which sets the `amount` of a new
/// object. A name such as `a.b` means member `b` of the object in field `a`. Source: Parse REST guide, "Updating
/// Objects"; Parse Server, `DatabaseController`, `SchemaController.enforceFieldExists`.
struct FieldChanges {
    fileprivate enum Change {
        case set(JSONValue)
        case delete
        case increment(JSONValue)
        case add([JSONValue])
        case addUnique([JSONValue])
        case remove([JSONValue])
        case setOnInsert(JSONValue)
    }

    /// A field, or a member of the object in it, and its change.
    private typealias Member = (name: String, path: [String], change: Change)

    private let changes: [Member]

    /// - Parameter reserved: the names with a meaning for the server; they are ignored.
    /// - Throws: 105 for an invalid name.
    init(_ body: JSONObject, except reserved: Set<String>) throws(RouteError) {
        var changes: [Member] = []
        for member in body.members where !reserved.contains(member.name) {
            let parts = member.name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            let path = Array(parts.dropFirst())
            guard parts[0].isFieldName, !Self.unusableNames.contains(parts[0]),
                path.isEmpty || !reserved.contains(parts[0]) && parts[0] != "ACL", path.allSatisfy(\.isMemberName)
            else { throw .refused(.fieldNameInvalid(member.name)) }
            if !path.isEmpty { try Self.require(member.value, fitsAt: path) }
            changes.append((parts[0], path, try Self.change(member.value)))
        }
        // Each of them copies its field.
        guard changes.count(where: { !$0.path.isEmpty }) <= Self.mostMembers else {
            throw .refused(.operationInvalid("the request changes more than \(Self.mostMembers) members of objects"))
        }
        self.changes = changes
    }

    private static let mostMembers = 100

    /// Bytes of all fields. Every request of a user parses those of the user.
    private static let largestObject = 1 << 20

    /// Stored values must not be nested more deeply than the JSON parser accepts: 512 levels, with the user around
    /// them.
    private static func require(_ value: JSONValue, fitsAt path: [String]) throws(RouteError) {
        guard path.count + value.depth <= 500 else { throw .refused(.operationInvalid("nested too deeply")) }
    }

    /// Source: Parse Server, `SchemaController.fieldNameIsValid`.
    private static let unusableNames: Set<String> = ["className", "length"]

    private static func change(_ value: JSONValue) throws(RouteError) -> Change {
        guard let operation = value["__op"] else { return .set(value) }
        switch operation.string {
        case "Delete": return .delete
        case "Increment":
            switch value["amount"] {
            case .integer, .number: return .increment(value["amount"] ?? 0)
            default: throw .refused(.operationInvalid("incrementing must provide a number"))
            }
        case "Add": return .add(try elements(value, "objects to add must be an array"))
        case "AddUnique": return .addUnique(try elements(value, "objects to add must be an array"))
        case "Remove": return .remove(try elements(value, "objects to remove must be an array"))
        case "SetOnInsert": return .setOnInsert(value["amount"] ?? .null)
        default: throw .refused(.operationUnknown(operation.string ?? operation.text))
        }
    }

    private static func elements(_ value: JSONValue, _ refusal: String) throws(RouteError) -> [JSONValue] {
        guard let elements = value["objects"]?.array else { throw .refused(.operationInvalid(refusal)) }
        return elements
    }

    /// - Parameters:
    ///   - fields: the current fields; `nil` for a new object.
    ///   - className: used in error 111, for an operation that does not match a field's type.
    /// - Returns: the new fields, and the results of operations, which Parse includes in the response.
    func applied(
        to fields: JSONObject?, className: String
    ) throws(RouteError) -> (fields: JSONObject, results: JSONObject) {
        var values: [JSONValue?] = fields?.members.map(\.value) ?? []
        var names = fields?.names ?? []
        // A dictionary, because a body of 1 MiB can contain many names.
        var places = Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
        var results: [String: JSONValue] = [:]
        for (name, path, change) in changes {
            let place = places[name] ?? values.count
            if place == values.count {
                places[name] = place
                names.append(name)
                values.append(nil)
            }
            let old = values[place]
            values[place] = try Self.value(change, at: path[...], in: old, isNew: fields == nil, "\(className).\(name)")
            if change.returnsResult, let value = values[place] {
                results[name] = Self.result(at: path[...], in: value, beside: results[name])
            }
        }
        let members = zip(names, values).compactMap { name, value in
            value.map { JSONObject.Member(name: name, value: $0) }
        }
        guard JSONValue.object(JSONObject(members)).size <= Self.largestObject else { throw .refused(.objectTooLarge) }
        let inOrder = names.compactMap { name in results[name].map { JSONObject.Member(name: name, value: $0) } }
        return (JSONObject(members), JSONObject(inOrder))
    }

    /// Changes a member of an object, which is created if there is none.
    private static func value(
        _ change: Change, at path: ArraySlice<String>, in old: JSONValue?, isNew: Bool, _ field: String
    ) throws(RouteError) -> JSONValue? {
        guard let name = path.first else { return try value(change, old, isNew: isNew, field) }
        guard old == nil || old == .null || old?.object != nil else {
            throw .refused(.typeMismatch(field, expected: (old ?? .null).parseType, got: "Object"))
        }
        var object = old?.object ?? [:]
        object[name] = try value(change, at: path.dropFirst(), in: object[name], isNew: isNew, "\(field).\(name)")
        return .object(object)
    }

    /// The result of an operation on a member, inside the objects that contain it, and the results before it.
    private static func result(
        at path: ArraySlice<String>, in value: JSONValue, beside earlier: JSONValue?
    ) -> JSONValue {
        guard let name = path.first, let member = value[name] else { return value }
        var object = earlier?.object ?? [:]
        object[name] = result(at: path.dropFirst(), in: member, beside: object[name])
        return .object(object)
    }

    private static func value(
        _ change: Change, _ old: JSONValue?, isNew: Bool, _ field: String
    ) throws(RouteError) -> JSONValue? {
        switch change {
        case .set(let value): return value
        case .delete: return nil
        case .increment(let amount): return try sum(old, amount, field)
        case .add(let elements): return .array(try array(old, field) + elements)
        case .addUnique(let elements):
            let all = try array(old, field)
            var texts = Set(all.map(\.text))
            return .array(all + elements.filter { texts.insert($0.text).inserted })
        case .remove(let elements):
            let texts = Set(elements.map(\.text))
            return .array(try array(old, field).filter { !texts.contains($0.text) })
        case .setOnInsert(let value): return isNew ? value : old
        }
    }

    private static func sum(_ old: JSONValue?, _ amount: JSONValue, _ field: String) throws(RouteError) -> JSONValue {
        switch (old ?? .null, amount) {
        case (.null, _): return amount
        case (.integer(let left), .integer(let right)):
            let (sum, isTooBig) = left.addingReportingOverflow(right)
            return isTooBig ? JSONValue(Double(left) + Double(right)) : .integer(sum)
        case (let old, _):
            guard let left = old.double, let right = amount.double else {
                throw .refused(.typeMismatch(field, expected: old.parseType, got: "Number"))
            }
            return JSONValue(left + right)
        }
    }

    private static func array(_ old: JSONValue?, _ field: String) throws(RouteError) -> [JSONValue] {
        switch old ?? .null {
        case .null: return []
        case .array(let elements): return elements
        case let other: throw .refused(.typeMismatch(field, expected: other.parseType, got: "Array"))
        }
    }
}

extension FieldChanges.Change {
    /// Source: Parse Server, `DatabaseController`, `sanitizeDatabaseResult`.
    fileprivate var returnsResult: Bool {
        switch self {
        case .set, .delete: false
        case .increment, .add, .addUnique, .remove, .setOnInsert: true
        }
    }
}

extension JSONValue {
    /// The number of levels: 1 for a text or a number.
    fileprivate var depth: Int {
        switch self {
        case .array(let elements): 1 + (elements.map(\.depth).max() ?? 0)
        case .object(let object): 1 + (object.members.map(\.value.depth).max() ?? 0)
        case .null, .bool, .integer, .number, .string: 1
        }
    }
}

extension String {
    /// ASCII letters, digits and underscores, starting with a letter.
    var isFieldName: Bool {
        guard let first = utf8.first, first.isASCIILetter else { return false }
        return utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") }
    }

    /// Whether it can be a member of an object in a field. A number would be the index of an array, which this server
    /// does not change in place.
    fileprivate var isMemberName: Bool { !isEmpty && !isASCIIDigits && !utf8.contains(UInt8(ascii: "$")) }
}
