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
            firstIndex(of: name, from: 0).map { fields[$0].value }
        }
        set {
            while let index = firstIndex(of: name, from: 0) { fields.remove(at: index) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// The values of all fields of that name, in order.
    package func values(_ name: String) -> [String] {
        var values: [String] = []
        var start = 0
        while let index = firstIndex(of: name, from: start) {
            values.append(fields[index].value)
            start = index + 1
        }
        return values
    }

    private func firstIndex(of name: String, from start: Int) -> Int? {
        fields.indices[start...].first { index in
            fields[index].name.utf8.count == name.utf8.count
                && fields[index].name.utf8.elementsEqual(name.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
        }
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
