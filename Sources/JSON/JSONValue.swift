/// A JSON value that keeps the order of object members.
///
/// authctl's documents have a fixed order of members (`v` and `kind` first), which Foundation's coders do not keep.
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number that is not an `Int64`.
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

/// A number as written in its document, such as `12345678901234567890` or `1.50`, so that no digit is lost.
package struct JSONNumber: Sendable, Hashable {
    /// A valid JSON number within the range of `Double`.
    let text: String

    init(_ text: String) {
        self.text = text
    }

    /// - Returns: `nil` for infinity and NaN, which JSON does not have.
    package init?(_ value: Double) {
        guard value.isFinite else { return nil }
        text = "\(value)"
    }

    /// The nearest `Double`.
    package var value: Double { Double(text) ?? 0 }
}

/// The members of a JSON object, in document order.
package struct JSONObject: Sendable, Hashable {
    package struct Member: Sendable, Hashable {
        package var name: String
        package var value: JSONValue

        package init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    package var members: [Member]

    package init(_ members: [Member] = []) {
        self.members = members
    }

    /// The value of a member. Setting it replaces the value in place or appends a member; `nil` removes the member.
    package subscript(name: String) -> JSONValue? {
        get { members.first { $0.name == name }?.value }
        set {
            let index = members.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    package var isEmpty: Bool { members.isEmpty }
    package var names: [String] { members.map(\.name) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.map { Member(name: $0.0, value: $0.1) })
    }
}

// MARK: - Building and looking inside

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(nilLiteral: ()) { self = .null }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { JSONObject.Member(name: $0.0, value: $0.1) }))
    }
}

extension JSONValue {
    /// A string; `nil` becomes `null`.
    package init(_ text: String?) {
        self = text.map(JSONValue.string) ?? .null
    }

    package init(_ strings: [String]) {
        self = .array(strings.map(JSONValue.string))
    }

    /// A number; infinity and NaN become `null`.
    package init(_ number: Double) {
        self = JSONNumber(number).map(JSONValue.number) ?? .null
    }

    package init(_ number: Int) {
        self = .integer(Int64(number))
    }

    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    package var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// Any number, as the nearest `Double`.
    package var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number.value
        default: nil
        }
    }

    package var bool: Bool? {
        if case .bool(let truth) = self { truth } else { nil }
    }

    package var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    package var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The value of a member; `nil` if the member is missing, or if this value is not an object.
    package subscript(name: String) -> JSONValue? { object?[name] }
}
