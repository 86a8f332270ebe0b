import Platform

/// Header fields of a request or response, in order; names are case-insensitive.
package struct HTTPHeaders: Sendable, Equatable {
    package struct Field: Sendable, Equatable {
        package let name: String
        package let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package private(set) var fields: [Field]

    package init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// The value of the first field of that name. Setting replaces all fields of that name; `nil` removes them.
    package subscript(name: String) -> String? {
        get {
            // By index: `first` would copy each field.
            for index in fields.indices where fields[index].name.isSameHeader(as: name) { return fields[index].value }
            return nil
        }
        set {
            fields.removeAll { $0.name.isSameHeader(as: name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// The values of all fields of that name, in order.
    package func values(_ name: String) -> [String] {
        fields.filter { $0.name.isSameHeader(as: name) }.map(\.value)
    }

    /// Adds a field and keeps others of the same name.
    package mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { Field(name: $0.0, value: $0.1) })
    }
}

extension String {
    fileprivate func isSameHeader(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return zip(utf8, other.utf8).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}
