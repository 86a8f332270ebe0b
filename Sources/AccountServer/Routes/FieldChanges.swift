import JSON
import Platform

/// A request's changes to custom fields. The server stores these fields without interpreting them.
///
/// A value of any type replaces the old value. An object with `__op` is an operation on the old value: `Delete`;
/// `Increment` by `amount`; `Add`, `AddUnique` or `Remove` the elements of `objects`. A name such as `a.b` means the
/// member `b` of the object in field `a`. Source: Parse REST guide, "Updating Objects"; Parse Server,
/// `DatabaseController`, and `handleDotFields` of its adapter for PostgreSQL.
struct FieldChanges {
    private enum Change {
        case set(JSONValue)
        case delete
        case increment(JSONValue)
        case add([JSONValue])
        case addUnique([JSONValue])
        case remove([JSONValue])
    }

    /// The path is a field, or a member of the object in it.
    private let changes: [(path: [String], change: Change)]

    /// - Parameter reserved: the names of the fields that the server interprets. The changes do not include them.
    /// - Throws: error code 105 for an invalid name; 107 for an operation with an invalid operand, a `Date` that is not
    ///   RFC 3339, or too many or too deep paths; 108 for an unknown operation.
    init(_ body: JSONObject, except reserved: Set<String>) throws(RequestError) {
        changes = try body.members.filter { !reserved.contains($0.name) }.map { member throws(RequestError) in
            let path = FieldPath(member.name).names
            let field = path[0]
            guard path.count <= 20, field.isFieldName, !Self.unusableNames.contains(field),
                path.dropFirst().allSatisfy(\.isMemberName),
                path.count == 1 || !reserved.contains(field) && field != "ACL"
            else { throw .refused(.fieldNameInvalid(member.name)) }
            return (path, try Self.change(member.value.withUTCDates()))
        }
        // Each change of a member copies its field.
        guard changes.count(where: { $0.path.count > 1 }) <= 100 else {
            throw .refused(.operationInvalid("the request changes more than 100 members of objects"))
        }
    }

    /// The size limit for all fields of an object, in bytes. Every request by a user parses that user's fields, so they
    /// must not grow without limit.
    private static let largestObject = 1 << 20

    /// Source: Parse Server, `SchemaController.fieldNameIsValid`.
    private static let unusableNames: Set<String> = ["className", "length"]

    private static func change(_ value: JSONValue) throws(RequestError) -> Change {
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
        default: throw .refused(108, "The \(operation.string ?? operation.text) operator is not supported.")
        }
    }

    private static func elements(_ value: JSONValue, _ refusal: String) throws(RequestError) -> [JSONValue] {
        guard let elements = value["objects"]?.array else { throw .refused(.operationInvalid(refusal)) }
        return elements
    }

    /// - Parameters:
    ///   - fields: the current fields.
    ///   - className: the class name in the message of error code 111 (an operation does not match a field's type).
    /// - Returns: the new fields, and the results of operations, which Parse includes in the response.
    func applied(
        to fields: JSONObject, className: String
    ) throws(RequestError) -> (fields: JSONObject, results: JSONObject) {
        var (names, values): ([String], [JSONValue?]) = (fields.names, fields.members.map(\.value))
        // Use a dictionary, because a body of 1 MiB can contain many names.
        var places = Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
        var results: [String: JSONValue] = [:]
        for (path, change) in changes {
            let name = path[0]
            let place = places[name] ?? values.count
            if place == values.count {
                places[name] = place
                names.append(name)
                values.append(nil)
            }
            values[place] = try Self.value(change, at: path.dropFirst(), in: values[place], "\(className).\(name)")
            // As in Parse, `results` contains only the results of operations. Source: `sanitizeDatabaseResult`.
            switch change {
            case .set, .delete: break
            case .increment, .add, .addUnique, .remove:
                results[name] = Self.result(at: path.dropFirst(), in: values[place] ?? .null, beside: results[name])
            }
        }
        let members = zip(names, values).compactMap { name, value in
            value.map { JSONObject.Member(name: name, value: $0) }
        }
        guard JSONValue.object(JSONObject(members)).size <= Self.largestObject else {
            throw .refused(116, "the object is too large: its fields exceed 1 MiB")
        }
        // In a batch, the fields are four levels deeper, and JSON parsers limit the depth.
        let nested: JSONValue = [[[[.object(JSONObject(members))]]]]
        if changes.contains(where: { $0.path.count > 1 }), (try? JSONValue(parsing: nested.bytes)) == nil {
            throw .refused(.operationInvalid("nested too deeply"))
        }
        let told = names.compactMap { name in results[name].map { JSONObject.Member(name: name, value: $0) } }
        return (JSONObject(members), JSONObject(told))
    }

    /// Changes a member of an object, which is created if it is missing.
    private static func value(
        _ change: Change, at path: ArraySlice<String>, in old: JSONValue?, _ field: String
    ) throws(RequestError) -> JSONValue? {
        guard let name = path.first else { return try value(change, old, field) }
        if case .delete = change, old == nil { return nil }
        let type = (old ?? .null).parseType
        guard type == "Object" || type == "Null" else {
            throw .refused(.typeMismatch(field, expected: type, got: "Object"))
        }
        var object = old?.object ?? [:]
        object[name] = try value(change, at: path.dropFirst(), in: object[name], "\(field).\(name)")
        return .object(object)
    }

    /// The result of an operation on a member, inside the objects that contain it, beside earlier results.
    private static func result(
        at path: ArraySlice<String>, in value: JSONValue, beside earlier: JSONValue?
    ) -> JSONValue {
        guard let name = path.first, let member = value[name] else { return value }
        var object = earlier?.object ?? [:]
        object[name] = result(at: path.dropFirst(), in: member, beside: object[name])
        return .object(object)
    }

    private static func value(_ change: Change, _ old: JSONValue?, _ field: String) throws(RequestError) -> JSONValue? {
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
        }
    }

    private static func sum(_ old: JSONValue?, _ amount: JSONValue, _ field: String) throws(RequestError) -> JSONValue {
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

    private static func array(_ old: JSONValue?, _ field: String) throws(RequestError) -> [JSONValue] {
        switch old ?? .null {
        case .null: return []
        case .array(let elements): return elements
        case let other: throw .refused(.typeMismatch(field, expected: other.parseType, got: "Array"))
        }
    }
}

extension String {
    /// Whether the text can name a member of an object in a field. A number would be an index of an array, which this
    /// server does not change in place, and `__type` would change the type of the value.
    fileprivate var isMemberName: Bool {
        !isEmpty && !isASCIIDigits && !hasPrefix("__") && !utf8.contains(UInt8(ascii: "$"))
    }

    /// Whether the text starts with an ASCII letter and contains only ASCII letters, digits and underscores.
    var isFieldName: Bool {
        guard let first = utf8.first, first.isASCIILetter else { return false }
        return utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") }
    }
}
