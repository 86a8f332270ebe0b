import JSON
import Platform

/// A request's changes to custom fields. The server stores these fields without interpreting them.
///
/// A value of any type replaces the old value. An object with `__op` is an operation on the old value: `Delete`;
/// `Increment` by `amount`; `Add`, `AddUnique` or `Remove` the elements of `objects`. Source: Parse REST guide,
/// "Updating Objects"; Parse Server, `DatabaseController`.
struct FieldChanges {
    private enum Change {
        case set(JSONValue)
        case delete
        case increment(JSONValue)
        case add([JSONValue])
        case addUnique([JSONValue])
        case remove([JSONValue])
    }

    private let changes: [(name: String, change: Change)]

    /// - Parameter reserved: the names of the fields that the server interprets. The changes do not include them.
    /// - Throws: error code 105 for an invalid name, including a path such as `prefs.size`; 107 for an operation
    ///   with an invalid operand; 108 for an unknown operation.
    init(_ body: JSONObject, except reserved: Set<String>) throws(RouteError) {
        changes = try body.members.filter { !reserved.contains($0.name) }.map { member throws(RouteError) in
            guard member.name.isFieldName, !Self.unusableNames.contains(member.name) else {
                throw .refused(.fieldNameInvalid(member.name))
            }
            return (member.name, try Self.change(member.value))
        }
    }

    /// The size limit for all fields of an object, in bytes. Every request by a user parses that user's fields, so they
    /// must not grow without limit.
    private static let largestObject = 1 << 20

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
        default: throw .refused(108, "The \(operation.string ?? operation.text) operator is not supported.")
        }
    }

    private static func elements(_ value: JSONValue, _ refusal: String) throws(RouteError) -> [JSONValue] {
        guard let elements = value["objects"]?.array else { throw .refused(.operationInvalid(refusal)) }
        return elements
    }

    /// - Parameters:
    ///   - fields: the current fields.
    ///   - className: the class name in the message of error code 111 (an operation does not match a field's type).
    /// - Returns: the new fields, and the results of operations, which Parse includes in the response.
    func applied(
        to fields: JSONObject, className: String
    ) throws(RouteError) -> (fields: JSONObject, results: JSONObject) {
        var (names, values): ([String], [JSONValue?]) = (fields.names, fields.members.map(\.value))
        // Use a dictionary, because a body of 1 MiB can contain many names.
        var places = Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
        var results: [JSONObject.Member] = []
        for (name, change) in changes {
            let place = places[name] ?? values.count
            if place == values.count {
                places[name] = place
                names.append(name)
                values.append(nil)
            }
            let value = try Self.value(change, values[place], "\(className).\(name)")
            values[place] = value
            // As in Parse, `results` contains only the results of operations. Source: `sanitizeDatabaseResult`.
            if case .set = change { continue }
            if let value { results.append(JSONObject.Member(name: name, value: value)) }
        }
        let members = zip(names, values).compactMap { name, value in
            value.map { JSONObject.Member(name: name, value: $0) }
        }
        guard JSONValue.object(JSONObject(members)).size <= Self.largestObject else {
            throw .refused(116, "the object is too large: its fields exceed 1 MiB")
        }
        return (JSONObject(members), JSONObject(results))
    }

    private static func value(_ change: Change, _ old: JSONValue?, _ field: String) throws(RouteError) -> JSONValue? {
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

extension String {
    /// Whether the text starts with an ASCII letter and contains only ASCII letters, digits and underscores.
    var isFieldName: Bool {
        guard let first = utf8.first, first.isASCIILetter else { return false }
        return utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") }
    }
}
